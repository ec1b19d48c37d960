import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { isPlainObject, type SizeLimit, sizeProblem, unkeptErrors } from '../../../platform/json/json.ts'
import { byItem, type Unkept } from '../../../platform/json/numbers.ts'
import { shortText, wholeNumber } from '../../../platform/values/lenient.ts'
import { ID_NUMBER_RULE, IDENTIFIER_RULE, isIdentifier, isWrongIdNumber } from '../../crm/schema.ts'
import { CRM_EVENTS, EVENT_TYPES, type EventType } from '../event-types.ts'
import type { DeviceEvent, RefusedEvent } from '../types.ts'

/**
 * Maximum number of events of one upload. Device SDKs send at most 100 (docs/reference/device-protocol.md section 4).
 * One transaction handles the whole batch: 1000 plain events take about 30 ms; 1000 events that all change the user
 * take half a second, during which nobody else can write on SQLite.
 */
export const MAX_BATCH = 1000

/** The latest time that a JavaScript date can hold. */
const MAX_TIME = 8.64e15

/** The valid events of a batch with their positions, and the refused ones. */
export interface ReadBatch {
  events: { index: number; event: DeviceEvent }[]
  refused: RefusedEvent[]
  /** Valid events of which a part was left out; absent when there are none. */
  trimmed?: RefusedEvent[]
}

/** Limits for the parts of an event. */
export interface EventLimits {
  event: SizeLimit
  attributes: SizeLimit
  /** Limit for a crash report, which is removed from its event. */
  crash: SizeLimit
}

/**
 * The size limits, the size of the whole body in bytes if it is known (small bodies need not be measured), and the
 * numbers of the body that are not kept.
 */
export interface Sizing {
  limits?: EventLimits | undefined
  size?: number | undefined
  unkept?: readonly Unkept[] | undefined
}

/** The events that one install sent, checked. */
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
 * Checks each event of an upload on its own. Devices resend a refused batch for ever, so an event that is invalid or
 * too large must not prevent the others from being stored (docs/reference/device-protocol.md section 4, "poison rule").
 * Throws `invalid` for a body that is not an array, `too_large` for more than `MAX_BATCH` events.
 */
export function readBatch(body: unknown, { limits, size = Infinity, unkept = [] }: Sizing = {}): ReadBatch {
  if (!Array.isArray(body)) throw invalid({ '': ['must be an array of events'] })
  if (body.length > MAX_BATCH) throw new AppError('too_large', `send at most ${MAX_BATCH} events at once`)
  const batch: ReadBatch = { events: [], refused: [] }
  const numbers = byItem(unkept)
  for (const [index, value] of body.entries()) {
    const read = readEvent(value, numbers.get(index))
    if ('errors' in read) batch.refused.push({ index, errors: read.errors })
    else batch.events.push({ index, event: read.event })
  }
  return limits && size * MAX_GROWTH > Math.min(limits.event.bytes, limits.attributes.bytes)
    ? withoutLarge(batch, limits)
    : batch
}

/** Serialized JSON is at most this many times as long as the JSON that was read: `1e20` becomes 21 digits. */
const MAX_GROWTH = 6

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
 * The event if its data are small enough; otherwise what is too large. A crash report has its own limit, because it is
 * not stored in the event. When attributes are too large, the association is stored without them: if it were refused,
 * the install would keep its previous user, and later messages for one person would reach another.
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

/** The event that carries a crash. Its handler removes the report from it. */
const CRASH = 'k.crash.loggedException'

const TYPES = new Map<unknown, EventType>(Object.entries(EVENT_TYPES))

/** The field of the data of a type that names a user, and without whom the event has no effect. */
function namesUserIn(type: unknown): string | undefined {
  const known = TYPES.get(type)
  return known?.needsNamedUser ? known.namesUser : undefined
}

/**
 * Errors for numbers of an event that JavaScript cannot keep. A number that came as text is right in the event's data, but not
 * in a field that names something: the device has more digits than we read, and its SDK sends text.
 */
function numberErrors(names: string | undefined, unkept: readonly Unkept[]): FieldErrors {
  const isName = ({ at }: Unkept) => at.length === 1 || (at.length === 2 && at[0] === 'data' && at[1] === names)
  return unkeptErrors(unkept.filter((one) => !one.isText || isName(one)))
}

/**
 * Checks one event (docs/reference/device-protocol.md section 4). Numbers may be strings; unknown fields are ignored.
 * `unkept` are the numbers of the event that are not kept.
 */
export function readEvent(
  value: unknown,
  unkept?: readonly Unkept[],
): { event: DeviceEvent } | { errors: FieldErrors } {
  if (!isPlainObject(value)) return { errors: { '': ['must be an object'] } }
  const names = namesUserIn(value.type)
  const errors: FieldErrors = unkept ? numberErrors(names, unkept) : {}
  const { type, uuid, timestamp, data = null, userId = null } = value
  if (!isIdentifier(type)) errors.type ??= [type == null ? 'is required' : IDENTIFIER_RULE]
  if (!isIdentifier(uuid)) errors.uuid ??= [uuid == null ? 'is required' : IDENTIFIER_RULE]
  const at = wholeNumber(timestamp)
  if (at === null || at < 0 || at > MAX_TIME) {
    errors.timestamp ??= [timestamp == null ? 'is required' : 'must be milliseconds since 1970']
  }
  if (data !== null && !isPlainObject(data)) errors.data = ['must be an object or null']
  else if (names !== undefined && isWrongIdNumber(data?.[names])) errors[`data.${names}`] ??= [ID_NUMBER_RULE]
  const user = userOf(userId)
  if (user === null) errors.userId ??= [isWrongIdNumber(userId) ? ID_NUMBER_RULE : IDENTIFIER_RULE]
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

/** undefined: not given (old Android rows); null: unusable. */
function userOf(value: unknown): string | undefined | null {
  if (value === null || value === '') return undefined
  if (typeof value === 'number') return isWrongIdNumber(value) ? null : shortText(value)
  return isIdentifier(value) ? value : null
}
