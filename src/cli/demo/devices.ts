import { randomBytes, randomUUID } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'

/** A device of the demonstration: what its SDK would tell the server, and what its owner does with a push. */
export interface DemoDevice {
  name: string
  user: string
  installId: string
  token: string
  /** Data of `k.stats.installTracked` and of `k.push.deviceRegistered` (device-protocol sections 5 and 6). */
  details: object
  registration: object
  opens: boolean
}

const BUNDLE = 'com.example.app'

interface Kind {
  name: string
  user: string
  /** Numeric codes of device-protocol section 5. */
  os: { id: number; version: string }
  sdk: { id: number; version: string }
  runtime: number
  model: string
  tz: string
  locale: string
  opens: boolean
  /** Apple only: 1 production, 2 a build from the developer's machine. */
  iosTokenType?: 1 | 2
}

const KINDS: Kind[] = [
  {
    name: "Anna's iPhone",
    user: 'anna',
    os: { id: 1, version: '18.2' },
    sdk: { id: 4, version: '10.0.0' },
    runtime: 1,
    model: 'iPhone17,1',
    tz: 'Europe/Berlin',
    locale: 'de-DE',
    opens: true,
    iosTokenType: 1,
  },
  {
    name: "Ben's iPad",
    user: 'ben',
    os: { id: 1, version: '17.6' },
    sdk: { id: 1, version: '8.4.0' },
    runtime: 1,
    model: 'iPad14,1',
    tz: 'Europe/London',
    locale: 'en-GB',
    opens: false,
    iosTokenType: 2,
  },
  {
    name: "Clara's Pixel",
    user: 'clara',
    os: { id: 3, version: '15' },
    sdk: { id: 2, version: '14.2.0' },
    runtime: 1,
    model: 'Pixel 9',
    tz: 'America/New_York',
    locale: 'en-US',
    opens: true,
  },
  {
    name: "Deniz's tablet",
    user: 'deniz',
    os: { id: 3, version: '14' },
    sdk: { id: 11, version: '3.1.0' },
    runtime: 9,
    model: 'SM-X710',
    tz: 'Europe/Istanbul',
    locale: 'tr-TR',
    opens: false,
  },
  {
    name: "Emi's phone",
    user: 'emi',
    os: { id: 3, version: '13' },
    sdk: { id: 9, version: '9.0.1' },
    runtime: 7,
    model: 'SO-51D',
    tz: 'Asia/Tokyo',
    locale: 'ja-JP',
    opens: true,
  },
]

/** Five devices of different platforms and SDKs, with fresh ids and tokens. */
export function makeDevices(): DemoDevice[] {
  return KINDS.map(({ name, user, os, sdk, runtime, model, tz, locale, opens, iosTokenType }) => {
    const apple = iosTokenType !== undefined
    const token = apple ? randomBytes(32).toString('hex') : `demo:${randomBytes(48).toString('base64url')}`
    return {
      name,
      user,
      installId: apple ? randomUUID().toUpperCase() : randomUUID(),
      token,
      details: {
        app: { bundle: BUNDLE, version: '1.4.2', target: 2 },
        sdk,
        runtime: { id: runtime, version: os.version },
        os,
        device: { name: model, tz, isSimulator: false, locale },
      },
      registration: apple
        ? { token, type: 1, iosTokenType, bundleId: BUNDLE }
        : { token, type: 2, package: BUNDLE, areNotificationsEnabled: true },
      opens,
    }
  })
}

/** The server as devices see it. */
export interface DeviceApi {
  /** Address of the events area. */
  url: string
  apiKey: string
  secretKey: string
}

/** First start of the app: the device says what it is, whose it is, and where pushes go. */
export async function registerDevice(api: DeviceApi, device: DemoDevice): Promise<void> {
  await sendEvents(api, device, [
    { type: 'k.stats.installTracked', data: device.details },
    { type: 'k.stats.userAssociated', data: { id: device.user } },
    { type: 'k.push.deviceRegistered', data: device.registration },
  ])
}

/** What the SDK reports when a push arrives, and when somebody taps on it. */
export async function reportReceipt(api: DeviceApi, device: DemoDevice, notificationId: number): Promise<void> {
  const data = { type: 1, id: notificationId }
  const opened = device.opens ? [{ type: 'k.message.opened', data }] : []
  await sendEvents(api, device, [{ type: 'k.message.delivered', data }, ...opened])
}

async function sendEvents(
  api: DeviceApi,
  { installId, user }: DemoDevice,
  events: { type: string; data: object }[],
): Promise<void> {
  const body = events.map((event) => ({ ...event, uuid: randomUUID(), timestamp: Date.now(), userId: user }))
  const response = await fetch(`${api.url}/v1/app-installs/${installId}/events`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${api.apiKey}:${api.secretKey}`).toString('base64')}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok || text.includes('refused')) {
    throw new AppError('unavailable', `the events of a device were not taken: ${response.status} ${text}`)
  }
}
