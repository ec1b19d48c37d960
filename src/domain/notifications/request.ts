import { type FieldErrors, invalid } from '../../platform/errors.ts'
import { checked, integer, isPlainObject, isStorable } from '../../platform/parse.ts'
import type { Targeting } from '../audience/target.ts'
import type { StoredContent } from './types.ts'

/** What every form of a request comes down to. */
export interface NotificationRequest {
  targeting: Targeting
  content: StoredContent
  /** Keyed by user identifier. */
  userMeta?: Record<string, unknown>
  reportingMeta?: Record<string, unknown>
  /** Seconds after which it is not worth sending; absent means the setting `delivery.ttl`. */
  ttl?: number
  /** Where the caller wrote the content: the key of the 422 when it is too large. */
  contentPath: string
}

/** FCM keeps a message for four weeks at most; the other gateways take no longer either. */
const LONGEST_TTL_SECONDS = 2_419_200

/** Extensions of ours that every form takes at its top level. */
export const extensionFields = {
  ttl: integer({ min: 0, max: LONGEST_TTL_SECONDS }),
  /** Recipients per second. */
  rateLimit: integer({ min: 1 }),
}

/** Metadata keyed by user identifier. */
export function userMetaField() {
  return checked<Record<string, unknown>>((value) => {
    if (!isPlainObject(value)) return { '': ['must be an object keyed by user identifier'] }
    const wrong = Object.keys(value).filter((key) => key === '' || !isStorable(key) || Array.from(key).length > 255)
    const shown = wrong.slice(0, 3).map((key) => JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key))
    return wrong.length > 0
      ? { '': [`has keys that are no user identifiers (1 to 255 characters): ${shown.join(', ')}`] }
      : {}
  })
}

/** Required keys of a block that is absent as a whole, named one by one next to the block itself. */
export function missingBlock(
  given: Record<string, unknown>,
  block: string,
  keys: readonly string[],
  why = 'is required',
): FieldErrors {
  if (given[block] !== undefined) return {}
  return Object.fromEntries([block, ...keys.map((key) => `${block}.${key}`)].map((path) => [path, [why]]))
}

/** Title and message may be empty only when nothing is to be seen; `prefix` is where they are. */
export function emptyTexts(content: unknown, background: unknown, prefix: string): FieldErrors {
  if (background === true || !isPlainObject(content)) return {}
  const empty = ['title', 'message'].filter((key) => content[key] === '')
  return Object.fromEntries(empty.map((key) => [`${prefix}${key}`, ['must not be empty']]))
}

/** Why a request that is right in itself cannot be taken: for each of these keys that has a value. */
export function unavailableFields(given: Record<string, unknown>): FieldErrors {
  const reasons: Record<string, string> = {
    schedule: 'omit it to send at once',
    scheduled: 'omit it to send at once',
    intelligentDelivery: 'omit it to send at once',
    rateLimit: 'omit it to send as fast as the gateways take it',
  }
  const used = Object.keys(reasons).filter((key) => given[key] !== undefined && given[key] !== false)
  return Object.fromEntries(used.map((key) => [key, [`is not available in this version: ${reasons[key]}`]]))
}

/** Throws `invalid` when there is something in `errors`. */
export function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The fields that have a value. */
export function present<T extends object>(fields: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>
}
