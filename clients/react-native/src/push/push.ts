import {
  DEVICE_REGISTERED,
  DEVICE_UNSUBSCRIBED,
  MESSAGE_DELIVERED,
  MESSAGE_OPENED,
  PUSH,
} from '../../../core/src/index.ts'
import type { App, PushState } from '../api.ts'
import type { Device } from '../device.ts'
import { isDataMessage, isVisible, readPush } from './payload.ts'
import type { Permission, PushSource, PushToken } from './source.ts'

type Refusal = Exclude<PushState['state'], 'subscribed'>

/** Reasons as sentences. */
const WHY: Record<Refusal, string> = {
  askable: 'Nobody was asked yet.',
  denied: 'Notifications are off. Only the person can allow them, in the settings of the phone.',
  unsupported: 'This phone gave no push token: a simulator, or a phone without the services of the vendor.',
  stopped: 'The app has stopped pushes on this phone.',
  failed: 'The token could not be had:',
}
const refused = (state: Refusal, why = WHY[state]): PushState => ({ state, why })

/** Pushes on this phone: its token, what arrives, what is opened. `onAnnounced` runs when a push announces an in-app message. */
export function createPush(
  device: Device,
  onAnnounced: () => Promise<void>,
): App['push'] & { begin(): Promise<void>; end(): void } {
  const { push: source } = device.options
  let end = () => {}
  /** The token as the server was told since the app was started: a server that was set back to an older state hears of it at the next start. */
  let told = ''

  /** Hands a token over, unless the server knows it as it is. */
  async function register(given: PushToken, permission: Permission): Promise<PushState> {
    const { bundle, isDebug = false } = device.options.app
    const isApple = given.type === 1
    const data = {
      ...given,
      ...(isApple ? { bundleId: bundle, iosTokenType: isDebug ? 2 : 1 } : { package: bundle }),
      areNotificationsEnabled: permission === 'granted',
    }
    const text = JSON.stringify(data)
    await device.change('registered', () => text)
    if (told !== text) {
      told = text
      await device.track(DEVICE_REGISTERED, data)
      await device.flush()
    }
    return permission === 'granted' ? { state: 'subscribed' } : refused(permission)
  }

  /** Looks what the phone has now, and tells the server what is new. */
  async function renew(with_: PushSource, permission: Permission): Promise<PushState> {
    if (await device.get('stopped')) return refused('stopped')
    // A token of somebody who was never asked is of no use yet, and iOS gives none.
    if (permission === 'askable' && !(await device.get('registered'))) return refused('askable')
    const token = await with_.token()
    return token ? register(token, permission) : refused('unsupported')
  }

  /** Hands a token over that the phone has now in place of another one. */
  async function replace(with_: PushSource, token: PushToken): Promise<PushState> {
    if (await device.get('stopped')) return refused('stopped')
    return register(token, await with_.permission())
  }

  /** Lets work go on, and tells a library that waits for it when it is done. */
  function inBackground(work: Promise<void>): Promise<void> {
    device.background(work)
    return work.catch(() => undefined)
  }

  /** Runs what may fail, and tells the app what is new. */
  async function safely(work: (source: PushSource) => Promise<PushState>): Promise<PushState> {
    if (!source) return refused('unsupported', 'The app has no source of pushes: give the option push.')
    const before = JSON.stringify(await state())
    const after = await work(source).catch((error: unknown) => refused('failed', `${WHY.failed} ${String(error)}`))
    if (JSON.stringify(after) !== before) device.tell('push.changed', after)
    return after
  }

  async function state(): Promise<PushState> {
    if (!source) return refused('unsupported', 'The app has no source of pushes: give the option push.')
    if (await device.get('stopped')) return refused('stopped')
    const permission = await source.permission().catch((): Permission => 'askable')
    if (permission !== 'granted') return refused(permission)
    return (await device.get('registered')) ? { state: 'subscribed' } : refused('askable')
  }

  async function received(payload: unknown): Promise<void> {
    const push = readPush(payload)
    if (!push) return
    await device.track(MESSAGE_DELIVERED, { type: PUSH, id: push.id })
    device.tell('push.received', push)
    // The phone may stop JavaScript right after: show first, talk to the server then.
    if (isDataMessage(payload) && isVisible(push)) await source?.show?.(push, payload).catch(device.warn)
    if (push.inAppId !== undefined) await onAnnounced()
    await device.flush()
  }

  async function opened(payload: unknown, action?: string, key?: string): Promise<void> {
    const push = readPush(payload)
    if (!push) return
    if (key !== undefined && (await device.change('lastOpening', () => key)) === key) return
    await device.track(MESSAGE_OPENED, { type: PUSH, id: push.id })
    device.tell('push.opened', action === undefined ? push : { ...push, action }, true)
    if (push.inAppId !== undefined) await onAnnounced()
    await device.flush()
  }

  return {
    state,
    ask: () =>
      safely(async (with_) => {
        const known = await with_.permission()
        const permission = known === 'askable' ? await with_.ask() : known
        if (permission !== 'granted') return refused(permission)
        await device.change('stopped', () => undefined)
        return renew(with_, permission)
      }),
    async stop() {
      await device.change('stopped', () => true)
      told = ''
      if ((await device.change('registered', () => undefined)) === undefined) return
      await device.track(DEVICE_UNSUBSCRIBED, {})
      device.tell('push.changed', refused('stopped'))
      await device.flush()
    },
    inBackground: received,
    opened,
    async begin() {
      if (!source) return
      end = source.listen({
        token: (token) => device.background(safely((with_) => replace(with_, token))),
        received: (payload) => inBackground(received(payload)),
        opened: (payload, action, key) => inBackground(opened(payload, action, key)),
      })
      const first = await source.opening().catch(() => undefined)
      if (first) await opened(first.payload, first.action, first.key)
      await safely(async (with_) => renew(with_, await with_.permission()))
    },
    end: () => end(),
  }
}
