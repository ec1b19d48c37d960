import { randomUUID } from 'node:crypto'
import type { Platform } from '../../domain/gateways/registry.ts'
import { standInEntries } from '../../sandbox/stand-ins.ts'

/** A device of the demo: the reports of its SDK to the server, and its owner's reaction to a push. */
export interface DemoDevice {
  name: string
  user: string
  installId: string
  /** The gateway of its pushes, on which the reports of its SDK depend. */
  platform: Platform
  /** Set for a phone that gets its pushes from a UnifiedPush server. */
  unifiedPush?: true
  /** Set for iPhones and iPads: a development build gets its token from Apple's sandbox. */
  environment?: 'production' | 'sandbox'
  /** Data of `k.stats.installTracked` (docs/reference/device-protocol.md section 5). */
  details: object
  /** True when its owner taps on the notification. */
  opens: boolean
}

/** Tells whether a device shows in-app messages: browsers do not. */
export function showsInApp(device: DemoDevice): boolean {
  return !isPage(device)
}

/** Tells whether a device is a page in a browser. */
export function isPage({ platform, unifiedPush }: DemoDevice): boolean {
  return platform === 'safari' || (platform === 'web' && !unifiedPush)
}

/** Bundle id and package name of the app; also the topic of the stand-in's push certificate. */
export const BUNDLE = 'com.example.app'
/** The website of the app. The domain is reserved for examples (RFC 2606). */
export const WEBSITE = 'https://bakery.example'

/** Release build (docs/reference/device-protocol.md section 5). */
const RELEASE = 2
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6.1 Safari/605.1.15'

interface Place {
  tz: string
  locale: string
}

const BERLIN: Place = { tz: 'Europe/Berlin', locale: 'de-DE' }

/** Differences between phones. Numbers are the codes of docs/reference/device-protocol.md section 5. */
interface AppFacts extends Place {
  os: { id: number; version: string }
  sdk: { id: number; version: string }
  runtime?: number
  model: string
  /** Permissions of an iPhone, which only the Swift SDK reports. */
  ios?: object
}

function appDetails({ os, sdk, runtime = 1, model, tz, locale, ios }: AppFacts): object {
  return {
    app: { bundle: BUNDLE, version: '1.4.2', target: RELEASE },
    sdk,
    runtime: { id: runtime, version: os.version },
    os,
    device: { name: model, tz, isSimulator: false, locale },
    ...(ios && { ios }),
  }
}

/** Details of a page. The web SDK sends the user agent, from which the server derives browser and operating system. */
function pageDetails(userAgent: string, { tz, locale }: Place): object {
  return {
    app: { bundle: new URL(WEBSITE).host, version: '0.0.0', target: RELEASE },
    sdk: { id: 10, version: '1.12.0' },
    runtime: { id: 8, version: userAgent },
    os: { id: 0, version: '0.0.0' },
    device: { name: userAgent, tz, isSimulator: false, locale },
  }
}

/** Seven devices of six users, with new install ids: Anna has two (APNs and its sandbox), the others one for each transport. */
export function makeDevices(): DemoDevice[] {
  return [
    {
      name: "Anna's iPhone",
      user: 'anna',
      installId: randomUUID().toUpperCase(),
      platform: 'ios',
      environment: 'production',
      details: appDetails({
        os: { id: 1, version: '18.2' },
        sdk: { id: 4, version: '10.0.0' },
        model: 'iPhone17,1',
        ...BERLIN,
        ios: { hasGroup: true, push: { scheduled: false, timeSensitive: false } },
      }),
      opens: true,
    },
    {
      name: "Anna's iPad",
      user: 'anna',
      installId: randomUUID().toUpperCase(),
      platform: 'ios',
      environment: 'sandbox',
      details: appDetails({
        os: { id: 1, version: '17.6' },
        sdk: { id: 9, version: '8.0.0' },
        runtime: 7,
        model: 'iPad14,1',
        ...BERLIN,
      }),
      opens: false,
    },
    {
      name: "Clara's Pixel",
      user: 'clara',
      installId: randomUUID(),
      platform: 'android',
      details: appDetails({
        os: { id: 3, version: '15' },
        sdk: { id: 2, version: '15.2.0' },
        model: 'Pixel 9',
        tz: 'America/New_York',
        locale: 'en-US',
      }),
      opens: true,
    },
    ...standInEntries.map(
      ([platform, { demo }]): DemoDevice => ({
        name: demo.name,
        user: demo.user,
        installId: randomUUID(),
        platform,
        details: appDetails(demo),
        opens: false,
      }),
    ),
    {
      name: "Greta's Fairphone",
      user: 'greta',
      installId: randomUUID(),
      platform: 'web',
      unifiedPush: true,
      details: appDetails({
        os: { id: 3, version: '15' },
        sdk: { id: 11, version: '3.1.0' },
        runtime: 9,
        model: 'FP5',
        tz: 'Europe/Amsterdam',
        locale: 'nl-NL',
      }),
      opens: true,
    },
    {
      name: "Emi's Chrome",
      user: 'emi',
      installId: randomUUID(),
      platform: 'web',
      details: pageDetails(CHROME, { tz: 'Asia/Tokyo', locale: 'ja' }),
      opens: true,
    },
    {
      name: "Finn's Mac",
      user: 'finn',
      installId: randomUUID(),
      platform: 'safari',
      details: pageDetails(SAFARI, { tz: 'Europe/Helsinki', locale: 'fi-FI' }),
      opens: true,
    },
  ]
}
