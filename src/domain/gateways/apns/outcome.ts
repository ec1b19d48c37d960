import type { PushReply } from '../../../platform/http2/types.ts'
import { readObject } from '../../../platform/json/json.ts'
import { describeSkew, readRetryAfter } from '../../../platform/net/http.ts'
import type { Outcome } from '../gateway.ts'
import { APNS } from './limits.ts'

type Kind = Exclude<Outcome['kind'], 'accepted' | 'uncertain'> | 'payload_error_everyone'

/**
 * Apple's reasons ("Handling notification responses from APNs") -> our outcomes. `payload_error_everyone`: the fault is
 * in what all recipients share. The topic differs between recipients, so a missing topic does not fail the others.
 */
const KINDS: Record<string, Kind> = {
  BadDeviceToken: 'token_suspect',
  DeviceTokenNotForTopic: 'token_suspect',
  MissingDeviceToken: 'payload_error',
  BadPath: 'payload_error',
  MethodNotAllowed: 'payload_error_everyone',
  DuplicateHeaders: 'payload_error_everyone',
  MissingTopic: 'payload_error',
  BadMessageId: 'payload_error',
  BadCollapseId: 'payload_error_everyone',
  BadExpirationDate: 'payload_error_everyone',
  BadPriority: 'payload_error_everyone',
  InvalidPushType: 'payload_error_everyone',
  PayloadEmpty: 'payload_error_everyone',
  PayloadTooLarge: 'payload_error_everyone',
  BadTopic: 'config_error',
  TopicDisallowed: 'config_error',
  IdleTimeout: 'gateway_down',
  BadCertificate: 'config_error',
  BadCertificateEnvironment: 'config_error',
  Forbidden: 'config_error',
  InvalidProviderToken: 'config_error',
  MissingProviderToken: 'config_error',
  ExpiredProviderToken: 'config_error',
  UnrelatedKeyIdInToken: 'config_error',
  BadEnvironmentKeyIdInToken: 'config_error',
  // A spelling of the same reason seen on the wire.
  BadEnvironmentKeyInToken: 'config_error',
  Unregistered: 'token_dead',
  ExpiredToken: 'token_dead',
  TooManyRequests: 'throttled_recipient',
  TooManyProviderTokenUpdates: 'throttled_gateway',
  InternalServerError: 'gateway_down',
  ServiceUnavailable: 'gateway_down',
  Shutdown: 'gateway_down',
}

/** An unknown reason, or none. */
function kindOfStatus(status: number, reason: string): Kind {
  if (status === 410) return 'token_dead'
  if (status === 413) return 'payload_error_everyone'
  if (status === 429) return 'throttled_gateway'
  if (status >= 500) return 'gateway_down'
  // For 3xx, and for 404 and the like without Apple's JSON: the server that answered is not APNs.
  if (status < 400 || reason === '') return status === 400 ? 'payload_error' : 'config_error'
  return status === 401 || status === 403 ? 'config_error' : 'payload_error'
}

/** Apple's reason, or '' if there is none. */
export function reasonOf(reply: PushReply): string {
  const reason = readObject(reply.body)?.['reason']
  return typeof reason === 'string' ? reason : ''
}

/** The outcome of a reply. `now` in ms, for `Retry-After` and to detect a wrong clock. */
export function readApnsReply(reply: PushReply, now: number): Outcome {
  if (reply.status >= 200 && reply.status < 300) {
    const providerId = reply.headers['apns-id']
    return { kind: 'accepted', ...(providerId && { providerId }) }
  }
  const word = reasonOf(reply)
  const kind = (Object.hasOwn(KINDS, word) && KINDS[word]) || kindOfStatus(reply.status, word)
  const reason = word || `HTTP ${reply.status}`
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  switch (kind) {
    case 'token_dead': {
      const since = readTimestamp(readObject(reply.body)?.['timestamp'])
      return { kind, reason, ...(since !== undefined && { since }) }
    }
    case 'payload_error_everyone':
    case 'payload_error':
      return { kind: 'payload_error', reason, everyone: kind === 'payload_error_everyone' }
    case 'throttled_recipient':
    case 'throttled_gateway':
    case 'gateway_down':
      return { kind, reason, ...(afterMs !== undefined && { afterMs }) }
    case 'config_error': {
      const skew = word.endsWith('ProviderToken') ? describeSkew(reply.headers['date'], now) : ''
      return { kind, reason: skew ? `${reason} (${skew})` : reason }
    }
  }
  return { kind, reason }
}

function readTimestamp(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined
  return Math.round(value < APNS.timestampSecondsBelow ? value * 1000 : value)
}
