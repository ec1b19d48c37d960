import type { Loaded } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { describe, FieldFrame } from '../../parts/field.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { type Compose, type Estimate, PACE, WHEN } from './draft.ts'
import { HourStrip } from './hour-strip.tsx'

/** The third card: when it is sent. */
export function When({ form, estimate }: { form: Compose; estimate: Loaded<Estimate> }) {
  const { when } = form.values.value
  const times = estimate.value.value?.times ?? []
  return (
    <Card title="When">
      <div class="stack">
        <Fields form={form} rows={WHEN} extras={{ local: () => <LocalTime form={form} /> }} />
        {(when === 'local' || when === 'intelligent') && times.length > 0 && <HourStrip times={times} />}
        <Fields form={form} rows={PACE} />
      </div>
    </Card>
  )
}

function LocalTime({ form }: { form: Compose }) {
  const { value, error, onChange } = form.field('local')
  const hint = 'On the clock of each phone.'
  return (
    <FieldFrame id="local" label="Date and time" hint={hint} error={error}>
      <input
        {...describe('local', { hint, error })}
        class="input number push-local"
        name="local"
        type="datetime-local"
        step={60}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}
