import type { Loaded } from '../../api/load.ts'
import { DateTimeField } from '../../parts/date-field.tsx'
import { describe, FieldFrame, NumberField, RadioGroup, SelectField } from '../../parts/field.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import type { Compose } from './compose-form.ts'
import type { Estimate } from './draft.ts'
import { HourStrip } from './hour-strip.tsx'

/** The third card: when it is sent. */
export function When({ form, estimate }: { form: Compose; estimate: Loaded<Estimate> }) {
  const { when } = form.values.value
  const times = estimate.value.value?.times ?? []
  return (
    <Card title="When">
      <div class="stack">
        <RadioGroup
          {...form.field('when')}
          label="It is sent"
          look="cards"
          options={[
            { value: 'now', label: 'Now', about: 'With ten seconds to take it back' },
            { value: 'at', label: 'At a time', about: 'Everybody at the same moment' },
            { value: 'local', label: 'On each phone’s clock', about: 'The same hour wherever people are' },
            { value: 'intelligent', label: 'When each person is active', about: 'Their usual hour, within a day' },
          ]}
        />
        {when === 'at' && <DateTimeField {...form.field('at')} label="Date and time" />}
        {when === 'local' && <LocalTime form={form} />}
        {(when === 'local' || when === 'intelligent') && times.length > 0 && <HourStrip times={times} />}
        <More label="Pace and expiry" isOpen={form.values.peek().rateLimit !== null || form.values.peek().ttl !== null}>
          <div class="grid halves">
            <NumberField
              {...form.field('rateLimit')}
              label="At most"
              isOptional
              min={1}
              unit="devices a second"
              hint="For a website that cannot bear everybody at once."
            />
            <NumberField
              {...form.field('ttl')}
              label="Expires after"
              isOptional
              min={1}
              hint="A phone that was off for longer gets nothing. Four weeks at most."
            />
            <SelectField
              {...form.field('ttlUnit')}
              label="Counted in"
              options={[
                { value: 'hours', label: 'hours' },
                { value: 'minutes', label: 'minutes' },
                { value: 'seconds', label: 'seconds' },
              ]}
            />
          </div>
        </More>
      </div>
    </Card>
  )
}

function LocalTime({ form }: { form: Compose }) {
  const { value, error, onChange } = form.field('local')
  const hint = 'On the clock of each phone.'
  return (
    <div class="stack">
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
      <RadioGroup
        {...form.field('pastTimes')}
        label="Where that time has passed already"
        options={[
          { value: 'ignore', label: 'Nothing is sent' },
          { value: 'nextDay', label: 'It is sent the next day at that hour' },
        ]}
      />
    </div>
  )
}
