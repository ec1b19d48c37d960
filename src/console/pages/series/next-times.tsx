import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import type { FormState } from '../../parts/form.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import type { Recurring } from './rows.ts'
import { EACH_PHONE, timeInWords, zoneInWords } from './rule.ts'

/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350
const PREVIEW = '/admin/v1/apps/{appId}/notifications/preview'
/** A push that says as little as possible to nobody, to learn the times of its rule. */
const PROBE = { target: { installIds: ['-'] }, content: { title: '-', message: '-' } }

/** Tells whether an error is about what is written. */
export const isOfFields = (error: unknown): boolean => error instanceof ApiError && error.status === 422

/** Times ahead, with the zone of their rule. */
interface Ahead {
  times: readonly string[]
  timezone: string
}

/**
 * Asks the server for the next five times of a rule whenever it rests for a moment, and marks the fields that the server complains
 * of. Nothing is asked while the rule is undefined.
 */
export function useNextTimes(
  appId: number,
  form: Pick<FormState<object>, 'fail' | 'forgive'>,
  rule: Recurring | undefined,
): Loaded<Ahead> {
  const asked = usePaused(rule ? JSON.stringify(rule) : '', PAUSE_MS)
  const times = useLoad(
    asked === ''
      ? null
      : async (signal) => {
          const body = { ...PROBE, schedule: JSON.parse(asked) as Recurring }
          const { next = [] } = await api.post(PREVIEW, { path: { appId }, body, signal })
          return { times: next, timezone: body.schedule.timezone }
        },
    [appId, asked],
  )
  const marked = useRef<string[]>([])
  const error = times.error.value
  useEffect(() => {
    form.forgive(marked.current)
    marked.current = isOfFields(error) ? form.fail(error, { isQuiet: true }) : []
  }, [error])
  return times
}

/** Times ahead in words, on the clock of their rule. */
export function NextTimes({ times, timezone }: Ahead) {
  if (times.length === 0) return <p class="quiet">No time is left.</p>
  return (
    <figure class="series-next">
      <figcaption>
        {timezone === EACH_PHONE
          ? 'The next times, on each phone’s clock'
          : `The next times in ${zoneInWords(timezone)}`}
      </figcaption>
      <ol>
        {times.map((time) => (
          <li key={time}>{timeInWords(time, timezone)}</li>
        ))}
      </ol>
    </figure>
  )
}
