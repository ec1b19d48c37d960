import { useId } from 'preact/hooks'
import { describe, FieldFrame, type FieldProps } from '../parts/field.tsx'

/** A colour as CSS writes it: `#1753d8` or `rgb(23, 83, 216)`, with the picker of the browser beside it. */
export function ColorField(props: FieldProps<string>) {
  const id = useId()
  const isHex = /^#[0-9a-f]{6}$/i.test(props.value)
  return (
    <FieldFrame {...props} id={id}>
      <div class="row color-field">
        <input
          type="color"
          aria-label={`${props.label}: picker`}
          value={isHex ? props.value : '#ffffff'}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
        <input
          {...describe(id, props)}
          class="input mono"
          name={props.name}
          value={props.value}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      </div>
    </FieldFrame>
  )
}
