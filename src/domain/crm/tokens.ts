import { type FieldErrors, invalid } from '../../platform/errors.ts'
import { isPlainObject, objectOf } from '../../platform/json/json.ts'
import { shortText, wholeNumber, yesOrNo } from '../../platform/values/lenient.ts'
import { PLATFORM_TYPES, type PlatformType, platformOf } from '../gateways/registry.ts'
import type { TokenRegistration } from './types.ts'

/**
 * Maximum length of a token or endpoint; real ones are below 600. PostgreSQL cannot index values longer than 2704
 * bytes.
 */
const MAX_TOKEN_LENGTH = 2048

/** `iosTokenType` 2 is the only one that belongs to Apple's sandbox (docs/reference/device-protocol.md section 5). */
const SANDBOX = 2

/**
 * The data of `k.push.deviceRegistered` (docs/reference/device-protocol.md section 6) -> a registration. `type` may be
 * a numeric string. A token of Apple becomes lower-case hex, a web push subscription its endpoint and keys. Throws
 * `AppError('invalid')` that names `type`, `areNotificationsEnabled` or the invalid part of `token`, so that unusable
 * tokens are not stored.
 */
export function readTokenRegistration(data: unknown): TokenRegistration {
  const given = objectOf(data)
  const platform = wholeNumber(given.type)
  if (platform === null || !isTokenType(platform)) {
    throw invalid({ type: [`must be one of ${Object.values(PLATFORM_TYPES).join(', ')}`] })
  }
  const apple = platform === PLATFORM_TYPES.ios || platform === PLATFORM_TYPES.safari
  const enabled = yesOrNo(given.areNotificationsEnabled)
  // A word that nobody can read may be a no: it must not leave the install at its default, which is a yes.
  if (enabled === null && given.areNotificationsEnabled !== undefined && given.areNotificationsEnabled !== null) {
    throw invalid({ areNotificationsEnabled: ['must be true or false'] })
  }
  return {
    platform,
    ...(platform === PLATFORM_TYPES.web
      ? readSubscription(given.token, yesOrNo(given.declarative) === true)
      : { token: readToken(given.token, platform), keys: null }),
    topic: apple ? readTopic(given.bundleId) : null,
    environment:
      platform === PLATFORM_TYPES.ios ? (wholeNumber(given.iosTokenType) === SANDBOX ? 'sandbox' : 'production') : null,
    // Safari hands a token out only to a page that may show notifications, and says nothing else about it.
    notificationsEnabled: enabled ?? (platform === PLATFORM_TYPES.safari ? true : undefined),
  }
}

/**
 * Reads the topic, a header of every push to this install. A value that cannot be a bundle id is dropped; the
 * credential's own is used then.
 */
function readTopic(value: unknown): string | null {
  const topic = shortText(value)
  return topic !== null && /^[A-Za-z0-9._-]+$/.test(topic) ? topic : null
}

function isTokenType(type: number): type is PlatformType {
  return platformOf(type) !== undefined
}

function readToken(value: unknown, platform: PlatformType): string {
  if (typeof value !== 'string' || value === '') throw invalid({ token: ['must be a string'] })
  if (platform === PLATFORM_TYPES.ios || platform === PLATFORM_TYPES.safari) {
    // The description of an NSData, `<740f4707 bebcf74f …>`, is what old apps took for the token.
    const hex = value.replace(/[<>\s]/g, '').toLowerCase()
    if (!/^(?:[0-9a-f]{2}){8,200}$/.test(hex)) throw invalid({ token: ['must be the device token in hexadecimal'] })
    return hex
  }
  if (value.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(value)) {
    throw invalid({ token: [`must have at most ${MAX_TOKEN_LENGTH} printable ASCII characters`] })
  }
  return value
}

/**
 * A browser's PushSubscription as JSON (W3C Push API): endpoint, and the two keys that encryption needs (RFC 8291).
 * `declarative`: the client reads declarative pushes, too (docs/reference/device-protocol.md section 10).
 */
function readSubscription(value: unknown, declarative: boolean): { token: string; keys: string } {
  if (!isPlainObject(value)) throw invalid({ token: ['must be a push subscription object'] })
  const keys = objectOf(value.keys)
  const errors: FieldErrors = {}
  const endpoint = endpointOf(value.endpoint)
  if (endpoint === null) errors['token.endpoint'] = [`must be an https URL of at most ${MAX_TOKEN_LENGTH} characters`]
  const p256dh = bytesOf(keys.p256dh)
  if (p256dh?.length !== 65 || p256dh[0] !== 4)
    errors['token.keys.p256dh'] = ['must be an uncompressed P-256 point in base64url']
  const auth = bytesOf(keys.auth)
  if (auth?.length !== 16) errors['token.keys.auth'] = ['must be 16 bytes in base64url']
  if (endpoint === null || Object.keys(errors).length > 0) throw invalid(errors)
  return {
    token: endpoint,
    keys: JSON.stringify({
      keys: { p256dh: keys.p256dh, auth: keys.auth },
      expirationTime: wholeNumber(value.expirationTime),
      ...(declarative && { declarative }),
    }),
  }
}

function endpointOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_TOKEN_LENGTH || !URL.canParse(value)) return null
  const url = new URL(value)
  const href = url.href
  return url.protocol === 'https:' && url.username === '' && url.password === '' && href.length <= MAX_TOKEN_LENGTH
    ? href
    : null
}

function bytesOf(value: unknown): Buffer | null {
  return typeof value === 'string' && /^[\w+/-]{1,128}={0,2}$/.test(value) ? Buffer.from(value, 'base64') : null
}
