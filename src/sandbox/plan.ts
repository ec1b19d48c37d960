import { AppError, type FieldErrors, invalid } from '../platform/errors.ts'
import { isPlainObject } from '../platform/json.ts'
import { check, checked, closedShape, decimal, flag, integer, list, oneOf, parseJson, text } from '../platform/parse.ts'
import { APNS_REASONS } from './apns-reasons.ts'
import { FCM_REASONS } from './fcm-errors.ts'
import { isHcmCode } from './huawei-codes.ts'
import { SANDBOX_GATEWAYS, type SandboxGateway } from './ledger.ts'
import { WEB_REASONS } from './web-reasons.ts'

/**
 * The scriptable plan of a sandbox: which requests go wrong and how (`rules`), what the sandbox knows about device
 * tokens (`devices`), and how its listeners behave as connections are made (`listeners`). Documented with examples in
 * `docs/sandbox.md`.
 */

/**
 * The places where a rule can strike. `apns` is both hosts; `fcm`, `hcm` and `web` are the send calls, `fcm-token` and `hcm-token` the
 * OAuth token calls.
 */
export const PLACES = [
  'apns',
  'apns-production',
  'apns-sandbox',
  'fcm',
  'fcm-token',
  'hcm',
  'hcm-token',
  'web',
] as const
export type Place = Exclude<(typeof PLACES)[number], 'apns'>

const LISTENERS = ['apns', 'apns-production', 'apns-sandbox', 'fcm', 'hcm', 'web'] as const
export type ListenerName = Exclude<(typeof LISTENERS)[number], 'apns'>

/** HTTP/2 error codes by name (RFC 9113 section 7). */
export const H2_CODES = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const
export type H2Code = keyof typeof H2_CODES
const H2_NAMES = Object.keys(H2_CODES) as H2Code[]

const GOAWAY_LAST = ['zero', 'middle', 'max'] as const
const CERTIFICATES = ['good', 'self-signed', 'expired', 'wrong-host'] as const

/** Which requests a rule strikes. Everything given must fit; `{}` is every send call. */
export interface Match {
  /** Where; absent means every send call (not the token call). */
  on?: (typeof PLACES)[number]
  token?: string
  tokenPrefix?: string
  /** A regular expression. */
  tokenPattern?: string
  /** This share of all tokens, 0-100, always the same ones for the same seed. */
  tokensPercent?: number
  /** The id of the notification, as it is inside the payload (`k.message`). */
  notification?: number
  /** Of the requests that fit so far: leave the first `after` alone, */
  after?: number
  /** then take each n-th, */
  every?: number
  /** or this share, 0-100, drawn with the plan's seed, */
  percent?: number
  /** and stop after so many hits. */
  first?: number
}

export interface Goaway {
  /** Which requests were processed: none, the older half of those under way, or all. */
  last: (typeof GOAWAY_LAST)[number]
  code?: H2Code
  /** Collect so many requests of the connection first (at most 50 ms), so that there is a middle; 10 when absent. */
  hold?: number
  /** Goes out as `{"reason": ...}` in the debug data, as APNs does. */
  reason?: string
}

/** What happens to a request that a rule strikes: an answer, or one of the ways to give none; `delayMs` goes with any. */
export interface Effect {
  /** A reason of APNs, an error code of FCM, a code of Push Kit, or a refusal of Web Push; the status follows from it. */
  reason?: string
  status?: number
  /** APNs 410 only: milliseconds since the epoch at which the token died; now when absent. */
  timestamp?: number
  /** Goes out as the `retry-after` header, as written. */
  retryAfter?: string | number
  /** Instead of the usual body: an object (sent as JSON) or a text (sent as it is). */
  body?: string | Record<string, unknown>
  delayMs?: number
  hang?: boolean
  cutBeforeAnswer?: boolean
  cutInsideAnswer?: boolean
  shortBody?: boolean
  refuseStream?: boolean
  rst?: H2Code
  goaway?: Goaway
  /** Whether a message whose answer is lost counts as received by the device. */
  taken?: boolean
}

