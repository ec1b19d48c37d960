import type { FieldErrors } from '../../platform/errors.ts'
import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import { shortText, yesOrNo } from '../../platform/values/lenient.ts'
import { checked, documented, flag, ids, integer, judged, shape, text } from '../../platform/values/parse.ts'
import { atMost, IS_REQUIRED, MUST_BE } from '../../platform/values/reader.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import { MAX_LENGTH, type NewChannel, RULES, type Subscribers } from './types.ts'

/** The error of a channel that the portal should show although it has no name. */
export const NAME_NEEDED = 'is required when showInPortal is true'

/** Body of creating a channel: only `uuid` is required. */
export const createChannel = judged(shape({ uuid: text({ max: MAX_LENGTH }).defined(), ...RULES }), (given) =>
  given.showInPortal === true && (given.name === undefined || given.name === null) ? { name: [NAME_NEEDED] } : {},
).required()

/** Body of changing a channel: absent fields are left unchanged, null clears those that can be empty. */
export const updateChannel = shape({ uuid: text({ max: MAX_LENGTH }), ...RULES }).required()

/** Query of lists: `after` is the `next` of the previous page. */
export const listPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** Query of the subscriptions of a channel. */
export const subscriptionsPage = shape({
  after: text({ max: 20 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** Channels of which one call counts the subscriptions. */
const MAX_COUNTED = 100

/** Query of counting: ids of channels with commas between them. */
export const countedChannels = judged(shape({ ids: text({ max: 2000 }).required() }), ({ ids: given }) => {
  const all = typeof given === 'string' ? given.split(',') : []
  const isFine = all.length <= MAX_COUNTED && all.every((one) => /^[1-9]\d{0,14}$/.test(one))
  return isFine ? {} : { ids: [`must be 1 to ${MAX_COUNTED} ids of channels with commas between them`] }
}).required()

/** Query of searching members: the beginning of an identifier, or a whole install id. */
export const memberSearch = shape({ q: text({ max: 255 }).required() }).required()

const who = { installIds: ids(), userIds: ids() }

function namesSomebody(given: Record<string, unknown>): FieldErrors {
  const says = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  if (says(given.installIds) || says(given.userIds)) return {}
  return {
    installIds: ['at least one id is required here or in userIds'],
    userIds: ['at least one id is required here or in installIds'],
  }
}

/** Body of subscribing: installs, users or both. An empty list counts as absent. */
export const subscribers = judged(shape(who), namesSomebody).required()

/** Body of unsubscribing; with `keepInstalls` the installs of the users keep the subscriptions of their own. */
export const unsubscribers = judged(shape({ ...who, keepInstalls: flag() }), namesSomebody).required()

/** The distinct ids of a request by their text; of equal ids, the first as it was written. */
export function distinctIds(given: Subscribers['installIds'] = []): Map<string, string | number> {
  const first = new Map<string, string | number>()
  for (const id of given) if (!first.has(String(id))) first.set(String(id), id)
  return first
}

/** Maximum number of channels that a device may name in one call. */
const MAX_UUIDS = 1000

/**
 * Body of a device's subscriptions: `uuids`, of which absent and null mean none (docs/reference/device-protocol.md
 * section 8).
 */
export const deviceSubscriptions = documented(
  checked<{ uuids?: (string | number)[] | null }>((value) => {
    if (!isPlainObject(value)) return { '': [MUST_BE.object] }
    const { uuids } = value
    if (uuids === undefined || uuids === null) return {}
    if (!Array.isArray(uuids)) return { uuids: [MUST_BE.array] }
    if (uuids.length > MAX_UUIDS) return { uuids: [atMost(MAX_UUIDS, 'items')] }
    const wrong = uuids.flatMap((uuid: unknown, i) => (readUuid(uuid) === null ? [i] : []))
    return Object.fromEntries(wrong.slice(0, 100).map((i) => [`uuids[${i}]`, [UUID_RULE]]))
  }),
  {
    type: 'object',
    properties: { uuids: { type: ['array', 'null'], items: { type: ['string', 'integer'] }, maxItems: MAX_UUIDS } },
  },
).required()

/** The distinct uuids of that body. */
export function readUuids({ uuids }: { uuids?: (string | number)[] | null }): string[] {
  return [...new Set((uuids ?? []).map(String))]
}

const UUID_RULE = `must be a channel uuid of 1 to ${MAX_LENGTH} characters`

function readUuid(value: unknown): string | null {
  // A larger integer has lost its last digits when it was parsed, and could name another channel.
  const given = Number.isSafeInteger(value) ? String(value) : value
  return isIdentifier(given) ? given : null
}

/** The channel that a device creates, and the user or install to subscribe. */
export interface DeviceChannel extends NewChannel {
  /** The user or the install to subscribe in the same request. */
  userIdentifier?: string
  installId?: string
}

/** Body with which a device creates a channel (C3, C6), read leniently, and the user or install to subscribe. */
export const deviceChannel = documented(
  checked<Record<string, unknown>>((value) => {
    if (!isPlainObject(value)) return { '': [MUST_BE.object] }
    const errors: FieldErrors = {}
    if (readUuid(value.uuid) === null) errors.uuid = [value.uuid === undefined ? IS_REQUIRED : UUID_RULE]
    const { name, meta, showInPortal } = value
    if (isGiven(name) && (typeof name !== 'string' || !isStorable(name))) errors.name = [MUST_BE.string]
    else if (yesOrNo(showInPortal) === true && readName(name) === null) errors.name = [NAME_NEEDED]
    if (isGiven(showInPortal) && yesOrNo(showInPortal) === null) errors.showInPortal = [MUST_BE.boolean]
    if (isGiven(meta) && !isPlainObject(meta)) errors.meta = [MUST_BE.object]
    for (const key of ['userIdentifier', 'installId']) {
      if (isGiven(value[key]) && !isIdentifier(value[key])) errors[key] = [IDENTIFIER_RULE]
    }
    return errors
  }),
  {
    type: 'object',
    required: ['uuid'],
    properties: {
      uuid: { type: ['string', 'integer'] },
      name: { type: ['string', 'null'] },
      showInPortal: { enum: [true, false, 1, 0, 'true', 'false', '1', '0', null] },
      meta: { type: ['object', 'null'] },
      userIdentifier: { type: ['string', 'null'] },
      installId: { type: ['string', 'null'] },
    },
  },
).required()

/** The meaning of that body. */
export function readDeviceChannel(body: Record<string, unknown>): DeviceChannel {
  return {
    uuid: readUuid(body.uuid)!,
    name: readName(body.name),
    showInPortal: yesOrNo(body.showInPortal) ?? false,
    meta: isPlainObject(body.meta) ? body.meta : null,
    ...(isIdentifier(body.userIdentifier) && { userIdentifier: body.userIdentifier }),
    ...(isIdentifier(body.installId) && { installId: body.installId }),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** The name of a channel. A blank one counts as none: an app that leaves the field empty means a private channel. */
function readName(value: unknown): string | null {
  return shortText(value, MAX_LENGTH)
}
