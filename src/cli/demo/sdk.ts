import { randomBytes, randomUUID } from 'node:crypto'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import { AppError } from '../../platform/errors.ts'
import { objectOf } from '../../platform/json/json.ts'
import { findStandIn } from '../../sandbox/stand-ins.ts'
import type { WebService, WebSubscription } from '../../sandbox/web/subscriptions.ts'
import { BUNDLE, type DemoDevice, isPage, WEBSITE } from './devices.ts'

/** The server as devices see it. */
export interface DeviceApi {
  /** The address of the server; each area has its prefix. */
  address: string
  apiKey: string
  secretKey: string
}

/** Subscribes a browser, or a phone, to web pushes with this public key of the server. */
export type Subscribe = (wish: { publicKey: string; service?: WebService }) => WebSubscription

/** A message in the response of a sync; only the fields that the demo uses. Times as the server writes them. */
export interface InAppMessage {
  id: number
  content: unknown
  /** The time at which the message was closed on some device; then it is not shown. */
  openedAt: string | null
  updatedAt: string
}

/** The parts of a push that an SDK reads. */
export interface ReadPush {
  notificationId: number
  /** The in-app message that the push announces. */
  inAppId?: number
  /** Safari: the page that a click opens. */
  page?: string
}

/** Codes of message types in events (docs/reference/device-protocol.md section 4). */
const PUSH = 1
const IN_APP = 2

type Json = Record<string, unknown>
interface Event {
  type: string
  data?: Json
  /** The user of the event, if not the user of the device. */
  userId?: string
}

/** First start: the device reports its details, its user and its push token. Returns the token (browsers: endpoint). */
export async function startApp(api: DeviceApi, device: DemoDevice, subscribe: Subscribe): Promise<string> {
  const { installId, user } = device
  const tracked: Event = { type: 'k.stats.installTracked', data: device.details as Json, userId: installId }
  const associated: Event = { type: 'k.stats.userAssociated', data: { id: user } }
  if (isPage(device)) {
    // Two simultaneous requests, as the SDK sends them: the server must accept them in either order.
    const viewed: Event = { type: 'k.pageViewed', data: { title: 'Bakery', path: '/' }, userId: installId }
    await Promise.all([sendEvents(api, device, [viewed]), sendEvents(api, device, [tracked])])
    await sendEvents(api, device, [associated])
    const { token, data } = await subscribeForWeb(api, device, subscribe)
    await sendEvents(api, device, [{ type: 'k.push.deviceRegistered', data }])
    return token
  }
  const { token, data } = device.unifiedPush ? await subscribeForWeb(api, device, subscribe) : makeToken(device)
  await sendEvents(api, device, [
    tracked,
    associated,
    // Sent by an app that asks for consent after sign-in. SDKs with automatic enrolment send it whenever a user is set.
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

/** The web configuration (K1) contains the public key for subscriptions and the website push id of Safari. */
async function subscribeForWeb(
  api: DeviceApi,
  { platform, unifiedPush }: DemoDevice,
  subscribe: Subscribe,
): Promise<{ token: string; data: Json }> {
  const type = PLATFORM_TYPES[platform]
  const config = (await call(api, '/push/v1/web/config')) as { publicKey: string; safariPushId: string | null }
  if (platform === 'safari') {
    const token = randomBytes(32).toString('hex')
    return { token, data: { token, type, bundleId: config.safariPushId } }
  }
  const subscription = subscribe({
    publicKey: config.publicKey,
    ...(unifiedPush && { service: 'unifiedpush' as const }),
  })
  return { token: subscription.endpoint, data: { token: subscription, type } }
}

/**
 * Reads the payload of a push (JSON) as the SDK of the device does (docs/reference/device-protocol.md section 10).
 * Throws `unavailable` if the SDK would not recognise the push as its own.
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
  throw new AppError('unavailable', `the push for ${name} has no notification id`)
}

/**
 * Reports that a push arrived and, with `isOpened`, that its owner tapped it. Old Safari can report only the tap,
 * through the page that it opens.
 */
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
  if (!isPage(device)) return sendEvents(api, device, events)
  for (const event of events) await sendEvents(api, device, [event])
}

/** Fetches the in-app messages of the user (M1), with `last` only those changed since, and reports their arrival. */
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

/** Reports that the renderer page has displayed the message. */
export function reportShown(api: DeviceApi, device: DemoDevice, { id }: InAppMessage): Promise<void> {
  const data = { type: IN_APP, id }
  return sendEvents(api, device, [
    { type: 'k.message.opened', data },
    { type: 'k.message.read', data },
  ])
}

/** Reports that the user closed the message. */
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
    throw new AppError('unavailable', `the server refused events of ${name}: ${JSON.stringify(answer)}`)
  }
}

/** A call with the keys that are compiled into apps; POST if there is a body. */
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