export interface Rule {
  name?: string
  match?: Match
  effect: Effect
}

/** What the sandbox knows about one device token. */
export interface Device {
  token: string
  gateway: SandboxGateway
  /** APNs: the other host answers BadDeviceToken. */
  environment?: 'production' | 'sandbox'
  /** APNs: the bundle id; other topics are answered DeviceTokenNotForTopic. */
  topic?: string
  /** FCM: another project is answered SENDER_ID_MISMATCH. Push Kit: tokens of another app id are illegal. */
  project?: string
  /** Milliseconds since the epoch; from then on the gateway says the token is gone. */
  deadSince?: number
}

/** How a listener behaves. */
export interface Conditions {
  /** The certificate that it shows. */
  certificate?: (typeof CERTIFICATES)[number]
  /** The port is closed: connections are refused. */
  refuse?: boolean
  maxStreams?: number
  /** The first `count` requests of every `windowMs` pass, the others are told 429. */
  quota?: { count: number; windowMs: number; retryAfter?: string | number }
}

/** A checked plan. `{}` is the plan of a sandbox in which nothing goes wrong. */
export interface Plan {
  /** For everything drawn by chance; 1 when absent. */
  seed?: number
  /** The first that strikes a request decides. */
  rules?: Rule[]
  devices?: Device[]
  listeners?: Partial<Record<(typeof LISTENERS)[number], Conditions>>
  /** Life of an access token of FCM and of Push Kit; 3599 when absent. */
  accessTokenSeconds?: number
}

const match = closedShape({
  on: oneOf(PLACES),
  token: text({ max: 4096 }),
  tokenPrefix: text({ max: 4096 }),
  tokenPattern: text({ max: 1000 }).test(
    'regex',
    'must be a regular expression',
    (v) => typeof v !== 'string' || isRegex(v),
  ),
  tokensPercent: decimal().min(0).max(100),
  notification: integer(),
  after: integer({ min: 0 }),
  every: integer({ min: 1 }),
  percent: decimal().min(0).max(100),
  first: integer({ min: 1 }),
})

const EFFECT_KINDS = [
  'hang',
  'cutBeforeAnswer',
  'cutInsideAnswer',
  'shortBody',
  'refuseStream',
  'rst',
  'goaway',
] as const

const effect = closedShape({
  reason: text({ max: 100 }),
  status: integer({ min: 200, max: 599 }),
  timestamp: integer({ min: 0 }),
  retryAfter: checked<string | number>(retryAfterErrors),
  body: checked<string | Record<string, unknown>>(bodyErrors),
  delayMs: integer({ min: 0, max: 3_600_000 }),
  hang: flag(),
  cutBeforeAnswer: flag(),
  cutInsideAnswer: flag(),
  shortBody: flag(),
  refuseStream: flag(),
  rst: oneOf(H2_NAMES),
  goaway: closedShape({
    last: oneOf(GOAWAY_LAST).required(),
    code: oneOf(H2_NAMES),
    hold: integer({ min: 1, max: 1000 }),
    reason: text({ max: 100 }),
  }),
  taken: flag(),
})

const rule = closedShape({ name: text({ max: 200 }), match, effect: effect.required() }).required()

const device = closedShape({
  token: text({ max: 4096 }).required(),
  gateway: oneOf(SANDBOX_GATEWAYS).required(),
  environment: oneOf(['production', 'sandbox']),
  topic: text({ max: 300 }),
  project: text({ max: 300 }),
  deadSince: integer({ min: 0 }),
}).required()

const conditions = closedShape({
  certificate: oneOf(CERTIFICATES),
  refuse: flag(),
  maxStreams: integer({ min: 0, max: 100_000 }),
  quota: closedShape({
    count: integer({ min: 1 }).required(),
    windowMs: integer({ min: 1 }).required(),
    retryAfter: checked<string | number>(retryAfterErrors),
  }),
})

