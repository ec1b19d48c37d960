import type { FieldErrors } from '../../platform/errors.ts'
import { isZone } from '../../platform/time/zones.ts'
import { closedShape, type Infer, judged, oneOf, text } from '../../platform/values/parse.ts'
import type { Schedule } from './schedule.ts'

/** The form of `sendAt`: a minute, or for `intelligent` a day. */
const MINUTE = { wanted: 'YYYY-MM-DD HH:mm', pattern: /^(\d{4})-(\d\d)-(\d\d) ([01]\d|2[0-3]):[0-5]\d$/ }
const DAY = { wanted: 'YYYY-MM-DD (the strategy is intelligent)', pattern: /^(\d{4})-(\d\d)-(\d\d)$/ }

const pastTimes = () => oneOf(['ignore', 'nextDay'])
const pushStrategy = () => oneOf(['local', 'utc'])

/** `schedule` of the messages host: notifications and in-app messages. */
export const messagesSchedule = judged(
  closedShape({
    sendAt: text().defined(),
    strategy: oneOf(['local', 'utc', 'timezone', 'intelligent']).defined(),
    pastTimes: pastTimes().defined(),
    timezone: text(),
  }),
  ({ sendAt, strategy, timezone }) => ({
    ...judgeSendAt(sendAt, strategy === 'intelligent' ? DAY : MINUTE),
    ...judgeZone(strategy, timezone),
  }),
)

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
  return { timezone: ['must be an IANA time zone name such as Europe/Berlin'] }
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
export function fromScheduleForm(form: Infer<typeof messagesSchedule> | undefined): Schedule | undefined {
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
 * one of these would send at once what should wait. For the forms without `intelligentDelivery`.
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

/** When a checked request of the messages host is due; undefined means at once. */
export function deliveryTimeOf(form: {
  schedule?: Infer<typeof messagesSchedule> | undefined
  intelligentDelivery?: boolean | undefined
}): Schedule | undefined {
  return form.intelligentDelivery ? { strategy: 'preferredHour' } : fromScheduleForm(form.schedule)
}
