import {
  DEVICE_REGISTERED,
  MESSAGE_DELIVERED,
  MESSAGE_DISMISSED,
  MESSAGE_OPENED,
  PUSH,
  type ReadPush,
  readPush,
  WEB_CONFIG,
} from '../../../core/src/index.ts'
import type { Push } from '../api.ts'
import { createDevice, type Device } from '../device.ts'
import { type Kept, openStore, type WebConfig } from '../store.ts'
import { registrationOf, subscribeAt } from '../subscription.ts'

/**
 * The service worker: shows pushes and reports what becomes of them, also when no page is open. It answers no requests, so that a worker of
 * the site may import it beside its own work.
 */

declare const self: ServiceWorkerGlobalScope & {
  registration: { sync?: { register(tag: string): Promise<void> } }
}

/** The name under which the browser calls the worker when it is online again. */
const SYNC = 'appsvc'

/** Things that the notification carries from the push to the click. */
interface Carried {
  appsvc: ReadPush
  /** The app whose push it is: by the click, the worker may serve another one. */
  server: Kept['server'] | undefined
}

/** The app that this worker serves, when a page has registered the worker. */
const servedApp = async () => (await openStore(self.registration.scope)).get('server')

/** The device as an app knows it, when a page has started the client before. */
async function openDevice(server: Kept['server'] | undefined): Promise<Device | undefined> {
  const store = await openStore(server?.apiKey)
  const installId = await store.get('installId')
  return installId === undefined ? undefined : createDevice(store, server!, installId)
}

async function onPush(payload: unknown, shown: { data: unknown } | undefined): Promise<void> {
  // A declarative push brings its notification, which the browser shows: its data is the block of the payload.
  const appsvc = readPush(payload) ?? readPush({ data: shown?.data })
  if (!appsvc) return
  const carried = { appsvc, server: await servedApp() }
  // First of all: a browser takes the subscription from a worker that shows nothing.
  if (!shown) await show(carried)
  await Promise.all([badge(carried), report(MESSAGE_DELIVERED, carried), tellPages('push.received', carried)])
}

function show(data: Carried): Promise<void> {
  const { title, message, icon, image, tag, buttons } = data.appsvc
  return self.registration.showNotification(title, {
    body: message,
    data,
    icon,
    image,
    tag,
    // A push that replaces another one is heard again.
    renotify: tag !== undefined,
    actions: buttons.map(({ id, text }) => ({ action: id, title: text })),
  } as NotificationOptions)
}

/** Sets the number on the icon of an installed page, or adds to it. */
async function badge({ appsvc: { badge }, server }: Carried): Promise<void> {
  if (!badge) return
  const store = await openStore(server?.apiKey)
  const count = await store.change('badge', (before = 0) =>
    Math.max(0, badge.type === 'setTo' ? badge.count : before + badge.count),
  )
  await self.navigator.setAppBadge?.(count).catch(() => {})
}

/** Reports what became of a push; without a network, as soon as there is one. */
async function report(type: string, { appsvc: { id }, server }: Carried, action?: string): Promise<void> {
  const device = await openDevice(server)
  if (!device) return
  await device.track(type, { type: PUSH, id, ...(action && { actionId: action }) })
  if (await device.send()) await self.registration.sync?.register(SYNC).catch(() => {})
}

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })

/** A message to pages: those of another app leave it. */
const messageOf = (appsvc: string, server: Kept['server'] | undefined, push?: Push) => ({
  appsvc,
  app: server?.apiKey,
  push,
})

async function tellPages(what: string, { server, appsvc }: Partial<Carried>): Promise<void> {
  for (const client of await pages()) client.postMessage(messageOf(what, server, appsvc))
}

async function onClick({ appsvc, server }: Carried, action: string): Promise<void> {
  const target = new URL(appsvc.url ?? '/', self.registration.scope)
  const push: Push = { ...appsvc, ...(action && { action }) }
  const there = (await pages()).find(({ url }) => withoutHash(url) === withoutHash(target.href))
  if (there) {
    await there.focus().catch(() => {})
    return there.postMessage(messageOf('push.opened', server, push))
  }
  // The page that opens asks for it. One of another origin cannot.
  if (target.origin === self.location.origin)
    await (await openStore(server?.apiKey)).change('opened', () => ({ at: Date.now(), push }))
  await self.clients.openWindow(target.href)
}

const withoutHash = (url: string) => url.replace(/#.*/, '')

/** The browser changed the subscription on its own, or took it: subscribes again, with the key of today. */
async function onChange(given: PushSubscription | null | undefined): Promise<void> {
  const server = await servedApp()
  const device = await openDevice(server)
  if (!device || (await device.store.get('stopped'))) return
  // A subscription that the browser brings can be reported without a network, later.
  const subscription = given ?? (await subscribeAt(self.registration.pushManager, await keyOf(device)))
  const text = registrationOf(subscription)
  await device.track(DEVICE_REGISTERED, JSON.parse(text) as Record<string, unknown>)
  await device.store.change('registered', () => text)
  await device.send()
  await tellPages('push.changed', { server })
}

const keyOf = async ({ call }: Device) => ((await call(WEB_CONFIG)).body as WebConfig).publicKey

const carriedBy = ({ data }: Notification) => {
  const carried = data as Carried | null
  return carried?.appsvc && carried
}

self.addEventListener('push', (event) => {
  const { notification } = event as PushEvent & { notification?: { data: unknown } }
  let payload: unknown
  try {
    payload = event.data?.json()
  } catch {
    // Somebody else's.
  }
  event.waitUntil(onPush(payload, notification ?? undefined))
})

self.addEventListener('notificationclick', (event) => {
  const carried = carriedBy(event.notification)
  if (!carried) return
  event.notification.close()
  event.waitUntil(Promise.all([onClick(carried, event.action), report(MESSAGE_OPENED, carried, event.action)]))
})

self.addEventListener('notificationclose', (event) => {
  const carried = carriedBy(event.notification)
  if (carried) event.waitUntil(report(MESSAGE_DISMISSED, carried))
})

self.addEventListener('pushsubscriptionchange', (event) => {
  const { newSubscription } = event as ExtendableEvent & { newSubscription?: PushSubscription | null }
  event.waitUntil(onChange(newSubscription))
})

self.addEventListener('sync' as 'activate', (event) => {
  if ((event as ExtendableEvent & { tag: string }).tag === SYNC) {
    event.waitUntil(
      servedApp()
        .then(openDevice)
        .then((device) => device?.send()),
    )
  }
})