const plan = closedShape({
  seed: integer({ min: 0 }),
  rules: list(rule, { max: 1000 }),
  devices: list(device, { max: 100_000 }),
  listeners: closedShape({
    apns: conditions,
    'apns-production': conditions,
    'apns-sandbox': conditions,
    fcm: conditions,
    hcm: conditions,
    web: conditions,
  }),
  accessTokenSeconds: integer({ min: 1, max: 3600 }),
})

/** Checks a plan that was read from JSON. Throws `AppError('invalid')` that names every wrong field by its path. */
export function parsePlan(value: unknown): Plan {
  if (!isPlainObject(value)) throw invalid({ '': ['must be an object'] })
  const parsed = parseJson(plan, value) as Plan
  const errors: FieldErrors = {}
  parsed.rules?.forEach((one, i) => Object.assign(errors, ruleErrors(one, `rules[${i}]`)))
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return parsed
}

/** As `parsePlan` for a single device; `PUT /tokens/:token` of the control API uses it. */
export function parseDevice(value: unknown): Device {
  const errors = check(device, value, true)
  if (errors) throw new AppError('invalid', 'validation failed', { fields: errors })
  return value as Device
}

function ruleErrors({ match, effect }: Rule, at: string): FieldErrors {
  const errors: FieldErrors = {}
  const kinds = EFFECT_KINDS.filter((kind) => effect[kind] !== undefined && effect[kind] !== false)
  const answers = effect.reason !== undefined || effect.status !== undefined || effect.body !== undefined
  if (kinds.length > 1) errors[`${at}.effect`] = [`has more than one of ${kinds.join(', ')}: choose one`]
  if (kinds.length === 0 && !answers && effect.delayMs === undefined) {
    errors[`${at}.effect`] = [`does nothing: give reason, status, body, delayMs or one of ${EFFECT_KINDS.join(', ')}`]
  }
  const reason = effect.reason
  if (reason !== undefined && effect.status === undefined && !isKnownReason(reason, match?.on)) {
    errors[`${at}.effect.reason`] = [
      `is not a reason that ${match?.on ?? 'a gateway'} gives; add a status to send it anyway`,
    ]
  }
  if (
    (match?.on === 'fcm-token' || match?.on === 'hcm-token') &&
    (match.token ?? match.tokenPrefix ?? match.tokenPattern ?? match.tokensPercent) !== undefined
  ) {
    errors[`${at}.match`] = [`cannot choose by device token on ${match.on}: the token call is not about a device`]
  }
  return errors
}

function isKnownReason(reason: string, on: Match['on'] | undefined): boolean {
  if (on === 'hcm') return isHcmCode(reason)
  if (on === 'web') return Object.hasOwn(WEB_REASONS, reason)
  if (on === 'hcm-token') return reason === 'invalid_client'
  if (on === 'fcm-token') return reason === 'invalid_grant'
  if (on === 'fcm') return Object.hasOwn(FCM_REASONS, reason)
  if (on !== undefined) return Object.hasOwn(APNS_REASONS, reason)
  return (
    Object.hasOwn(APNS_REASONS, reason) ||
    [FCM_REASONS, WEB_REASONS].some((reasons) => Object.hasOwn(reasons, reason)) ||
    isHcmCode(reason)
  )
}

function isRegex(source: string): boolean {
  try {
    return Boolean(new RegExp(source))
  } catch {
    return false
  }
}

function retryAfterErrors(value: unknown): FieldErrors {
  const ok =
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && /^[\x20-\x7e]{0,200}$/.test(value))
  return ok ? {} : { '': ['must be a number of seconds or a header text of printable ASCII'] }
}

function bodyErrors(value: unknown): FieldErrors {
  return typeof value === 'string' || isPlainObject(value) ? {} : { '': ['must be an object or a text'] }
}
