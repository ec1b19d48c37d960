import { AppError, isAppError, messageOf } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { isZone } from '../../platform/time/zones.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import { withoutEmpty } from '../audience/target.ts'
import { EACH_ZONE, type Recurrence, readRecurrence } from '../schedules/recurrence.ts'
import type { Series } from './types.ts'

/** The reasons for which a series cannot go on, in words that tell an operator what happened and what to do. Pure. */

/** Wrong fields that are named, and the length of the whole. */
const MOST_FIELDS = 3
const LONGEST_WHY = 500

/** The sentence of a target, and of a send, about something that the app does not have. */
const GONE = /^there is no (segment|channel|geofence|purpose|template) ("[^"]*"|\d+)/

/** The reason why the request of a series was refused, in one line. */
export function whyOf(error: unknown): string {
  const fields = isAppError(error) ? Object.entries(error.details.fields ?? {}) : []
  const named = fields.slice(0, MOST_FIELDS).map(([path, problems]) => inWords(path, problems.join(', ')))
  return (named.length > 0 ? named.join('; ') : (gone(messageOf(error)) ?? messageOf(error))).slice(0, LONGEST_WHY)
}

function inWords(path: string, problem: string): string {
  const what = gone(problem)
  return what === undefined ? `${path} ${problem}`.trim() : `${what} (${path})`
}

function gone(problem: string): string | undefined {
  const [, what, name] = GONE.exec(problem) ?? []
  return what === undefined ? undefined : `its ${what} ${name} is gone: make it again, or name another one`
}

/** The rule of a series. Throws `conflict` for a time zone that is not known any more, and `Unreadable`. */
export function ruleOf({ id, request }: Pick<Series, 'id' | 'request'>): Recurrence {
  const { schedule } = request
  const rule = readRecurrence(schedule)
  if (rule) return rule
  const zone = isPlainObject(schedule) ? schedule.timezone : undefined
  if (typeof zone === 'string' && zone !== EACH_ZONE && !isZone(zone)) {
    const named = JSON.stringify(zone)
    throw new AppError('conflict', `its time zone ${named} is not known any more: choose another one in its schedule`)
  }
  throw new Unreadable(`the schedule of series ${id}`, 'change it, or end it')
}

/**
 * Throws `conflict` for a series whose request named only people who were erased since. Only an erasure leaves an empty list: no
 * request is accepted with one.
 */
export function refuseErased({ request: { target } }: Pick<Series, 'request'>): void {
  if (!isPlainObject(target)) return
  const { excludeInstallIds: _, ...left } = withoutEmpty(target)
  const emptied = ['userIds', 'installIds'].some((field) => Array.isArray(target[field]))
  if (!emptied || Object.keys(left).length > 0) return
  throw new AppError('conflict', 'everybody whom it named was erased: name others in its target, or end it')
}
