import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import { fieldNames, parseJson } from '../../../platform/values/parse.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { fromMessagesForm, messagesForm } from '../request/messages.ts'
import type { NotificationRequest } from '../request/request.ts'
import type { NotificationRecord } from '../types.ts'

/** Keys of a request that an edit gives: each replaces the stored one whole, and null takes one out. */
export type Edit = Record<string, unknown>

const KEYS = fieldNames(messagesForm)
/** The keys that say when it is sent. They answer one question, so naming one takes the place of the other. */
const WHEN = ['schedule', 'intelligentDelivery'] as const
/** The keys that change neither what is sent nor to whom. */
const TIMING: readonly string[] = [...WHEN, 'ttl', 'rateLimit', 'confirm', 'labels']
/** The keys that make the stored content. */
const CONTENT = ['content', 'collapseId', 'runBackgroundHandler', 'ios', 'android', 'buttons', 'personalize', 'lookup']
/** Keys that are named in a refusal. */
const MOST_NAMED = 20

const isIn = (edit: Edit, keys: readonly string[]) => keys.some((key) => Object.hasOwn(edit, key))

/** Tells whether an edit changes what is sent or to whom. Pure. */
export function changesMoreThanTime(edit: Edit): boolean {
  return Object.keys(edit).some((key) => !TIMING.includes(key))
}

/** The remedy for people in an app in which a second person approves what is sent. */
export const ASK_AGAIN = 'its time can be changed; to change more, cancel it and ask for approval of another one'

/** The edit that sends it at once: neither a schedule nor the hour of each person. */
export const SEND_NOW: Edit = { schedule: null, intelligentDelivery: null }

/** The time of a stored notification as its form takes it. Pure. */
export function timeOf(schedule: Schedule | null): Edit {
  if (schedule === null) return {}
  if (schedule.strategy === 'preferredHour') return { intelligentDelivery: true }
  const { strategy, sendAt, pastTimes } = schedule
  return { schedule: { strategy, sendAt, pastTimes, ...('timezone' in schedule && { timezone: schedule.timezone }) } }
}

/** The body of a stored notification with the keys of an edit in it. Pure. */
function mergedBody(stored: Edit, edit: Edit): Edit {
  // False names no time: it takes the hour of each person out, as null does, and leaves a schedule alone.
  const isTimed = WHEN.some((key) => edit[key] != null && edit[key] !== false)
  const before = isTimed
    ? Object.entries(stored).filter(([key]) => !isIn({ [key]: null }, WHEN))
    : Object.entries(stored)
  return Object.fromEntries(
    Object.entries({ ...Object.fromEntries(before), ...edit }).filter(([, value]) => value !== null),
  )
}

/**
 * The request that comes of an edit, checked as one that is new. `stored` is the body of the notification. What the edit leaves alone
 * stays as it is stored, also where this form cannot say it: a targeting of several groups, the push template that it was made of.
 * Throws `invalid` for a key that a request does not have, and for one that makes it repeat. Pure.
 */
export function editedRequest(
  { content, filters }: Pick<NotificationRecord, 'content' | 'filters'>,
  stored: Edit,
  edit: Edit,
): NotificationRequest {
  refuseForeign(edit)
  const isAimed = isIn(edit, ['target'])
  // A target of another form is not one of this form; nobody is sent to by this one.
  const body = { ...mergedBody(stored, edit), ...(!isAimed && { target: { broadcast: true } }) }
  const request = fromMessagesForm(parseJson(messagesForm, body))
  if (request.recurrence) {
    const why = 'must not be recurring: a scheduled send does not become a series. Cancel it, and send one that repeats'
    throw invalid({ 'schedule.strategy': [why] })
  }
  return {
    ...request,
    ...(!isAimed && { targeting: filters }),
    content: contentOf(content, request, edit),
  }
}

/** The content of the request, or the stored one where the edit leaves it alone. */
function contentOf(stored: NotificationRecord['content'], { content }: NotificationRequest, edit: Edit) {
  if (!isIn(edit, CONTENT)) return stored
  const { template } = stored
  return isIn(edit, ['content']) || template === undefined ? content : { ...content, template }
}

/** Throws `invalid` for keys that a request does not have: ignored, they would promise what does not happen. */
function refuseForeign(edit: Edit): void {
  const foreign = Object.keys(edit).filter((key) => !KEYS.includes(key))
  if (foreign.length === 0) return
  const why = `is no key of the request of a notification (${KEYS.join(', ')})`
  const errors: FieldErrors = Object.fromEntries(foreign.slice(0, MOST_NAMED).map((key) => [key, [why]]))
  throw invalid(errors)
}
