import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { documented, jsonObject } from '../../platform/values/parse.ts'
import { CALLED_OFF, SEND_STATUS } from '../audience/sends.ts'
import type { Recurrence } from './recurrence.ts'
import type { Schedule } from './schedule.ts'

/** Edits of a scheduled send, a notification or an in-app message. Pure, but for `orUndefined`. */

/** Keys of a request that an edit gives: each replaces the stored one whole, and null takes one out. */
export type Edit = Record<string, unknown>

/** Keys of the request that an edit replaces. The form of a request checks the whole that comes of it. */
export const editForm = documented(jsonObject().required(), {
  type: 'object',
  additionalProperties: true,
  description: 'Keys of the request; null takes one out',
})

/** The keys that say when it is sent. They answer one question, so naming one takes the place of the other. */
const WHEN = ['schedule', 'intelligentDelivery'] as const
/** The keys that change neither what is sent nor to whom. */
const TIMING = [...WHEN, 'ttl', 'confirm', 'labels']
/** Keys that are named in a refusal. */
const MOST_NAMED = 20

/** The edit that sends it at once: neither a schedule nor the hour of each person. */
export const SEND_NOW: Edit = { schedule: null, intelligentDelivery: null }

/** The remedy that refusals name. */
export const AGAIN = 'send another one'

/** Tells whether an edit names one of these keys. */
export const isIn = (edit: Edit, keys: readonly string[]): boolean => keys.some((key) => Object.hasOwn(edit, key))

/** Tells whether an edit names the time. */
export const changesTime = (edit: Edit): boolean => isIn(edit, WHEN)

/** Tells whether an edit has keys besides those of the time and these. */
export const hasMoreThanTime = (edit: Edit, besides: readonly string[]): boolean =>
  Object.keys(edit).some((key) => !TIMING.includes(key) && !besides.includes(key))

/** The time of a stored send as its form takes it. */
export function timeOf(schedule: Schedule | null): Edit {
  if (schedule === null) return {}
  if (schedule.strategy === 'preferredHour') return { intelligentDelivery: true }
  const { strategy, sendAt, pastTimes } = schedule
  return { schedule: { strategy, sendAt, pastTimes, ...('timezone' in schedule && { timezone: schedule.timezone }) } }
}

/** The form of a send that is edited. */
interface EditedForm {
  keys: readonly string[]
  /** The name of the send in a refusal. */
  what: string
  /** The keys of the form that stand in the wrong place. */
  misplaced(edit: Edit): FieldErrors
}

/**
 * The body of a stored send with the keys of an edit in it. A target that the edit leaves alone may be of another form: everybody stands for
 * it, to whom nothing is sent by this body. Throws `invalid` for keys that a request does not have: ignored, they would promise what does
 * not happen.
 */
export function editedBody(stored: Edit, edit: Edit, { keys, what, misplaced }: EditedForm): Edit {
  const foreign = Object.keys(edit).filter((key) => !keys.includes(key))
  if (foreign.length > 0) {
    const why = `is no key of the request of ${what} (${keys.join(', ')})`
    const errors: FieldErrors = Object.fromEntries(foreign.slice(0, MOST_NAMED).map((key) => [key, [why]]))
    throw invalid({ ...errors, ...misplaced(edit) })
  }
  // False names no time: it takes the hour of each person out, as null does, and leaves a schedule alone.
  const isTimed = WHEN.some((key) => edit[key] != null && edit[key] !== false)
  const before = isTimed
    ? Object.entries(stored).filter(([key]) => !isIn({ [key]: null }, WHEN))
    : Object.entries(stored)
  const whole = Object.entries({ ...Object.fromEntries(before), ...edit }).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(whole), ...(!isIn(edit, ['target']) && { target: { broadcast: true } }) }
}

/** Throws `invalid` for an edit that would make a send repeat. */
export function refuseSeries({ recurrence }: { recurrence?: Recurrence | undefined }): void {
  if (!recurrence) return
  const why = 'must not be recurring: a scheduled send does not become a series. Cancel it, and send one that repeats'
  throw invalid({ 'schedule.strategy': [why] })
}

/** The refusal of a time at which nobody would get it: somebody who edits a send means it to be sent. */
export const passedEverywhere = (): AppError =>
  invalid({ 'schedule.sendAt': ['has passed everywhere: choose a later time, or null to send it now'] })

/** The reason why no send is edited while nothing is sent from the database. */
export const HELD =
  'cannot be edited: nothing is sent from this database until it is released: appsvc release, then edit it'

/** A stored send as far as it says that it is over, or under way. */
interface Closable {
  status: number
  schedule: Schedule | null
  seriesId: number | null
}

/** The reason why a send cannot be edited, whatever its times are; undefined where there is none. */
export function closedBy(
  { status, schedule, seriesId }: Closable,
  { calledOff, callOff }: { calledOff: 'cancelled' | 'withdrawn'; callOff: 'cancel' | 'withdraw' },
): string | undefined {
  if (status === CALLED_OFF) return `was ${calledOff} and cannot be edited: ${AGAIN}`
  if (status === SEND_STATUS.failed) return `is finished and cannot be edited, nobody could be reached: ${AGAIN}`
  if (status === SEND_STATUS.sent) return `was sent and cannot be edited: ${AGAIN}`
  if (seriesId !== null) {
    return `is one time of series ${seriesId} and cannot be edited by itself: change the series (PATCH /v1/series/${seriesId}), or ${callOff} this time`
  }
  return schedule === null ? 'is not scheduled and cannot be edited: it is being sent' : undefined
}

/** The result of `work`; undefined where it refuses: what is wrong is for the edit to say. */
export async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
