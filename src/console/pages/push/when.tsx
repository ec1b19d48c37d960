import type { ComponentChildren } from 'preact'
import type { Loaded } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import type { Bound, Rows } from '../../forms/table.ts'
import type { FormState } from '../../parts/form.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { WallField } from '../../parts/wall-field.tsx'
import { Repeat } from '../series/repeat.tsx'
import { type Compose, type Estimate, PACE } from './draft.ts'
import { HourStrip } from './hour-strip.tsx'
import { type TimeDraft, WHEN } from './time.ts'

interface WhenProps {
  appId: number
  form: Compose
  estimate: Loaded<Estimate>
  /** The rows about the time; default `WHEN`. */
  rows?: Rows
}

/** The third card of a push: when it is sent. */
export function When({ appId, form, estimate, rows = WHEN }: WhenProps) {
  const { when } = form.values.value
  const times = estimate.value.value?.times ?? []
  return (
    <Timing appId={appId} form={form} rows={rows}>
      {(when === 'local' || when === 'intelligent') && times.length > 0 && <HourStrip times={times} />}
      <Fields form={form} rows={PACE} />
    </Timing>
  )
}

interface TimingProps {
  appId: number
  form: Bound<TimeDraft> & Pick<FormState<object>, 'fail' | 'forgive'>
  /** The rows about the time; default `WHEN`. */
  rows?: Rows | undefined
  /** Content below the time. */
  children: ComponentChildren
}

/** The card of when a send happens, and whether it repeats. */
export function Timing({ appId, form, rows = WHEN, children }: TimingProps) {
  return (
    <Card title="When">
      <div class="stack">
        <Fields form={form} rows={rows} extras={{ local: () => <LocalTime form={form} /> }} />
        {form.values.value.when === 'repeat' && <Repeat appId={appId} form={form} />}
        {children}
      </div>
    </Card>
  )
}

function LocalTime({ form }: { form: Bound<TimeDraft> }) {
  return (
    <WallField {...form.field('local')} label="Date and time" type="datetime-local" hint="On each phone’s clock." />
  )
}
