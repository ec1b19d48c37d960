import { randomBytes } from 'node:crypto'
import { PLATFORM_TYPES } from '../gateways/registry.ts'
import type { Subscription } from './client.ts'
import { PHONE_PLATFORMS, type PhoneKind } from './types.ts'

/** The report of a phone on its first start. The numbers are codes of docs/reference/device-protocol.md section 5. */
interface Model {
  /** "iPhone", in its name. */
  label: string
  /** Gateway of the phone, in the words of the sandbox. */
  gateway: string
  details(bundle: string): object
}

const PLACE = { tz: 'Europe/Berlin', locale: 'en-GB', isSimulator: true }
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

export const MODELS: Readonly<Record<PhoneKind, Model>> = {
  iphone: {
    label: 'iPhone',
    gateway: 'apns',
    details: (bundle) => ({
      app: { bundle, version: '1.0.0', target: 2 },
      sdk: { id: 4, version: '10.0.0' },
      runtime: { id: 1, version: '18.2' },
      os: { id: 1, version: '18.2' },
      device: { name: 'iPhone17,1', ...PLACE },
    }),
  },
  android: {
    label: 'Android phone',
    gateway: 'fcm',
    details: (bundle) => ({
      app: { bundle, version: '1.0.0', target: 2 },
      sdk: { id: 2, version: '15.2.0' },
      runtime: { id: 1, version: '15' },
      os: { id: 3, version: '15' },
      device: { name: 'Pixel 9', ...PLACE },
    }),
  },
  chrome: {
    label: 'Chrome',
    gateway: 'web',
    details: () => ({
      app: { bundle: 'example.com', version: '0.0.0', target: 2 },
      sdk: { id: 10, version: '1.12.0' },
      runtime: { id: 8, version: CHROME },
      os: { id: 0, version: '0.0.0' },
      device: { name: CHROME, ...PLACE },
    }),
  },
  // An app with Flutter, which has a connector of UnifiedPush.
  unifiedpush: {
    label: 'Phone without Google',
    gateway: 'web',
    details: (bundle) => ({
      app: { bundle, version: '1.0.0', target: 2 },
      sdk: { id: 11, version: '3.1.0' },
      runtime: { id: 9, version: '15' },
      os: { id: 3, version: '15' },
      device: { name: 'FP5', ...PLACE },
    }),
  },
}

/** Any text of hex digits is a token of Apple's there, any word one of Google's. */
export function makeToken(kind: 'iphone' | 'android'): string {
  return kind === 'iphone'
    ? randomBytes(32).toString('hex')
    : `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`
}

/** The request of the phone's SDK when somebody starts the app for the first time and allows notifications. */
export function firstStart(
  kind: PhoneKind,
  { installId, userId, token, bundle, now }: First,
): readonly Record<string, unknown>[] {
  const type = PLATFORM_TYPES[PHONE_PLATFORMS[kind]]
  const event = (name: string, data: object, user: string) => ({
    uuid: crypto.randomUUID(),
    timestamp: now,
    userId: user,
    type: name,
    data,
  })
  const registered = {
    token,
    type,
    ...(kind === 'iphone' && { iosTokenType: 1, bundleId: bundle }),
    ...(kind === 'android' && { package: bundle, areNotificationsEnabled: true }),
  }
  return [
    event('k.stats.installTracked', MODELS[kind].details(bundle), installId),
    event('k.stats.userAssociated', { id: userId }, userId),
    ...(kind === 'chrome' ? [] : [event('k.inApp.statusUpdated', { consented: true }, userId)]),
    event('k.push.deviceRegistered', registered, userId),
  ]
}

interface First {
  installId: string
  userId: string
  token: string | Subscription
  /** Bundle id or package name of the app. */
  bundle: string
  /** ms */
  now: number
}
