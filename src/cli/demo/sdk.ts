import { randomBytes, randomUUID } from 'node:crypto'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import { AppError } from '../../platform/errors.ts'
import { objectOf } from '../../platform/json.ts'
import { findStandIn } from '../../sandbox/stand-ins.ts'
import type { WebSubscription } from '../../sandbox/web-subscriptions.ts'
import { BUNDLE, type DemoDevice, WEBSITE } from './devices.ts'

/** The server as devices see it. */
export interface DeviceApi {
  /** Where the server listens; each area has its prefix. */
  address: string
  apiKey: string
  secretKey: string
}

/** What a browser does when a page subscribes with this key of the server. */
export type Subscribe = (wish: { publicKey: string }) => WebSubscription

/** A message as it comes out of a sync; the part that we look at. Times as the server writes them. */
export interface InAppMessage {
  id: number
  content: unknown
  /** Set: it was closed somewhere, so it is not shown here. */
  openedAt: string | null
  updatedAt: string
}

/** What an SDK finds in a push. */
export interface ReadPush {
  notificationId: number
  /** There is an in-app message to fetch. */
  inAppId?: number
  /** Safari: the page that a click opens. */
  page?: string
}

/** Codes of what an event is about (docs/reference/device-protocol.md section 4). */
const PUSH = 1
const IN_APP = 2

type Json = Record<string, unknown>
interface Event {
  type: string
  data?: Json
  /** Whose it is, when not the device's user. */
  userId?: string
}

/** First start: the device says what it is, whose it is, and where pushes go. Returns the token, or the endpoint, that pushes go to. */
export async function startApp(api: DeviceApi, device: DemoDevice, subscribe: Subscribe): Promise<string> {
  const { installId, user, platform } = device
  const tracked: Event = { type: 'k.stats.installTracked', data: device.details as Json, userId: installId }
  const associated: Event = { type: 'k.stats.userAssociated', data: { id: user } }
  if (platform === 'web' || platform === 'safari') {
    // At once, each in a request of its own: the server must not mind which comes first.
    const viewed: Event = { type: 'k.pageViewed', data: { title: 'Bakery', path: '/' }, userId: installId }
    await Promise.all([sendEvents(api, device, [viewed]), sendEvents(api, device, [tracked])])
    await sendEvents(api, device, [associated])
    const { token, data } = await subscribePage(api, device, subscribe)
    await sendEvents(api, device, [{ type: 'k.push.deviceRegistered', data }])
    return token
  }
  const { token, data } = makeToken(device)
  await sendEvents(api, device, [
    tracked,
    associated,
    // An app that asks for it after signing in. SDKs that enrol by themselves say it at each start of a user.
    { type: 'k.inApp.statusUpdated', data: { consented: true } },
    { type: 'k.push.deviceRegistered', data },
  ])
  return token
}

function makeToken({ platform, environment }: DemoDevice): { token: string; data: Json } {
  const type = PLATFORM_TYPES[platform]
  if (platform === 'ios') {
    const token = randomBytes(32).toString('hex')
    return { token, data: { token, type, iosTokenType: environment === 'sandbox' ? 2 : 1, bundleId: BUNDLE } }
  }
  const token = findStandIn(platform)?.demo.makeToken() ?? fcmToken()
  return { token, data: { token, type, package: BUNDLE, areNotificationsEnabled: true } }
}

function fcmToken(): string {
  return `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`
}

/** The configuration of the page says which key to subscribe with, and Safari's website push id (K1). */
async function subscribePage(
  api: DeviceApi,
  { platform }: DemoDevice,
  subscribe: Subscribe,
): Promise<{ token: string; data: Json }> {
  const type = PLATFORM_TYPES[platform]
  const config = (await call(api, '/push/v1/web/config')) as { publicKey: string; safariPushId: string | null }
  if (platform === 'safari') {
    const token = randomBytes(32).toString('hex')
    return { token, data: { token, type, bundleId: config.safariPushId } }
  }
  const subscription = subscribe({ publicKey: config.publicKey })
  return { token: subscription.endpoint, data: { token: subscription, type } }
}

/**
 * Reads a push as it arrived (the payload, as JSON) the way the SDK of the device does (docs/reference/device-protocol.md section 10). Throws
 * `unavailable` when it would take the push for somebody else's.
 */
