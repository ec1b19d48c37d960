import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { isPlainObject, type SizeLimit, sizeProblem } from '../../platform/json.ts'
import { shortText, wholeNumber } from '../../platform/lenient.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import { CRM_EVENTS } from './event-types.ts'
import type { DeviceEvent, RefusedEvent } from './types.ts'

/**
 * Most events of one upload. Device SDKs send at most 100 (docs/reference/device-protocol.md section 4). One transaction handles the whole batch:
 * 1000 plain events take some 30 ms, 1000 that all change the user half a second, in which nobody else writes on SQLite.
 */
export const LARGEST_BATCH = 1000

/** The last moment that a JavaScript date can be. */
const LATEST = 8.64e15

/** The good events of a batch with their places, and the others. */
export interface ReadBatch {
  events: { index: number; event: DeviceEvent }[]
  refused: RefusedEvent[]
  /** Of the good ones, those that are taken without a part; absent when there are none. */
  trimmed?: RefusedEvent[]
}

/** How large what an event says may be. */
export interface EventLimits {
  event: SizeLimit
  attributes: SizeLimit
  /** Of a crash report, which is taken out of its event. */
  crash: SizeLimit
}

/** The limits of size, and what the whole body had in bytes where that is known: then small ones need not be measured. */
export interface Sizing {
  limits?: EventLimits | undefined
  size?: number | undefined
}

/** What one install sent, checked. */
export interface Upload {
  installId: string
  batch: ReadBatch
}

/** `readBatch`, and throws `invalid` for an install id that cannot be stored. */
export function readUpload(installId: string, body: unknown, sizing?: Sizing): Upload {
  const batch = readBatch(body, sizing)
  if (!isIdentifier(installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
  return { installId, batch }
}

/**
 * The body of an upload -> its events, each judged alone: devices resend a refused batch for ever, so one bad event must not take
 * the others with it (docs/reference/device-protocol.md section 4, "poison rule"), nor one that is too large. Throws `invalid` for a body that is no array at all, `too_large`
 * for more than `LARGEST_BATCH` events.
 */
export function readBatch(body: unknown, { limits, size = Infinity }: Sizing = {}): ReadBatch {
  if (!Array.isArray(body)) throw invalid({ '': ['must be an array of events'] })
  if (body.length > LARGEST_BATCH) throw new AppError('too_large', `send at most ${LARGEST_BATCH} events at once`)
  const batch: ReadBatch = { events: [], refused: [] }
  for (const [index, value] of body.entries()) {
    const read = readEvent(value)
    if ('errors' in read) batch.refused.push({ index, errors: read.errors })
    else batch.events.push({ index, event: read.event })
  }
  return limits && size * MOST_GROWTH > Math.min(limits.event.bytes, limits.attributes.bytes)
    ? withoutLarge(batch, limits)
    : batch
}

/** JSON that we write has at most so many times the bytes of what was read: `1e20` becomes 21 digits. */
const MOST_GROWTH = 6

function withoutLarge({ events, refused }: ReadBatch, limits: EventLimits): ReadBatch {
  const small: ReadBatch['events'] = []
  const large: RefusedEvent[] = []
  const trimmed: RefusedEvent[] = []
  for (const { index, event } of events) {
    const fitted = fit(event, limits)
    const { errors } = fitted
    if ('event' in fitted) small.push({ index, event: fitted.event })
    if (errors) ('event' in fitted ? trimmed : large).push({ index, errors })
  }
  refused = [...refused, ...large].sort((a, b) => a.index - b.index)
  return { events: small, refused, ...(trimmed.length > 0 && { trimmed }) }
}

/**
 * An event whose data are small enough, or what is too large. A crash report has a limit of its own, because it is not kept in the
 * event. An association is taken without attributes that are too large: else what comes next for one person would reach another.
 */
function fit(
  event: DeviceEvent,
  limits: EventLimits,
): { event: DeviceEvent; errors?: FieldErrors } | { errors: FieldErrors } {
  const { type, data } = event
  if (data === null) return { event }
  const problem = sizeProblem(data, limits.event)
  if (type === CRM_EVENTS.userAssociated && isPlainObject(data.attributes)) {
    const { attributes, ...rest } = data
    const tooLarge = sizeProblem(attributes, limits.attributes) ?? problem
    if (tooLarge === undefined) return { event }
    if (sizeProblem(rest, limits.event) === undefined) {
      return { event: { ...event, data: rest }, errors: { 'data.attributes': [tooLarge] } }
    }
  }
  if (problem === undefined) return { event }
  if (type === CRASH && data.report !== undefined) {
    const { report, ...rest } = data
    const tooLarge = sizeProblem(isPlainObject(report) ? report : { text: report }, limits.crash)
    if (tooLarge !== undefined) return { errors: { 'data.report': [tooLarge] } }
    if (sizeProblem(rest, limits.event) === undefined) return { event }
  }
  return { errors: { data: [problem] } }
}

/** The event that crashes come in; its handler takes the report out of it. */
const CRASH = 'k.crash.loggedException'

/** One envelope (docs/reference/device-protocol.md section 4). Numbers may be strings; what else a client adds is ignored. */
export function readEvent(value: unknown): { event: DeviceEvent } | { errors: FieldErrors } {
  if (!isPlainObject(value)) return { errors: { '': ['must be an object'] } }
  const errors: FieldErrors = {}
  const { type, uuid, timestamp, data = null, userId = null } = value
  if (!isIdentifier(type)) errors.type = [type == null ? 'is required' : IDENTIFIER_RULE]
  if (!isIdentifier(uuid)) errors.uuid = [uuid == null ? 'is required' : IDENTIFIER_RULE]
  const at = wholeNumber(timestamp)
  if (at === null || at < 0 || at > LATEST) {
    errors.timestamp = [timestamp == null ? 'is required' : 'must be milliseconds since 1970']
  }
  if (data !== null && !isPlainObject(data)) errors.data = ['must be an object or null']
  const user = userOf(userId)
  if (user === null) errors.userId = [IDENTIFIER_RULE]
  if (Object.keys(errors).length > 0) return { errors }
  return {
    event: {
      type: type as string,
      uuid: uuid as string,
      at: at!,
      data: data as DeviceEvent['data'],
      userIdentifier: user ?? undefined,
    },
  }
}

/** undefined: not said (old Android rows); null: unusable. */
function userOf(value: unknown): string | undefined | null {
  if (value === null || value === '') return undefined
  if (typeof value === 'number') return shortText(value)
  return isIdentifier(value) ? value : null
}
