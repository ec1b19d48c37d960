import type { App } from '../../app.ts'
import type { NewApp } from '../../domain/apps/types.ts'
import { checkBlocks } from '../../domain/gateways/service.ts'
import { AppError } from '../../platform/errors.ts'
import { type Card, cardOf } from '../../sandbox/card.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type DemoDevice, type DeviceApi, makeDevices, registerDevice, reportReceipt } from './devices.ts'

/** How long anything of the story may take; on a busy small machine it takes a second. */
const PATIENCE_MS = 20_000
const LOOK_MS = 50

/** The message of the story, as somebody would pipe it into `appsvc notify`. */
export const MESSAGE = {
  target: { broadcast: true },
  content: { title: 'Fresh bread', message: 'Out of the oven until six.', data: { shop: 'corner' } },
  reportingMeta: { campaign: 'demo' },
}

/** A fresh app whose gateways are the stand-ins. */
export async function makeApp(app: App, sandbox: Sandbox): Promise<NewApp> {
  const { p12, serviceAccount } = sandbox.credentials
  const blocks = await checkBlocks(
    { ios: { p12: p12.p12, password: p12.password, mode: 'production' }, android: { serviceAccount } },
    app.kernel.clock.now(),
  )
  return app.inTransaction(async (tx) => {
    const made = await tx.apps.create({ name: 'Bakery' })
    await tx.gateways.configure(made.id, blocks)
    return made
  })
}

/** Five devices that have just started the app for the first time. */
export async function bringDevices(api: DeviceApi): Promise<DemoDevice[]> {
  const devices = makeDevices()
  await Promise.all(devices.map((device) => registerDevice(api, device)))
  return devices
}

export interface Reception {
  device: DemoDevice
  card: Card
}

/** Waits until every device has got the notification, and lets each report it. Throws `unavailable` when one never does. */
export async function receive(
  sandbox: Sandbox,
  api: DeviceApi,
  devices: DemoDevice[],
  notificationId: number,
): Promise<Reception[]> {
  const id = String(notificationId)
  const complete = () => devices.every(({ token }) => sandbox.countOf(token, id) > 0)
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = sandbox.on('message', () => complete() && resolve())
  const late = setTimeout(resolve, PATIENCE_MS)
  if (!complete()) await promise
  clearTimeout(late)
  off()
  const received = devices.map((device) => {
    const [message] = sandbox.received({ token: device.token, notificationId: id, taken: true, limit: 1 })
    if (!message)
      throw new AppError('unavailable', `the push for ${device.name} did not arrive within ${PATIENCE_MS / 1000} s`)
    return { device, card: cardOf(message) }
  })
  await Promise.all(devices.map((device) => reportReceipt(api, device, notificationId)))
  return received
}

/** Waits until the ledger says so too: the gateways' answers are recorded a moment after the devices have the message. */
export async function untilSent(app: App, appId: number, notificationId: number): Promise<void> {
  const { clock } = app.kernel
  const until = clock.monotonic() + PATIENCE_MS
  for (;;) {
    const { counts } = await app.notifications.report(appId, notificationId)
    if (counts.audience > 0 && counts.pending === 0) return
    if (clock.monotonic() >= until) throw new AppError('unavailable', 'the notification was not finished in time')
    await clock.sleep(LOOK_MS)
  }
}

/** GET with the app's keys, as a server of the customer would. */
export async function getJson(url: string, { apiKey, serverKey }: NewApp): Promise<unknown> {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`
  const response = await fetch(url, { headers: { authorization } })
  if (!response.ok) throw new AppError('unavailable', `${url} answers ${response.status}`)
  return response.json()
}
