import type { Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import type { ValuesOf } from '../../forms/table.ts'
import { appZone, instantFrom, localText } from '../../parts/zones.ts'
import { REPEAT, recurringOf, STORED_RULE } from '../series/rows.ts'
import { ruleInWords } from '../series/rule.ts'

/** The time of a push or an in-app message: the rows of its form, what they make, and the words for it. */

type Push = Body<'/admin/v1/apps/{appId}/notifications', 'post'>
const rows = row.table<Push>()
const needsTime = 'Choose a date and a time.'

/** Rows about the time of sending. A duplicate begins with none of its own: the time of the first send is over. */
export const WHEN = rows(
  row.radio('when', 'It is sent', {
    path: '',
    first: 'now',
    look: 'cards',
    options: [
      { value: 'now', label: 'Now', about: 'With ten seconds to take it back' },
      { value: 'at', label: 'At a time', about: 'Everybody at the same moment' },
      { value: 'local', label: 'On each phone’s clock', about: 'The same hour wherever people are' },
      { value: 'intelligent', label: 'When each person is active', about: 'Their usual hour, within a day' },
      { value: 'repeat', label: 'Repeat', about: 'Every Monday, each month, by a rule' },
    ],
  }),
  row.instant('at', 'Date and time', {
    path: '',
    also: ['schedule.sendAt', 'schedule'],
    need: needsTime,
    when: ({ when }) => when === 'at',
  }),
  row.where(
    ({ when }) => when === 'local',
    /** `2031-05-01T07:30`, on the clock of each phone. */
    row.own('local', '', { path: '', also: ['schedule.sendAt', 'schedule'], need: needsTime }),
    row.radio('pastTimes', 'Where that time has passed already', {
      path: '',
      also: ['schedule.pastTimes'],
      first: 'ignore',
      options: row.choices({ ignore: 'Nothing is sent', nextDay: 'It is sent the next day at that hour' }),
    }),
  ),
)
/** Rows of the rule by which it repeats; `Repeat` draws them. */
export const AGAIN = rows(
  row.where(({ when }) => when === 'repeat', ...REPEAT),
  ...STORED_RULE,
)
const TIME = [...WHEN, ...AGAIN] as const
export type TimeDraft = ValuesOf<typeof TIME>

/** The schedule of a send that happens once. */
type Once = Extract<NonNullable<Push['schedule']>, { sendAt: string }>
type PastTimes = Once['pastTimes']

/** The members of the body that set the time; none for a send at once. Undefined while the time is missing. */
export function timeOf(draft: TimeDraft): Pick<Push, 'schedule' | 'intelligentDelivery'> | undefined {
  const { when, at, local, pastTimes } = draft
  if (when === 'now') return {}
  if (when === 'intelligent') return { intelligentDelivery: true }
  if (when === 'repeat') {
    const schedule = recurringOf(draft)
    return schedule && { schedule }
  }
  if (when === 'at') {
    if (at === null) return undefined
    const sendAt = localText(instantFrom(at), 'UTC').replace('T', ' ')
    return { schedule: { strategy: 'utc', sendAt, pastTimes: 'ignore' } }
  }
  if (local === '') return undefined
  return { schedule: { strategy: 'local', sendAt: local.replace('T', ' '), pastTimes: pastTimes as PastTimes } }
}

/** The words of the button of the last look: "Send to 3 devices", or later "Schedule for 3 devices". */
export const sendTo = ({ when }: Pick<TimeDraft, 'when'>, whom: string): string =>
  `${when === 'now' ? 'Send to' : 'Schedule for'} ${whom}`

/** The time of sending, in words. */
export function whenInWords(draft: TimeDraft): string {
  const { when, at, local, pastTimes } = draft
  const day = (ms: number, timeZone: string) =>
    new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(ms)
  const rule = when === 'repeat' ? recurringOf(draft) : undefined
  if (rule) return `${ruleInWords(rule)}; each time to whoever is meant then`
  if (when === 'intelligent') return 'At the hour at which each person is usually active, within a day'
  if (when === 'at' && at !== null)
    return `${day(instantFrom(at).getTime(), appZone())} (${appZone().replaceAll('_', ' ')})`
  if (when === 'local' && local !== '') {
    const past = pastTimes === 'nextDay' ? 'where it has passed, the next day' : 'where it has passed, not at all'
    return `${day(Date.parse(`${local}Z`), 'UTC')} on each phone’s clock; ${past}`
  }
  return 'Now, with ten seconds to take it back'
}
