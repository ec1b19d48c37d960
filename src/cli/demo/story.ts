import type { NewApp } from '../../domain/apps/types.ts'
import { checkBlocks } from '../../domain/gateways/service.ts'
import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { type Card, cardOf } from '../../sandbox/card.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Received } from '../../sandbox/stand-in/ledger.ts'
import { check } from './check.ts'
import { type DemoDevice, makeDevices, WEBSITE } from './devices.ts'
import { type DeviceApi, type ReadPush, readPush, startApp } from './sdk.ts'

/** Time limit of each step of the demo. A step takes about a second on a small busy machine. */
const PATIENCE_MS = 45_000
const LOOK_MS = 50

/** The notification of the demo, as piped into `appsvc notify`. */
export const MESSAGE = {
  target: { broadcast: true },
  content: { title: 'Fresh bread', message: 'Out of the oven until six.', url: `${WEBSITE}/bread` },
}

/** Creates an app with every gateway, each of them a stand-in. */
export async function makeApp(program: Program, sandbox: Sandbox): Promise<NewApp> {
  const { website } = sandbox.credentials
  const blocks = await checkBlocks(
    {
      ...sandbox.blocks,
      safari: {
        p12: website.p12,
        password: website.password,
        intermediate: website.intermediate,
        siteUrl: WEBSITE,
        iconUrl: `${WEBSITE}/icon.png`,
        websiteName: 'Bakery',
      },
    },
    program.kernel.clock.now(),
  )
  return program.inTransaction(async (tx) => {
    const made = await tx.apps.create({ name: 'Bakery' })
    await tx.gateways.configure(made.id, blocks)
    return made
  })
}

/** A device that has registered with the server. */
export interface StartedDevice {
  device: DemoDevice
  /** The push token or endpoint by which the stand-in identifies it. */
  token: string
}

/** The sandbox's names of gateways that several platforms share or that have another name there. */
const SANDBOX_NAMES: Partial<Record<DemoDevice['platform'], string>> = { ios: 'apns', safari: 'apns', android: 'fcm' }

/** Registers seven devices, as on the first start of the app or the first visit of the website. */
export function bringDevices(api: DeviceApi, sandbox: Sandbox): Promise<StartedDevice[]> {
  return Promise.all(
    makeDevices().map(async (device) => {
      const token = await startApp(api, device, sandbox.subscribe)
      // So that the page of the sandbox calls it by its name.
      sandbox.declareDevice({ token, gateway: SANDBOX_NAMES[device.platform] ?? device.platform, name: device.name })
      return { device, token }
    }),
  )
}

export interface Reception {
  device: DemoDevice
  /** The card that the device shows. */
  card: Card
  /** The push as its SDK reads it. */
  push: ReadPush
}

/**
 * Waits until every device has the notification. Throws `unavailable`, naming a device that has not, after
 * `patienceMs`.
 */
export async function receive(
  sandbox: Pick<Sandbox, 'countOf' | 'on' | 'received'>,
  started: readonly StartedDevice[],
  notificationId: number,
  patienceMs = PATIENCE_MS,
): Promise<Reception[]> {
  const id = String(notificationId)
  const missing = () => started.filter(({ token }) => sandbox.countOf(token, id) === 0)
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = sandbox.on('message', () => missing().length === 0 && resolve())
  const late = setTimeout(resolve, patienceMs)
  if (missing().length > 0) await promise
  clearTimeout(late)
  off()
  return started.map(({ device, token }) => {
    const [message] = sandbox.received({ token, notificationId: id, taken: true, limit: 1 })
    if (!message) throw new AppError('unavailable', notArrived(device, sandbox.received({ token, limit: 1 })[0]))
    const push = readPush(device, message.payload)
    check(push.notificationId === notificationId, `${device.name} got notification ${push.notificationId}, not ${id}`)
    const card = cardOf(message)
    check(card.visible, `${device.name} would not show the notification`)
    return { device, card, push }
  })
}

function notArrived({ name }: DemoDevice, last: Received | undefined): string {
  return `the push for ${name} did not arrive in time${last ? `: its gateway answered ${last.answer}` : ''}`
}

/** Waits until the outcomes are recorded, which happens a moment after the devices have the notification. */
export async function untilSent(program: Program, appId: number, notificationId: number): Promise<void> {
  const { clock } = program.kernel
  const until = clock.monotonic() + PATIENCE_MS
  for (;;) {
    const { counts } = await program.notifications.report(appId, notificationId)
    if (counts.audience > 0 && counts.pending === 0) return
    if (clock.monotonic() >= until) throw new AppError('unavailable', 'the notification was not finished in time')
    await clock.sleep(LOOK_MS)
  }
}

/** The server API, as an app's own server calls it. */
export interface ServerApi {
  /** GET with the app's keys. Throws `unavailable`. */
  get(path: string): Promise<unknown>
}

export function serverApi(address: string, { apiKey, serverKey }: NewApp): ServerApi {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`
  return {
    async get(path) {
      const response = await fetch(`${address}${path}`, { headers: { authorization } })
      if (!response.ok) throw new AppError('unavailable', `${path} answers ${response.status}`)
      return response.json()
    },
  }
}
