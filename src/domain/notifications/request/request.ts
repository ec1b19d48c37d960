import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject, isStorable } from '../../../platform/json/json.ts'
import { addressOrPath, checked, documented, flag, integer, jsonData, judged } from '../../../platform/values/parse.ts'
import { confirmField } from '../../apps/schema.ts'
import { namedOnly, type Targeting } from '../../audience/target.ts'
import { consentFields } from '../../consent/schema.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import { labelsField } from '../../labels/schema.ts'
import { templateAddress } from '../../personalization/request/schema.ts'
import type { OccurrenceOf, Recurrence } from '../../schedules/recurrence.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import type { StoredContent } from '../types.ts'

/** The request that every form is converted to. */
export interface NotificationRequest {
  targeting: Targeting
  content: StoredContent
  /** Keyed by user identifier. */
  userMeta?: Record<string, unknown>
  reportingMeta?: Record<string, unknown>
  /** Short words by which lists and reports find it, as they are stored. */
  labels?: string[]
  /** Absent means at once, or as `recurrence` says. */
  schedule?: Schedule
  /** The rule by which it repeats. Such a request makes a series (src/domain/series), never a push by itself. */
  recurrence?: Recurrence
  /** The series of which it is an occurrence. */
  occurrence?: OccurrenceOf
  /** Time to live in seconds, from each due time; absent means the setting `delivery.ttl`. */
  ttl?: number
  /** Recipients per second, over all gateways; absent means no limit. */
  rateLimit?: number
  /** The maximum number of recipients that the caller expects. */
  confirm?: number
  /** Milliseconds for which nothing is sent, so that it can be called off; without a schedule. Absent means none. */
  holdMs?: number
  /** The purpose of the push, and whether it overrides restraint; absent: none, and it does not. */
  consent?: ConsentOfSend
  /** True when somebody sends it to see how it looks; absent means no. */
  isTest?: boolean
  /** The path at which the caller wrote the content: the key in the 422 response when it is too large. */
  contentPath: string
  /** The path at which the caller wrote the targeting: `target.`, or nothing. */
  targetPath?: string
  /** Present until the content of the push template that it names is there. Title and message may be missing until then. */
  unfinished?: Unfinished
}

/** The parts of a body that a push template holds, by the names that bodies of the messages host have. */
export interface PushTemplateBody {
  content: Record<string, unknown>
  personalize?: Record<string, unknown>
  lookup?: Record<string, unknown>
  ios?: Record<string, unknown>
  android?: Record<string, unknown>
  buttons?: unknown[]
}

/** The missing part of a request that names a push template. */
export interface Unfinished {
  uid: string
  /** The path at which the caller named it. */
  path: string
  /** The body of the caller with the template under it. */
  bodyWith(template: PushTemplateBody): Record<string, unknown>
  /** The request of that body. Throws `invalid` when the two do not go together. */
  finish(template: PushTemplateBody): NotificationRequest
}

/** Names in a request that is taken in together with others. */
const FEW = 100

/** Tells whether a request is taken in quickly and without a lock: it names a few installs and users, who get it at once. */
export function isSmall({ targeting, schedule, recurrence, consent, userMeta = {} }: NotificationRequest): boolean {
  const named = namedOnly(targeting) ?? Infinity
  return (
    schedule === undefined &&
    recurrence === undefined &&
    consent?.purpose == null &&
    named + Object.keys(userMeta).length <= FEW
  )
}

/** FCM keeps a message for at most four weeks; no other gateway keeps it longer. */
const MAX_TTL_SECONDS = 2_419_200

/** No gateway accepts more per second; the column could hold 2^31 - 1. */
const MAX_RATE = 1_000_000

/** Extensions of ours, at the top level of every form. */
export const extensionFields = {
  ttl: integer({ min: 0, max: MAX_TTL_SECONDS }),
  /** Recipients per second. */
  rateLimit: integer({ min: 1, max: MAX_RATE }),
  confirm: confirmField(),
  isTest: flag(),
  labels: labelsField(),
  ...consentFields,
}

/** The app's own data. In the payload it shares an object with the SDK's data, whose names begin with `k.`. */
export function dataField() {
  return judged(jsonData().nullable(), (data) => {
    const reserved = Object.keys(data).filter((key) => key.startsWith('k.'))
    return Object.fromEntries(
      reserved.map((key) => [key, ['is reserved for the SDK: choose a name without k. in front']]),
    )
  })
}

/** The address that a click opens: an absolute URL, or a path on the app's website, whose URL is a setting of the safari gateway. */
export function urlField() {
  const description = 'An absolute URL, or a path such as /sale?x=1: it goes on from siteUrl of the safari gateway'
  return documented(templateAddress(addressOrPath()), { format: 'uri-reference', description })
}

/** The field in which the caller of a form wrote that URL. */
export function urlPathOf({ contentPath }: Pick<NotificationRequest, 'contentPath'>): string {
  return contentPath === 'content' ? 'content.url' : 'url'
}

/** Metadata keyed by user identifier. */
export function userMetaField() {
  const schema = checked<Record<string, unknown>>((value) => {
    if (!isPlainObject(value)) return { '': ['must be an object keyed by user identifier'] }
    const wrong = Object.keys(value).filter((key) => key === '' || !isStorable(key) || Array.from(key).length > 255)
    const shown = wrong.slice(0, 3).map((key) => JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key))
    return wrong.length > 0
      ? { '': [`has keys that are not user identifiers (1 to 255 characters): ${shown.join(', ')}`] }
      : {}
  })
  return documented(schema, { type: 'object', description: 'Keyed by user identifier' })
}

/** Errors for a required block that is absent: for the block itself and for each of its required fields. */
export function missingBlock(
  given: Record<string, unknown>,
  block: string,
  keys: readonly string[],
  why = 'is required',
): FieldErrors {
  if (given[block] !== undefined) return {}
  return Object.fromEntries([block, ...keys.map((key) => `${block}.${key}`)].map((path) => [path, [why]]))
}

/**
 * Title and message may be empty only in a background notification, which shows nothing, in each language. `prefix` is where they are.
 */
export function emptyTexts(content: unknown, background: unknown, prefix: string): FieldErrors {
  if (background === true) return {}
  const empty = saidIn(content, prefix).flatMap(([at, said]) =>
    ['title', 'message'].flatMap((key) => (said[key] === '' ? [`${at}${key}`] : [])),
  )
  return Object.fromEntries(empty.map((path) => [path, ['must not be empty']]))
}

/** A content and its language variants, each with the path at which its texts are. */
function saidIn(content: unknown, prefix: string): [at: string, said: Record<string, unknown>][] {
  if (!isPlainObject(content)) return []
  if (!isPlainObject(content.languages)) return [[prefix, content]]
  const named = Object.entries(content.languages).map(([tag, one]): [string, unknown] => [
    `${prefix}languages.${tag}.`,
    one,
  ])
  return [[prefix, content], ...named].flatMap(([at, said]): [string, Record<string, unknown>][] =>
    isPlainObject(said) ? [[at as string, said]] : [],
  )
}

/** Tells whether somebody would get no text at all, in whichever language, whatever the types are. */
export function saysNothing(content: unknown): boolean {
  return saidIn(content, '').some(([, { title, message }]) => title === '' && message === '')
}
