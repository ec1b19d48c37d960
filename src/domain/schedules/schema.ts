import type { FieldErrors } from '../../platform/errors.ts'
import { isZone, NO_ZONE } from '../../platform/time/zones.ts'
import { closedShape, documented, either, type Infer, judged, oneOf, text } from '../../platform/values/parse.ts'
import { oneOfThese } from '../../platform/values/reader.ts'
import { comesAtAll, cronProblem, EACH_ZONE, type Recurrence } from './recurrence.ts'
import { type Schedule, wallOf } from './schedule.ts'

/** The form of `sendAt`: a minute, or for `intelligent` a day. */
const MINUTE = { wanted: 'YYYY-MM-DD HH:mm', pattern: /^(\d{4})-(\d\d)-(\d\d) ([01]\d|2[0-3]):[0-5]\d$/ }
const DAY = { wanted: 'YYYY-MM-DD (the strategy is intelligent)', pattern: /^(\d{4})-(\d\d)-(\d\d)$/ }

const ONCE = ['local', 'utc', 'timezone', 'intelligent'] as const

const pastTimes = () => oneOf(['ignore', 'nextDay'])
const pushStrategy = () =>
  oneOf(
    ['local', 'utc'],
    'must be one of local, utc; POST {messages_url}/v2/notifications takes the others, also recurring',
  )

/** The fields of `schedule` that only a send that repeats has. */
const RECURRING_KEYS = ['cron', 'startsAt', 'endsAt'] as const satisfies readonly (keyof Recurrence)[]

const IN_SCHEDULE = { at: ['schedule'], says: 'belongs into schedule, beside "strategy": "recurring"' }
/** The places of these fields in a request, for `judgeOfPlaces`. */
export const RECURRING_PLACES = Object.fromEntries(RECURRING_KEYS.map((key) => [key, IN_SCHEDULE]))

function judgeRepeating(schedule: Record<string, unknown>): FieldErrors {
  const given = RECURRING_KEYS.filter((key) => schedule[key] !== undefined && schedule[key] !== null)
  return Object.fromEntries(given.map((key) => [key, ['is for a send that repeats: give "strategy": "recurring"']]))
}

const onceForm = judged(
  closedShape(
    {
      sendAt: text().defined(),
      strategy: oneOf(ONCE, oneOfThese([...ONCE, 'recurring'])).defined(),
      pastTimes: pastTimes().defined(),
      timezone: text(),
    },
    // They have an answer of their own.
    RECURRING_KEYS,
  ),
  (schedule) => ({
    ...judgeSendAt(schedule.sendAt, schedule.strategy === 'intelligent' ? DAY : MINUTE),
    ...judgeZone(schedule.strategy, schedule.timezone),
    ...judgeRepeating(schedule),
  }),
)

/** `schedule` of a send at one time. */
const onceSchedule = documented(onceForm, { additionalProperties: false })

/** Characters of a rule: far more than any needs. */
const LONGEST_CRON = 255

/** `schedule` of a send that repeats. */
const recurringForm = judged(
  closedShape(
    {
      strategy: oneOf(['recurring']).defined(),
      cron: text({ max: LONGEST_CRON }).defined(),
      timezone: text().defined(),
      startsAt: text(),
      endsAt: text(),
      pastTimes: oneOf(
        ['ignore'],
        'must be ignore or absent: a time that has passed is left out, and the next one comes',
      ),
    },
    // It has an answer of its own.
    ['sendAt'],
  ),
  judgeRecurrence,
)

const recurringSchedule = documented(recurringForm, { title: 'RecurringSchedule', additionalProperties: false })

/** `schedule` of the messages host: notifications and in-app messages. */
export const messagesSchedule = either(onceSchedule, recurringSchedule, ({ strategy }) => strategy === 'recurring')

/** `schedule` of the push host's v2 form. */
export const pushSchedule = judged(
  closedShape({ sendAt: text().defined(), strategy: pushStrategy().defined(), pastTimes: pastTimes().defined() }),
  ({ sendAt }) => judgeSendAt(sendAt, MINUTE),
)

/** `schedule` of the legacy form: the field `scheduled` next to it decides which of these are required. */
export const legacySchedule = judged(
  closedShape({ sendAt: text(), strategy: pushStrategy(), pastTimes: pastTimes() }),
  ({ sendAt }) => judgeSendAt(sendAt, MINUTE),
)

/** The fields that every schedule must have. */
export const SCHEDULE_KEYS = ['sendAt', 'strategy', 'pastTimes'] as const

function judgeSendAt(sendAt: unknown, { wanted, pattern }: typeof MINUTE): FieldErrors {
  if (typeof sendAt !== 'string' || sendAt === '' || isReal(sendAt, pattern)) return {}
  return { sendAt: [`must be a real time written ${wanted}`] }
}

