import type { PushReply } from '../../../platform/http2/types.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { describeSkew, readRetryAfter } from '../../../platform/net/http.ts'
import type { Outcome } from '../gateway.ts'
import { isKnownService } from './push-hosts.ts'

/** The meaning of a reply: an outcome, or that the subscription was made with another key of the app. */
export type WebReading = Outcome | { kind: 'other_key'; reason: string }

/** Texts that mean "the subscription was made with another key" (Apple and Google). */
const OTHER_KEY = /VapidPkHashMismatch|UnauthorizedRegistration|do(es)? not (match|correspond)/i
/** Apple's reasons for a token that is wrong whichever key signs it. */
const BAD_TOKEN = /BadJwtToken|ExpiredJwtToken|ExpiredProviderToken/

/** Mozilla's `errno` numbers and their meanings (autopush documentation). */
const MOZILLA: Record<number, string> = {
  102: 'invalid endpoint',
  103: 'subscription expired',
  104: 'payload too large',
  105: 'endpoint gone',
  106: 'subscription gone',
  109: 'invalid authentication',
  110: 'invalid crypto keys',
  111: 'missing crypto header',
  112: 'invalid TTL',
  113: 'invalid topic',
  201: 'overloaded: back off',
  202: 'overloaded: retry at once',
}
/** Mozilla's errno for a brief overload. */
const RETRY_AT_ONCE = 202
/**
 * Request Timeout, Misdirected Request, Too Early: the same message may be accepted later or on another connection (RFC
 * 9110, 8470).
 */
const COME_AGAIN = [408, 421, 425]
/**
 * A server of ntfy refuses a push with it for which no phone subscribes at the moment, and chose a 5xx so that senders keep
 * the subscription (binwiederhier/ntfy, `errHTTPInsufficientStorageUnifiedPush` in server/server.go, and issue #664).
 */
const NO_SUBSCRIBER = 507

/**
 * Reads one reply of a push service (docs/reference/gateway-facts.md section 4.4). `hostname` is the service's. Anybody
 * can register an endpoint on their own host, so only the answer of a well-known service about our key counts against
 * the credential. `now` in ms.
 */
export function readWebReply(reply: PushReply, hostname: string, now: number): WebReading {
  const { status, headers, body } = reply
  if (status >= 200 && status < 300) {
    return { kind: 'accepted', ...(headers.location && { providerId: headers.location.slice(0, 500) }) }
  }
  const known = isKnownService(hostname)
  const local = known ? {} : { local: true as const }
  const { text, errno } = readError(body)
  const reason = text ? `HTTP ${status}: ${text}` : `HTTP ${status}`
  const afterMs = readRetryAfter(headers['retry-after'], now)
  switch (status) {
    case 400:
      if (OTHER_KEY.test(text)) return { kind: 'other_key', reason }
      return { kind: 'payload_error', reason, everyone: false }
    case 401:
    case 403: {
      // Our subject or our clock is wrong, for every other browser of this service too.
      if (known && BAD_TOKEN.test(text)) {
        const skew = describeSkew(headers.date, now)
        return { kind: 'config_error', reason: skew ? `${reason} (${skew})` : reason }
      }
      return { kind: 'other_key', reason }
    }
    case 404:
    case 410:
      return { kind: 'token_dead', reason, ...local }
    case 413:
      return { kind: 'payload_error', reason, everyone: false }
    // The push service of Windows answers 406 when it throttles. The limit may be that of one endpoint: "Application
    // servers SHOULD honor limits per endpoint, not host" (UnifiedPush specification, server interface).
    case 406:
    case 429:
      return { kind: 'throttled_gateway', reason, ...(afterMs !== undefined && { afterMs }), local: 'recipient' }
    case NO_SUBSCRIBER:
      return { kind: 'gateway_down', reason, local: 'recipient' }
  }
  if (status >= 500 || COME_AGAIN.includes(status)) {
    const wait = afterMs ?? (errno === RETRY_AT_ONCE ? 0 : undefined)
    // A stranger who says "at once" without end would keep us busy: the usual backoff applies.
    const isTold = wait !== undefined && (known || wait > 0)
    return { kind: 'gateway_down', reason, ...(isTold && { afterMs: wait }), local: true }
  }
  // We do not follow redirects, because nobody has checked the target. They may be those of one wrong endpoint.
  if (status < 400) return { kind: 'gateway_down', reason: `${reason}: redirects are not followed`, local: 'recipient' }
  return { kind: 'payload_error', reason, everyone: false }
}

/** The outcome when no key of the app fits: the page has to subscribe again. */
export function noKeyFits(reason: string, hostname: string): Outcome {
  return {
    kind: 'token_suspect',
    reason: `${shorten(reason)}; the browser has to subscribe again with the current key`,
    ...(!isKnownService(hostname) && { local: true }),
  }
}

function readError(body: string): { text: string; errno: number | undefined } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { text: shorten(body.replace(/<[^>]*>/g, ' ')), errno: undefined }
  }
  if (!isPlainObject(value)) return { text: '', errno: undefined }
  const errno = typeof value.errno === 'number' ? value.errno : undefined
  const words = [value.reason, value.error, value.message].filter((word) => typeof word === 'string')
  const named = errno === undefined ? [] : [`errno ${errno}${MOZILLA[errno] ? ` (${MOZILLA[errno]})` : ''}`]
  return { text: shorten([...named, ...words].join(': ')), errno }
}

function shorten(text: string): string {
  const clean = text.replace(/\s+/g, ' ').trim()
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean
}
