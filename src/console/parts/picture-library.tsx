import { useSignal } from '@preact/signals'
import { ApiError, messageOf } from '../api/errors.ts'
import { usePages } from '../api/load.ts'
import { may } from '../state/session.ts'
import { Button } from './button.tsx'
import { FileDrop } from './file-drop.tsx'
import { Dialog } from './overlays.tsx'
import { ownPicture, PICTURE_TYPES, PICTURES, type Picture, sidesOf, uploadPicture } from './picture-address.ts'
import { Failed, Skeleton } from './surfaces.tsx'

interface LibraryProps {
  appId: number
  onChoose(picture: Picture): void
  onClose(): void
}

/** Chooses a picture of the app, or uploads one and chooses it. */
export function PictureDialog({ appId, onChoose, onClose }: LibraryProps) {
  const list = usePages(PICTURES, { path: { appId }, query: { limit: 24 } }, 'pictures')
  const all = list.value.value
  const choose = (picture: Picture) => {
    onClose()
    onChoose(picture)
  }
  return (
    <Dialog title="Choose a picture" onClose={onClose} isWide>
      <div class="stack">
        {may('campaign', appId) && <UploadPictures appId={appId} onStored={([first]) => choose(first!)} />}
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : all === undefined ? (
          <Skeleton lines={4} />
        ) : (
          <PictureGrid
            pictures={all}
            wrap={(picture, inner) => (
              <button type="button" class="picture-open" onClick={() => choose(picture)}>
                {inner}
              </button>
            )}
          />
        )}
        {list.hasMore.value && <Button onClick={list.more}>Show more</Button>}
        {all?.length === 0 && <p class="quiet">There are no pictures yet.</p>}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  )
}

interface UploadProps {
  appId: number
  isMany?: boolean
  onStored(pictures: readonly Picture[]): void
}

/** A place to drop pictures: they are stored one after another, and each that is refused says why. */
export function UploadPictures({ appId, isMany = false, onStored }: UploadProps) {
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const store = async (files: readonly File[]) => {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.value = undefined
    const stored: Picture[] = []
    const refused: string[] = []
    for (const file of files) {
      try {
        stored.push(await uploadPicture(appId, file))
      } catch (error) {
        refused.push(`${file.name} ${whyOf(error)}`)
      }
    }
    isBusy.value = false
    if (refused.length > 0) problem.value = refused.join(' ')
    if (stored.length > 0) onStored(stored)
  }
  return (
    <FileDrop
      label={isBusy.value ? 'Uploading …' : isMany ? 'Drop pictures here' : 'Drop a picture here'}
      hint="PNG, JPEG, WebP or GIF. Place, camera and texts in a file are not stored."
      accept={PICTURE_TYPES}
      isMany={isMany}
      error={problem.value}
      onFiles={(files) => void store(files)}
    />
  )
}

/** The reason of a refusal; it follows the name of the file. */
function whyOf(error: unknown): string {
  const why = error instanceof ApiError ? error.fields['file'] : undefined
  return why === undefined ? `was not stored: ${messageOf(error)}` : `${why}.`
}

interface GridProps {
  pictures: readonly Picture[]
  /** Makes the link or the button around a tile. */
  wrap(picture: Picture, inner: preact.ComponentChildren): preact.ComponentChildren
}

/** Pictures beside each other, each with its name and size. */
export function PictureGrid({ pictures, wrap }: GridProps) {
  return (
    <ul class="picture-grid">
      {pictures.map((picture) => (
        <li key={picture.uid} class="picture-tile">
          {wrap(
            picture,
            <>
              <img src={ownPicture(picture.url)} alt="" loading="lazy" />
              <span class="picture-name">{picture.name}</span>
            </>,
          )}
          <span class="quiet small-text">
            {sidesOf(picture)}
            {picture.isUsed ? '' : ' · not used'}
          </span>
        </li>
      ))}
    </ul>
  )
}
