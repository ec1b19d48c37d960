import { messageOf } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { type AllowPrivate, checkOutboundUrl } from '../../../platform/net/outbound.ts'
import type { Outcome, PushHosts, PushRecipient } from '../gateway.ts'
import type { SubscriptionKeys } from './encrypt.ts'
import { refusalOfHost } from './push-hosts.ts'

/** The endpoint of a browser and its keys. */
export interface Subscription extends SubscriptionKeys {
  /** Scheme, host and port of the push service. */
  origin: string
  /** Path and query. */
  path: string
  hostname: string
  /** The client said that it reads declarative pushes. */
  isDeclarative: boolean
}

/**
 * Reads a registered subscription, or returns the outcome for one that we cannot send to. Anybody with the app's public
 * key can register an endpoint, so we accept only public https addresses (except for `allowPrivate`) of push services
 * (`pushHosts`; absent: any). An endpoint on another host keeps its token, because the operator may still add the host.
 * `now` in ms.
 */
export function readSubscription(
  { token, keys }: PushRecipient,
  { allowPrivate, pushHosts, now }: { allowPrivate: AllowPrivate; pushHosts?: PushHosts | undefined; now: number },
): Subscription | Outcome {
  const given = readKeys(keys)
  if (!given) return dead('the subscription has no usable keys: the browser has to subscribe again')
  if (given.expirationTime !== null && given.expirationTime <= now) {
    const date = new Date(given.expirationTime).toISOString()
    return dead(`the subscription expired at ${date}: the browser has to subscribe again`)
  }
  let url: URL
  try {
    url = checkOutboundUrl(token, allowPrivate)
  } catch (error) {
    return dead(`refused: ${messageOf(error)}`)
  }
  const refusal = pushHosts && refusalOfHost(url.href, pushHosts, allowPrivate)
  if (refusal !== undefined) return { kind: 'payload_error', reason: `refused: ${refusal}`, everyone: false }
  const { p256dh, auth, isDeclarative } = given
  return { origin: url.origin, hostname: url.hostname, path: url.pathname + url.search, p256dh, auth, isDeclarative }
}

/** The outcome of an unusable subscription. We asked no push service, so this says nothing about our credential. */
export function dead(reason: string): Outcome {
  return { kind: 'token_dead', reason, local: true }
}

/** The stored part of a subscription. */
type StoredKeys = SubscriptionKeys & { expirationTime: number | null; isDeclarative: boolean }

function readKeys(text: string | undefined): StoredKeys | undefined {
  let value: unknown
  try {
    value = JSON.parse(text ?? '')
  } catch {
    return undefined
  }
  if (!isPlainObject(value) || !isPlainObject(value.keys)) return undefined
  const p256dh = bytesOf(value.keys.p256dh)
  const auth = bytesOf(value.keys.auth)
  if (p256dh?.length !== 65 || auth?.length !== 16) return undefined
  const { expirationTime } = value
  // A time that no date can represent means that it never expires.
  const ends = typeof expirationTime === 'number' && Math.abs(expirationTime) <= 8.64e15 ? expirationTime : null
  return { p256dh, auth, expirationTime: ends, isDeclarative: value.declarative === true }
}

function bytesOf(value: unknown): Buffer | undefined {
  return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
}
