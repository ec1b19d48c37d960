import { useSignal } from '@preact/signals'
import { Images, X } from 'lucide'
import { useId } from 'preact/hooks'
import { currentApp } from '../state/session.ts'
import { Button, IconButton } from './button.tsx'
import { describe, FieldFrame, type FieldProps } from './field.tsx'
import { ownPicture } from './picture-address.ts'
import { PictureDialog } from './picture-library.tsx'

/**
 * The address of a picture: chosen from the library of the app, uploaded, or pasted. A picture of this server is shown beside it. The
 * app is the one of the page.
 */
export function PictureField(props: FieldProps<string> & { placeholder?: string }) {
  const id = useId()
  const isOpen = useSignal(false)
  const appId = currentApp.value?.id
  const own = ownPicture(props.value)
  return (
    <FieldFrame {...props} id={id}>
      <div class="affixed">
        <input
          {...describe(id, props)}
          class="input"
          name={props.name}
          type="url"
          value={props.value}
          disabled={props.isOff}
          placeholder={props.placeholder ?? 'https://'}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      </div>
      {appId !== undefined && !props.isOff && (
        <div class="row picture-choice">
          {own !== undefined && <img class="picture-thumb" src={own} alt="The picture" key={own} />}
          <Button size="small" icon={Images} onClick={() => (isOpen.value = true)}>
            {props.value === '' ? 'Choose a picture' : 'Choose another'}
          </Button>
          {props.value !== '' && (
            <IconButton icon={X} label="Remove the picture" size="small" onClick={() => props.onChange('')} />
          )}
        </div>
      )}
      {isOpen.value && appId !== undefined && (
        <PictureDialog
          appId={appId}
          onChoose={({ url }) => props.onChange(url)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </FieldFrame>
  )
}
