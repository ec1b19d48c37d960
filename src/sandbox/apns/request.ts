import { isUtf8 } from 'node:buffer'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Devices } from '../stand-in/devices.ts'
import type { Exchange } from '../stand-in/exchange.ts'
import type { ApnsReason } from './reasons.ts'

/**
 * The rules of APNs for one request (Apple, "Sending notification requests to APNs" and "Handling notification
 * responses from APNs"), once the sender is authenticated.
 */
export interface ApnsRefusal {
  reason: ApnsReason
  /** Milliseconds since the epoch; 410 only. */
  timestamp?: number
}

export interface ApnsRequest {
  token: string
  topic: string
  payload: string
  notificationId: string | undefined
}

/** The topics a sender may use; undefined is any. The first is used when a certificate sends no topic. */
export type Topics = readonly string[] | undefined

const PUSH_TYPES: ReadonlySet<string> = new Set([
  'alert',
  'background',
  'voip',
  'complication',
  'fileprovider',
  'mdm',
  'location',
  'liveactivity',
  'pushtotalk',
  'widgets',
  'controls',
])
const PREFIX = '/3/device/'
/** Apple says not to assume a length. Today's tokens have 64 digits; those of Live Activities are longer. */
const TOKEN = /^(?:[0-9a-f]{2}){32,200}$/i
const TOPIC = /^[A-Za-z0-9.-]{1,255}$/
const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_PAYLOAD = 4096
const MAX_VOIP_PAYLOAD = 5120
const MAX_COLLAPSE_ID = 64

/** Method and path: the token, or why there is none. */
export function readDeviceToken({ method, path }: Exchange): string | ApnsRefusal {
  if (!path.startsWith(PREFIX)) return path === '/3/device' ? { reason: 'MissingDeviceToken' } : { reason: 'BadPath' }
  if (method !== 'POST') return { reason: 'MethodNotAllowed' }
  const token = path.slice(PREFIX.length)
  if (token === '') return { reason: 'MissingDeviceToken' }
  return TOKEN.test(token) ? token : { reason: 'BadDeviceToken' }
}

/** Headers and payload. `certificate` senders may leave the topic out when they have only one. */
export function judgeApnsRequest(
  exchange: Exchange,
  { token, topics, mayOmitTopic }: { token: string; topics: Topics; mayOmitTopic: boolean },
): ApnsRequest | ApnsRefusal {
  const { headers } = exchange
  if (exchange.repeated !== undefined) return { reason: 'DuplicateHeaders' }
  const topic = (headers['apns-topic'] as string | undefined) ?? (mayOmitTopic ? topics?.[0] : undefined)
  if (topic === undefined || topic === '') return { reason: 'MissingTopic' }
  if (!TOPIC.test(topic)) return { reason: 'BadTopic' }
  if (topics && !topics.includes(topic)) return { reason: 'TopicDisallowed' }
  const bad = badHeader(headers)
  if (bad) return { reason: bad }
  const limit = headers['apns-push-type'] === 'voip' ? MAX_VOIP_PAYLOAD : MAX_PAYLOAD
  if (exchange.tooLong || exchange.body.length > limit) return { reason: 'PayloadTooLarge' }
  if (exchange.body.length === 0) return { reason: 'PayloadEmpty' }
  if (!isUtf8(exchange.body)) return { reason: 'BadPayload' }
  const payload = exchange.body.toString('utf8')
  const value = parse(payload)
  if (!isPlainObject(value)) return { reason: 'BadPayload' }
  if (Object.keys(value).length === 0) return { reason: 'PayloadEmpty' }
  return { token, topic, payload, notificationId: notificationIn(value) ?? websiteNotificationIn(value) }
}

/** What the gateway knows about this device. */
export function judgeDevice(
  { token, topic }: ApnsRequest,
  environment: 'production' | 'sandbox',
  devices: Devices,
  now: number,
): ApnsRefusal | undefined {
  const device = devices.find('apns', token)
  if (!device) return undefined
  if (device.environment !== undefined && device.environment !== environment) return { reason: 'BadDeviceToken' }
  if (device.topic !== undefined && !isTopicOf(topic, device.topic)) return { reason: 'DeviceTokenNotForTopic' }
  if (device.deadSince !== undefined && device.deadSince <= now) {
    return { reason: 'Unregistered', timestamp: device.deadSince }
  }
  return undefined
}

function badHeader(headers: Exchange['headers']): ApnsReason | undefined {
  const id = headers['apns-id']
  if (id !== undefined && !CANONICAL_UUID.test(id as string)) return 'BadMessageId'
  const pushType = headers['apns-push-type'] as string | undefined
  if (pushType !== undefined && !PUSH_TYPES.has(pushType)) return 'InvalidPushType'
  const priority = headers['apns-priority']
  if (priority !== undefined && priority !== '10' && priority !== '5' && priority !== '1') return 'BadPriority'
  // Absent means 10, which is an error for a background push.
  if (pushType === 'background' && priority !== '5') return 'BadPriority'
  const expiration = headers['apns-expiration']
  if (expiration !== undefined && !/^\d{1,10}$/.test(expiration as string)) return 'BadExpirationDate'
  const collapseId = headers['apns-collapse-id'] as string | undefined
  // Node returns header values as latin1: one character is one byte.
  if (collapseId !== undefined && (collapseId === '' || collapseId.length > MAX_COLLAPSE_ID)) return 'BadCollapseId'
  return undefined
}

/** `com.example.app.voip` is a topic of the app `com.example.app`. */
function isTopicOf(topic: string, bundleId: string): boolean {
  return topic === bundleId || topic.startsWith(`${bundleId}.`)
}

function notificationIn(payload: Record<string, unknown>): string | undefined {
  const custom = payload['custom']
  return isPlainObject(custom) ? messageIdIn(custom['a']) : undefined
}

/** A website push has the id only in the address that it opens. */
function websiteNotificationIn(payload: Record<string, unknown>): string | undefined {
  const aps = payload['aps']
  const args = isPlainObject(aps) ? aps['url-args'] : undefined
  return Array.isArray(args) ? /[?&]knid=(\d+)/.exec(args.join('&'))?.[1] : undefined
}

/** The id in the block that client SDKs read: `{"k.message": {"type": 1, "data": {"id": 12}}}`. */
export function messageIdIn(block: unknown): string | undefined {
  if (!isPlainObject(block)) return undefined
  const message = block['k.message']
  if (!isPlainObject(message) || !isPlainObject(message['data'])) return undefined
  const id = message['data']['id']
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
