import type { StartOptions } from './api.ts'
import { openStore } from './store.ts'

/** The worker's path unless the page says otherwise. */
const WORKER = '/appsvc-worker.js'

/** The bytes of a public key in base64url. */
function bytesOf(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** The data of the event that tells the server of a subscription, as text. Our worker reads declarative pushes. */
export function registrationOf(subscription: PushSubscription): string {
  return JSON.stringify({ type: 3, token: subscription.toJSON(), declarative: true })
}

/** The subscription of a push manager with this key: the one that it has, or a new one in the place of one with another key. */
export async function subscribeAt(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const applicationServerKey = bytesOf(publicKey)
  const before = await manager.getSubscription()
  // Not every browser tells the key.
  const known = before?.options?.applicationServerKey
  if (before && (!known || String(new Uint8Array(known)) === String(applicationServerKey))) return before
  await before?.unsubscribe()
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

/** Registers the worker and subscribes. Without a worker: where the browser shows declarative pushes itself. */
export async function subscribe(options: StartOptions, publicKey: string): Promise<PushSubscription> {
  return subscribeAt(await managerOf(options), publicKey)
}

/** Ends the subscription, if there is one. */
export async function unsubscribe({ worker = WORKER, scope }: StartOptions): Promise<void> {
  // A worker serves the folder of its file unless it is told otherwise.
  const at = scope ?? (worker || '/').replace(/[^/]*$/, '')
  const { pushManager } =
    (await navigator.serviceWorker?.getRegistration(at)) ?? (globalThis as Partial<ServiceWorkerRegistration>)
  await (await pushManager?.getSubscription())?.unsubscribe()
}

async function managerOf({ worker = WORKER, scope, url, apiKey, secretKey }: StartOptions): Promise<PushManager> {
  const { pushManager } = globalThis as { pushManager?: PushManager }
  try {
    if (worker === false) throw new Error('there is no worker')
    const given = trusted(worker) as string
    const registration = await navigator.serviceWorker.register(given, { scope } as RegistrationOptions)
    // The worker may wake without a page, and serves the app that registered it last.
    await (await openStore(registration.scope)).change('server', () => ({ url, apiKey, secretKey }))
    await active(registration)
    return registration.pushManager
  } catch (error) {
    if (pushManager) return pushManager
    throw error
  }
}

/** Waits until the registration has an active worker: only then may it subscribe. */
function active({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = (active ?? waiting ?? installing)!
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('the worker cannot be installed'))
    }
    worker.addEventListener('statechange', look)
    look()
  })
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown }
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** The path of the worker in the form that pages with Trusted Types want: their policy has to allow `appsvc`. */
function trusted(url: string): unknown {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  if (!types) return url
  policy ??= types.createPolicy('appsvc', { createScriptURL: (one) => one })
  return policy.createScriptURL(url)
}