export function readPush({ name, platform }: DemoDevice, payload: string): ReadPush {
  const body = objectOf(JSON.parse(payload))
  if (platform === 'safari') {
    const [argument] = objectOf(body['aps'])['url-args'] as string[]
    const page = new URL(argument!, `${WEBSITE}/`)
    return { notificationId: idIn(name, Number(page.searchParams.get('knid'))), page: page.href }
  }
  const block = blockIn(platform, body)
  const linked = objectOf(objectOf(block['k.deepLink'])['data'])['id']
  return {
    notificationId: idIn(name, objectOf(objectOf(block['k.message'])['data'])['id']),
    ...(typeof linked === 'number' && { inAppId: linked }),
  }
}

function blockIn(platform: DemoDevice['platform'], body: Json): Json {
  if (platform === 'ios') return objectOf(objectOf(body['custom'])['a'])
  if (platform === 'web') return objectOf(body['data'])
  const message = objectOf(body['message'])
  const { data } = findStandIn(platform)?.toFcm(message) ?? message
  return objectOf(objectOf(JSON.parse(String(objectOf(data)['custom'])))['a'])
}

function idIn(name: string, id: unknown): number {
  if (typeof id === 'number' && Number.isInteger(id) && id > 0) return id
  throw new AppError('unavailable', `the push for ${name} names no notification`)
}

/** What the SDK reports when a push arrives, and when somebody taps on it. Old Safari hears of nothing but the page that a tap opens. */
export async function reportPush(
  api: DeviceApi,
  device: DemoDevice,
  { notificationId }: ReadPush,
  { isOpened }: { isOpened: boolean },
): Promise<void> {
  const data = { type: PUSH, id: notificationId }
  const events: Event[] = [
    ...(device.platform === 'safari' ? [] : [{ type: 'k.message.delivered', data }]),
    ...(isOpened ? [{ type: 'k.message.opened', data }] : []),
  ]
  if (device.platform !== 'web') return sendEvents(api, device, events)
  for (const event of events) await sendEvents(api, device, [event])
}

/** Fetches the user's in-app messages (M1), those that changed since `last` was given, and reports that they arrived. */
export async function syncMessages(
  api: DeviceApi,
  device: DemoDevice,
  last: readonly InAppMessage[] = [],
): Promise<InAppMessage[]> {
  const newest = Math.max(...last.map(({ updatedAt }) => Date.parse(updatedAt)))
  const after = last.length === 0 ? '' : `?after=${new Date(newest).toISOString().slice(0, 19)}Z`
  const user = encodeURIComponent(device.user)
  const messages = (await call(api, `/push/v1/users/${user}/messages${after}`)) as InAppMessage[]
  const arrived = messages.map(({ id }) => ({ type: 'k.message.delivered', data: { type: IN_APP, id } }))
  if (arrived.length > 0) await sendEvents(api, device, arrived)
  return messages
}

/** What the SDK reports when the page says that the message is on the screen. */
export function reportShown(api: DeviceApi, device: DemoDevice, { id }: InAppMessage): Promise<void> {
  const data = { type: IN_APP, id }
  return sendEvents(api, device, [
    { type: 'k.message.opened', data },
    { type: 'k.message.read', data },
  ])
}

/** What the SDK reports when somebody closes the message. */
export function reportClosed(api: DeviceApi, device: DemoDevice, { id }: InAppMessage): Promise<void> {
  return sendEvents(api, device, [{ type: 'k.message.dismissed', data: { type: IN_APP, id } }])
}

async function sendEvents(
  api: DeviceApi,
  { installId, user, name }: DemoDevice,
  events: readonly Event[],
): Promise<void> {
  const stamp = { timestamp: Date.now(), userId: user }
  const body = events.map((event) => ({ uuid: randomUUID(), ...stamp, ...event }))
  const answer = await call(api, `/events/v1/app-installs/${installId}/events`, body)
  if (JSON.stringify(answer).includes('refused')) {
    throw new AppError('unavailable', `the events of ${name} were not taken: ${JSON.stringify(answer)}`)
  }
}

/** A call with the keys that apps have inside; POST when there is a body. */
async function call({ address, apiKey, secretKey }: DeviceApi, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${address}${path}`, {
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${apiKey}:${secretKey}`).toString('base64')}`,
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new AppError('unavailable', `${path} answers ${response.status}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
