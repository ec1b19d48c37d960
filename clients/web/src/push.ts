import { DEVICE_REGISTERED, DEVICE_UNSUBSCRIBED, MESSAGE_OPENED, PUSH } from '../../core/src/index.ts'
import type { App, Push, PushRefusal, PushState } from './api.ts'
import { alone, warn } from './device.ts'
import type { Page } from './page.ts'
import { changes } from './store.ts'
import { registrationOf, subscribe, unsubscribe } from './subscription.ts'

/** Reasons as sentences. */
const WHY: Record<PushRefusal, string> = {
  askable: 'Nobody was asked yet.',
  denied: 'Notifications are blocked. Only the person can allow them, in the settings of the browser.',
  dismissed: 'The question was closed without an answer.',
  'no-gesture': 'Call push.ask() in the handler of a click.',
  unsupported: 'This browser has no Web Push.',
  'not-installed': 'Add this page to the Home Screen first.',
  insecure: 'Push needs https.',
  'not-configured': 'The app has no Web Push gateway.',
  failed: 'Subscribing failed:',
}

const refused = (state: PushRefusal, why = WHY[state]): PushState => ({ state, why })

/** A message of the worker to its pages. */
interface FromWorker {
  /** API key of the app whose message it is. */
  app?: string
  appsvc?: 'push.received' | 'push.opened' | 'push.changed'
  push?: Push
}

export function createPush(page: Page, onAnnounced: () => void): App['push'] {
  const { options } = page

  /** The reason why this browser can have no pushes at all; undefined when it can. */
  function obstacle(): PushState | undefined {
    if (!isSecureContext) return refused('insecure')
    // iPads call themselves Macs.
    const isApple = /Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1
    const isThere = 'Notification' in globalThis && ('PushManager' in globalThis || 'pushManager' in globalThis)
    if (!isThere) return refused(isApple ? 'not-installed' : 'unsupported')
    return Notification.permission === 'denied' ? refused('denied') : undefined
  }

  async function ask(): Promise<PushState> {
    const wrong = obstacle()
    if (wrong) return wrong
    if (Notification.permission !== 'granted') {
      if (navigator.userActivation && !navigator.userActivation.isActive) return refused('no-gesture')
      // Before anything is waited for: the click must be fresh.
      const answer = await Notification.requestPermission()
      if (answer !== 'granted') return refused(answer === 'denied' ? 'denied' : 'dismissed')
    }
    await page.change('stopped', () => false)
    const state = await alone('push', options.apiKey, () => renew(true))
    if (state.state === 'subscribed') {
      await page.flush()
      // Firefox would ask the person.
      if (!CSS.supports('-moz-appearance', 'none')) void navigator.storage?.persist?.().catch(() => {})
    }
    return state
  }

  /** Subscribes if need be, with the key of today, and tells the server what is new. */
  async function renew(isFresh: boolean): Promise<PushState> {
    const config = await page.config(isFresh)
    if (!config) return refused('failed', `${options.url} gives no answer to these keys.`)
    if (!config.publicKey) return refused('not-configured')
    try {
      const subscription = await subscribe(options, config.publicKey)
      const text = registrationOf(subscription)
      if ((await page.get('registered')) !== text) {
        await page.track(DEVICE_REGISTERED, JSON.parse(text) as Record<string, unknown>)
        await page.change('registered', () => text)
        page.tell('push.changed', { state: 'subscribed' })
      }
      return { state: 'subscribed' }
    } catch (error) {
      return refused('failed', `${WHY.failed} ${String(error)}`)
    }
  }

  async function forget(): Promise<void> {
    // Of two tabs that see it, one says so.
    if (!(await changes(page, 'registered', undefined))) return
    await page.track(DEVICE_UNSUBSCRIBED, {}, true)
    page.tell('push.changed', await state())
  }

  async function state(): Promise<PushState> {
    const wrong = obstacle()
    if (wrong) return wrong
    return (await page.get('registered')) && Notification.permission === 'granted'
      ? { state: 'subscribed' }
      : refused('askable')
  }

  /** Looks whether the permission and the key are still those of the subscription. */
  async function check(): Promise<void> {
    if (!isSecureContext || !('Notification' in globalThis)) return
    if (Notification.permission !== 'granted') return forget()
    if (!(await page.get('stopped'))) await alone('push', options.apiKey, () => renew(false))
  }

  /** Reports an opening that the address of the page tells of, and takes that part out of the address. */
  async function readAddress(): Promise<void> {
    const address = new URL(location.href)
    const id = Number(address.searchParams.get('knid'))
    if (!Number.isSafeInteger(id) || id <= 0) return
    address.searchParams.delete('knid')
    history.replaceState(history.state, '', address)
    await page.track(MESSAGE_OPENED, { type: PUSH, id }, true)
    page.tell('push.opened', { id, title: '', message: '', url: address.href, data: {} })
  }

  function hear({ data }: MessageEvent<FromWorker | null>): void {
    if (data?.app !== options.apiKey) return
    if (data.appsvc === 'push.changed') void state().then((now) => page.tell('push.changed', now))
    else if (data.appsvc && data.push) {
      page.tell(data.appsvc, data.push)
      if (data.push.inAppId) onAnnounced()
    }
  }

  async function begin(): Promise<void> {
    navigator.serviceWorker?.addEventListener('message', hear)
    const opened = await page.get('opened')
    if (opened) {
      await page.change('opened', () => undefined)
      if (Date.now() - opened.at < OPENS_MS) page.tell('push.opened', opened.push)
    }
    await readAddress()
    await check()
    const permission = await navigator.permissions?.query({ name: 'notifications' }).catch(() => undefined)
    permission?.addEventListener('change', () => void check().catch(() => {}))
  }

  void begin().catch(warn)
  return {
    ask: () => ask().catch((error: unknown) => refused('failed', `${WHY.failed} ${String(error)}`)),
    state,
    async stop() {
      await page.change('stopped', () => true)
      // First of all, because it works offline: the server sends nothing more.
      await forget()
      await unsubscribe(options)
    },
  }
}

/** The time (ms) in which a click on a push opens a page. */
const OPENS_MS = 30_000
