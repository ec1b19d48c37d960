import { useId } from 'preact/hooks'
import { describe, FieldFrame, type FieldProps } from './field.tsx'
import { appZone, instantFrom, instantOf, localText, zoneChoices } from './zones.ts'

interface DateTimeProps extends FieldProps<string | null> {
  /** IANA name of the zone in which the time is written; default: that of the app. */
  zone?: string
  /** Lets people choose another zone. */
  onZone?(zone: string): void
}

/** An instant (ISO 8601, UTC), written as date and time in a zone that is always named. */
export function DateTimeField(props: DateTimeProps) {
  const id = useId()
  const zone = props.zone ?? appZone()
  return (
    <FieldFrame {...props} id={id} hint={props.hint ?? `Time in ${zone.replaceAll('_', ' ')}`}>
      <div class="row">
        <input
          {...describe(id, { ...props, hint: true })}
          class="input number"
          style={{ flex: '1 1 200px', maxInlineSize: '260px' }}
          name={props.name}
          type="datetime-local"
          step={60}
          disabled={props.isOff}
          value={props.value === null ? '' : localText(instantFrom(props.value), zone)}
          onChange={(event) => {
            const { value } = event.currentTarget
            props.onChange(value === '' ? null : (instantOf(value, zone)?.toISOString() ?? null))
          }}
        />
        {props.onZone && (
          <select
            class="input"
            style={{ flex: '1 1 200px', maxInlineSize: '260px', appearance: 'auto' }}
            aria-label={`Time zone of ${props.label}`}
            value={zone}
            onChange={(event) => props.onZone!(event.currentTarget.value)}
          >
            {zoneChoices(zone).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </div>
    </FieldFrame>
  )
}
