import { Fields } from '../../forms/fields.tsx'
import type { Bound } from '../../forms/table.ts'
import type { FormState } from '../../parts/form.tsx'
import { Failed, Skeleton } from '../../parts/surfaces.tsx'
import { WallField } from '../../parts/wall-field.tsx'
import { isOfFields, NextTimes, useNextTimes } from './next-times.tsx'
import { REPEAT, type RepeatDraft, recurringOf, zoneOptions } from './rows.ts'

interface RepeatProps {
  appId: number
  form: Bound<RepeatDraft> & Pick<FormState<object>, 'fail' | 'forgive'>
}

/** Height of the next five times, for what stands there until they come. */
const NEXT_PX = 148

/** The rule by which something is sent again, and its next five times in words. */
export function Repeat({ appId, form }: RepeatProps) {
  const draft = form.values.value
  const rule = recurringOf(draft)
  const next = useNextTimes(appId, form, rule)
  const wall = (name: 'repeat.startsAt' | 'repeat.endsAt', label: string) => () => (
    <WallField {...form.field(name)} label={label} type="datetime-local" isOptional hint="On that clock." />
  )
  return (
    <>
      <Fields
        form={form}
        rows={REPEAT}
        extras={{
          'repeat.time': () => <WallField {...form.field('repeat.time')} label="Time" type="time" />,
          'repeat.zone': { options: zoneOptions(draft['repeat.zone']) },
          'repeat.startsAt': wall('repeat.startsAt', 'Not before'),
          'repeat.endsAt': wall('repeat.endsAt', 'Not after'),
        }}
      />
      {rule && <Ahead next={next} />}
    </>
  )
}

function Ahead({ next }: { next: ReturnType<typeof useNextTimes> }) {
  const [ahead, error] = [next.value.value, next.error.value]
  if (ahead) return <NextTimes {...ahead} />
  if (next.isLoading.value) return <Skeleton lines={5} height={NEXT_PX} />
  // The server's word about a field stands beside the field.
  return error === undefined || isOfFields(error) ? null : <Failed error={error} retry={next.reload} />
}
