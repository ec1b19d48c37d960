import { useId } from 'preact/hooks'
import { describe, FieldFrame, type FieldProps } from './field.tsx'

interface WallFieldProps extends FieldProps<string> {
  /** A date and a time (`2031-05-01T07:30`), or a time alone (`07:30`). */
  type: 'datetime-local' | 'time'
}

/** A time as a clock on the wall shows it, in a zone that something else decides. Empty for none. */
export function WallField(props: WallFieldProps) {
  const id = useId()
  return (
    <FieldFrame {...props} id={id}>
      <input
        {...describe(id, props)}
        class="input number wall-field"
        name={props.name}
        type={props.type}
        step={60}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}