function judgeZone(strategy: unknown, timezone: unknown): FieldErrors {
  if (strategy === 'timezone' && timezone === undefined) return { timezone: ['is required when strategy is timezone'] }
  if (typeof timezone !== 'string' || timezone === '' || isZone(timezone)) return {}
  return { timezone: [NO_ZONE] }
}

function judgeRecurrence({ cron, timezone, startsAt, endsAt, sendAt }: Record<string, unknown>): FieldErrors {
  const bound = (name: string, value: unknown): FieldErrors =>
    Object.fromEntries(Object.values(judgeSendAt(value, MINUTE)).map((why) => [name, why]))
  const problem = typeof cron === 'string' && cron !== '' ? cronProblem(cron, timezone) : undefined
  const wrong: FieldErrors = {
    ...(problem !== undefined && { cron: [problem] }),
    ...(sendAt != null && { sendAt: ['must be absent when strategy is recurring: cron says when it is sent'] }),
    ...judgeRecurringZone(timezone),
    ...bound('startsAt', startsAt),
    ...bound('endsAt', endsAt),
  }
  if (Object.keys(wrong).length > 0 || typeof cron !== 'string' || typeof timezone !== 'string') return wrong
  if (typeof endsAt !== 'string' || cron === '') return wrong
  if (typeof startsAt === 'string' && wallOf(startsAt) >= wallOf(endsAt)) {
    return { endsAt: ['must be later than startsAt'] }
  }
  const rule = { cron, timezone, startsAt: typeof startsAt === 'string' ? startsAt : undefined, endsAt }
  return comesAtAll(rule) ? {} : { cron: ['does not come between startsAt and endsAt: choose other times or days'] }
}

function judgeRecurringZone(timezone: unknown): FieldErrors {
  if (typeof timezone !== 'string' || timezone === '' || timezone === EACH_ZONE || isZone(timezone)) return {}
  return { timezone: [`${NO_ZONE}, or local`] }
}

function isReal(value: string, pattern: RegExp): boolean {
  const match = pattern.exec(value)
  if (!match) return false
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number)
  const date = new Date(0)
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** A checked `schedule` of any form; undefined when there is none. */
export function fromScheduleForm(form: Infer<typeof onceSchedule> | undefined): Schedule | undefined {
  if (form === undefined) return undefined
  const { sendAt, strategy, pastTimes, timezone } = form
  // The form requires `timezone` for this strategy; other strategies ignore it.
  return strategy === 'timezone'
    ? { strategy, sendAt, pastTimes, timezone: timezone! }
    : { strategy, sendAt, pastTimes }
}

/** Checks that a request has `schedule` or `intelligentDelivery`, not both, and no other form's words for a time. */
export function judgeDeliveryTime(body: Record<string, unknown>): FieldErrors {
  const { schedule, intelligentDelivery, scheduled } = body
  if (intelligentDelivery === true) {
    const why = ['schedule and intelligentDelivery exclude each other: give one of them']
    return { ...misplacedTime(body), ...(schedule !== undefined && { schedule: why, intelligentDelivery: why }) }
  }
  return { ...misplacedTime(body), ...missingTime(scheduled, schedule) }
}

/**
 * Refuses fields with which another form of a request says when it is sent. Unknown fields are ignored, but ignoring
 * one of these would send a scheduled push at once. For the forms without `intelligentDelivery`.
 */
export function judgeOtherTimes(body: Record<string, unknown>): FieldErrors {
  const { intelligentDelivery, scheduled, schedule } = body
  const isAsked = intelligentDelivery !== undefined && intelligentDelivery !== null && intelligentDelivery !== false
  const why =
    'is not a field of this form, which would send at once: use POST {messages_url}/v2/notifications, or give a schedule'
  return {
    ...misplacedTime(body),
    ...missingTime(scheduled, schedule),
    ...(isAsked && { intelligentDelivery: [why] }),
  }
}

function misplacedTime({ sendAt }: Record<string, unknown>): FieldErrors {
  if (sendAt === undefined || sendAt === null) return {}
  return { sendAt: ['must be inside schedule, together with strategy and pastTimes: here it would be sent at once'] }
}

function missingTime(scheduled: unknown, schedule: unknown): FieldErrors {
  return scheduled === true && schedule === undefined ? { schedule: ['is required when scheduled is true'] } : {}
}

/** A checked request of the messages host, as far as its time is concerned. */
interface TimedForm {
  schedule?: Infer<typeof messagesSchedule> | undefined
  intelligentDelivery?: boolean | undefined
}

/** The time of a checked request of the messages host: neither of the two means at once. */
export function deliveryTimeOf({ schedule, intelligentDelivery }: TimedForm): {
  schedule?: Schedule | undefined
  recurrence?: Recurrence | undefined
} {
  if (intelligentDelivery) return { schedule: { strategy: 'preferredHour' } }
  if (schedule?.strategy !== 'recurring') return { schedule: fromScheduleForm(schedule) }
  const { cron, timezone, startsAt, endsAt } = schedule
  return { recurrence: { cron, timezone, startsAt, endsAt } }
}
