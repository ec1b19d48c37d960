import { Images } from 'lucide'
import { useGet, usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { SelectField } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { toast } from '../../parts/overlays.tsx'
import { PICTURES } from '../../parts/picture-address.ts'
import { PictureGrid, UploadPictures } from '../../parts/picture-library.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Empty, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { formatBytes } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { may } from '../../state/session.ts'

/** The pictures of the app. */
export default function Pictures({ appId }: PageProps) {
  const used = query.value.get('used') ?? ''
  const list = usePages(
    PICTURES,
    { path: { appId }, query: { limit: 60, ...(used !== '' && { used: used === 'true' }) } },
    'pictures',
  )
  const room = useGet(PICTURES, { path: { appId }, query: { limit: 1 } })
  const all = list.value.value
  const now = room.value.value?.room
  return (
    <div class="page wide">
      <PageHead title="Pictures" about="Stored once, served from this server, for pushes, in-app messages and links." />
      {may('campaign', appId) && (
        <Card>
          <UploadPictures
            appId={appId}
            isMany
            onStored={(stored) => {
              toast(stored.length === 1 ? `${stored[0]!.name} is stored.` : `${stored.length} pictures are stored.`)
              list.reload()
              room.reload()
            }}
          />
        </Card>
      )}
      <Card
        title="Library"
        {...(now && {
          about: `${formatNumber(now.pictures)} of at most ${formatNumber(now.maxPictures)}; ${formatBytes(now.size)} of ${formatBytes(now.maxSize)}.`,
        })}
        actions={
          <SelectField
            label="Show"
            value={used}
            options={[
              { value: '', label: 'All pictures' },
              { value: 'true', label: 'Used' },
              { value: 'false', label: 'Not used' },
            ]}
            onChange={(value) => setQuery({ used: value || undefined })}
          />
        }
      >
        <div class="stack">
          {list.error.value !== undefined ? (
            <Failed error={list.error.value} retry={list.reload} />
          ) : all === undefined ? (
            <Skeleton lines={6} height={320} />
          ) : all.length === 0 ? (
            <Empty icon={Images} title={used === '' ? 'No pictures yet' : 'No such pictures'}>
              {used === '' ? 'A push with a picture is opened more often.' : 'Show all pictures, or upload one.'}
            </Empty>
          ) : (
            <PictureGrid
              pictures={all}
              wrap={({ uid }, inner) => (
                <a class="picture-open" href={href(`/apps/${appId}/pictures/${uid}`)}>
                  {inner}
                </a>
              )}
            />
          )}
          {list.hasMore.value && <Button onClick={list.more}>Show more</Button>}
        </div>
      </Card>
      <AsCommand command={command`pictures add --app ${appId} FILE.jpg`} />
    </div>
  )
}
