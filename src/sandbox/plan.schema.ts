import { AppError, type FieldErrors, invalid } from '../platform/errors.ts'
import { isPlainObject } from '../platform/json/json.ts'
import {
  check,
  checked,
  closedShape,
  decimal,
  flag,
  integer,
  list,
  oneOf,
  parseJson,
  text,
} from '../platform/values/parse.ts'
import { APNS_REASONS } from './apns/reasons.ts'
import { FCM_REASONS } from './fcm/errors.ts'
import { CERTIFICATES, type Device, GOAWAY_LAST, H2_CODES, type H2Code, type Plan, type Rule } from './stand-in/plan.ts'
import { isTokenPlace, LISTENERS, SANDBOX_GATEWAYS, STAND_INS, standInEntries } from './stand-ins.ts'
import { WEB_REASONS } from './web/reasons.ts'

/** What `match.on` may name. `apns` is both hosts. */
const PLACES = [
  'apns',
  'apns-production',
  'apns-sandbox',
  'fcm',
  'fcm-token',
  ...Object.keys(STAND_INS).flatMap((name) => [name, `${name}-token`]),
  'web',
]
const H2_NAMES = Object.keys(H2_CODES) as H2Code[]

type IsReason = (reason: string) => boolean
const isApnsReason: IsReason = (reason) => Object.hasOwn(APNS_REASONS, reason)
const isFcmReason: IsReason = (reason) => Object.hasOwn(FCM_REASONS, reason)
const isWebReason: IsReason = (reason) => Object.hasOwn(WEB_REASONS, reason)
/** Reasons by place; a place that is missing is one of APNs. */
const KNOWN_REASONS: Readonly<Record<string, IsReason>> = {
  fcm: isFcmReason,
  'fcm-token': (reason) => reason === 'invalid_grant',
  ...Object.fromEntries(
    standInEntries.flatMap(([name, { isReason, isTokenReason }]) => [
      [name, isReason],
      [`${name}-token`, isTokenReason],
    ]),
  ),
  web: isWebReason,
}
const SEND_REASONS = [isApnsReason, isFcmReason, isWebReason, ...standInEntries.map(([, { isReason }]) => isReason)]

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
  name: text({ max: 100 }),
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
  listeners: closedShape(Object.fromEntries(['apns', ...LISTENERS].map((name) => [name, conditions]))),
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
    match?.on !== undefined &&
    isTokenPlace(match.on) &&
    (match.token ?? match.tokenPrefix ?? match.tokenPattern ?? match.tokensPercent) !== undefined
  ) {
    errors[`${at}.match`] = [`cannot choose by device token on ${match.on}: the token call is not about a device`]
  }
  return errors
}

function isKnownReason(reason: string, on: string | undefined): boolean {
  if (on !== undefined) return (KNOWN_REASONS[on] ?? isApnsReason)(reason)
  return SEND_REASONS.some((isKnown) => isKnown(reason))
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
