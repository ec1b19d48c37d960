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
import { openStore, type Store, type WebConfig } from '../store.ts'
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
}

/** The device, when a page of this origin has started the client before. */
async function openDevice(): Promise<{ store: Store; device: Device | undefined }> {
  const store = await openStore()
  const server = await store.get('server')
  const installId = await store.get('installId')
  return { store, device: server && installId !== undefined ? createDevice(store, server, installId) : undefined }
}

async function onPush(payload: unknown, shown: { data: unknown } | undefined): Promise<void> {
  // A declarative push brings its notification, which the browser shows: its data is the block of the payload.
  const push = readPush(payload) ?? readPush({ data: shown?.data })
  if (!push) return
  // First of all: a browser takes the subscription from a worker that shows nothing.
  if (!shown) await show(push)
  await Promise.all([badge(push), report(MESSAGE_DELIVERED, push), tellPages('push.received', push)])
}

function show(push: ReadPush): Promise<void> {
  const carried: Carried = { appsvc: push }
  return self.registration.showNotification(push.title, {
    body: push.message,
    data: carried,
    icon: push.icon,
    image: push.image,
    tag: push.tag,
    // A push that replaces another one is heard again.
    renotify: push.tag !== undefined,
    actions: push.buttons.map(({ id, text }) => ({ action: id, title: text })),
  } as NotificationOptions)
}

/** Sets the number on the icon of an installed page, or adds to it. */
async function badge({ badge }: ReadPush): Promise<void> {
  if (!badge) return
  const store = await openStore()
  const count = await store.change('badge', (before = 0) =>
    Math.max(0, badge.type === 'setTo' ? badge.count : before + badge.count),
  )
  await self.navigator.setAppBadge?.(count).catch(() => {})
}

/** Reports what became of a push; without a network, as soon as there is one. */
async function report(type: string, { id }: ReadPush, action?: string): Promise<void> {
  const { device } = await openDevice()
  if (!device) return
  await device.track(type, { type: PUSH, id, ...(action && { actionId: action }) })
  if (await device.send()) await self.registration.sync?.register(SYNC).catch(() => {})
}

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })

async function tellPages(appsvc: string, push?: Push): Promise<void> {
  for (const client of await pages()) {
    client.postMessage({ appsvc, push })
  }
}

async function onClick(push: ReadPush, action: string): Promise<void> {
  const target = new URL(push.url ?? '/', self.registration.scope)
  const opened: Push = { ...push, ...(action && { action }) }
  const there = (await pages()).find(({ url }) => withoutHash(url) === withoutHash(target.href))
  if (there) {
    await there.focus().catch(() => {})
    return there.postMessage({ appsvc: 'push.opened', push: opened })
  }
  // The page that opens asks for it. One of another origin cannot.
  if (target.origin === self.location.origin)
    await (await openStore()).change('opened', () => ({ at: Date.now(), push: opened }))
  await self.clients.openWindow(target.href)
}

const withoutHash = (url: string) => url.replace(/#.*/, '')

/** The browser changed the subscription on its own, or took it: subscribes again, with the key of today. */
async function onChange(given: PushSubscription | null | undefined): Promise<void> {
  const { store, device } = await openDevice()
  if (!device || (await store.get('stopped'))) return
  const { body } = await device.call(WEB_CONFIG)
  const { publicKey } = body as WebConfig
  const subscription = given ?? (await subscribeAt(self.registration.pushManager, publicKey))
  const text = registrationOf(subscription)
  await device.track(DEVICE_REGISTERED, JSON.parse(text) as Record<string, unknown>)
  await store.change('registered', () => text)
  await device.send()
  await tellPages('push.changed')
}

const pushOf = ({ data }: Notification) => (data as Carried | null)?.appsvc

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
  const push = pushOf(event.notification)
  if (!push) return
  event.notification.close()
  event.waitUntil(Promise.all([onClick(push, event.action), report(MESSAGE_OPENED, push, event.action)]))
})

self.addEventListener('notificationclose', (event) => {
  const push = pushOf(event.notification)
  if (push) event.waitUntil(report(MESSAGE_DISMISSED, push))
})

self.addEventListener('pushsubscriptionchange', (event) => {
  const { newSubscription } = event as ExtendableEvent & { newSubscription?: PushSubscription | null }
  event.waitUntil(onChange(newSubscription))
})

self.addEventListener('sync' as 'activate', (event) => {
  if ((event as ExtendableEvent & { tag: string }).tag === SYNC) {
    event.waitUntil(openDevice().then(({ device }) => device?.send()))
  }
})
