import type { Loaded } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import type { Rows } from '../../forms/table.ts'
import { Card } from '../../parts/surfaces.tsx'
import { WallField } from '../../parts/wall-field.tsx'
import { Repeat } from '../series/repeat.tsx'
import { type Compose, type Estimate, PACE, WHEN } from './draft.ts'
import { HourStrip } from './hour-strip.tsx'

interface WhenProps {
  appId: number
  form: Compose
  estimate: Loaded<Estimate>
  /** The rows about the time; default `WHEN`. */
  rows?: Rows
}

/** The third card: when it is sent. */
export function When({ appId, form, estimate, rows = WHEN }: WhenProps) {
  const { when } = form.values.value
  const times = estimate.value.value?.times ?? []
  return (
    <Card title="When">
      <div class="stack">
        <Fields form={form} rows={rows} extras={{ local: () => <LocalTime form={form} /> }} />
        {when === 'repeat' && <Repeat appId={appId} form={form} />}
        {(when === 'local' || when === 'intelligent') && times.length > 0 && <HourStrip times={times} />}
        <Fields form={form} rows={PACE} />
      </div>
    </Card>
  )
}

function LocalTime({ form }: { form: Compose }) {
  return (
    <WallField
      {...form.field('local')}
      label="Date and time"
      type="datetime-local"
      hint="On the clock of each phone."
    />
  )
}
