import bowser from 'bowser'
import { spelledZone } from '../../platform/time/zones.ts'
import { objectAt, shortText, wholeNumber, yesOrNo } from '../../platform/values/lenient.ts'
import { appleDeviceName } from './device-names.ts'
import type { BuildKind, InstallDetails, RunsIn } from './types.ts'

/** `os.id` (docs/reference/device-protocol.md section 5). 0 and -1: see the user agent. */
const OS_NAMES: Readonly<Record<number, string>> = {
  1: 'iOS',
  2: 'macOS',
  3: 'Android',
  4: 'Windows Phone',
  5: 'Windows',
}

/**
 * `sdk.id` (docs/reference/device-protocol.md section 5) and its names
 * (docs/decisions/0006-where-the-contract-is-silent.md). 104 is the web SDK under another product name.
 */
const SDK_NAMES: Readonly<Record<number, string>> = {
  1: 'objective-c',
  2: 'android',
  3: 'csharp',
  4: 'swift',
  6: 'cordova',
  7: 'xamarin',
  9: 'react-native',
  10: 'web',
  11: 'flutter',
  104: 'web',
}

/** `app.target` (docs/reference/device-protocol.md section 5). */
const BUILD_KIND_OF: Readonly<Record<number, BuildKind>> = { 1: 'debug', 2: 'release' }

/** All SDK types. */
export const SDK_TYPES: readonly string[] = [...new Set(Object.values(SDK_NAMES))]

/** Maximum length of a user agent. Nothing useful comes later, and it is shown in lists. */
const MAX_DEVICE_NAME_LENGTH = 1024

/**
 * Install details as a device sends them (`k.stats.installTracked`, docs/reference/device-protocol.md section 5) ->
 * ours. Never throws: missing, invalid and unknown parts become null.
 */
export function readDetails(data: unknown): InstallDetails {
  const os = objectAt(data, 'os')
  const sdk = objectAt(data, 'sdk')
  const device = objectAt(data, 'device')
  const app = objectAt(data, 'app')
  const osId = wholeNumber(os.id)
  const sdkType = SDK_NAMES[wholeNumber(sdk.id) ?? 0] ?? null
  const model = shortText(device.name, MAX_DEVICE_NAME_LENGTH)
  const locale = shortText(device.locale)
  const details: InstallDetails = {
    os: OS_NAMES[osId ?? 0] ?? null,
    osVersion: shortText(os.version),
    sdkType,
    sdkVersion: shortText(sdk.version),
    appVersion: shortText(app.version),
    countryIsoCode: locale && countryOf(locale),
    timezone: zoneOf(device.tz),
    locale,
    deviceModel: model,
    deviceName: model && (appleDeviceName(model) ?? model),
    buildKind: BUILD_KIND_OF[wholeNumber(app.target) ?? 0] ?? null,
    simulator: yesOrNo(device.isSimulator),
    timeSensitive: yesOrNo(objectAt(objectAt(data, 'ios'), 'push').timeSensitive),
    runsIn: runsInOf({ sdkType, os: OS_NAMES[osId ?? 0], runtimeId: wholeNumber(objectAt(data, 'runtime').id) }),
  }
  if (details.os !== null) return details

  const agent = shortText(objectAt(data, 'runtime').version, MAX_DEVICE_NAME_LENGTH) ?? model
  const seen = agent === null ? {} : readUserAgent(agent)
  // A browser's `os.version` is always 0.0.0.
  const isWeb = sdkType === 'web'
  return {
    ...details,
    os: seen.os ?? (isWeb ? 'web' : null),
    osVersion: seen.osVersion ?? (isWeb ? null : details.osVersion),
    deviceName: isWeb ? (seen.name ?? details.deviceName) : details.deviceName,
  }
}

/** `runtime.id` of a browser (docs/reference/device-protocol.md section 5). */
const BROWSER = 8

/**
 * Tells a page from an app by the SDK; without a known one by its runtime; else by its operating system, whose number only apps
 * report: a browser leaves it to its user agent.
 */
function runsInOf(said: { sdkType: string | null; os: string | undefined; runtimeId: number | null }): RunsIn | null {
  if (said.sdkType !== null) return said.sdkType === 'web' ? 'browser' : 'app'
  if (said.runtimeId === BROWSER) return 'browser'
  return said.os === undefined ? null : 'app'
}

/** Parses a user agent: `{ os: 'macOS', osVersion: '10.15.7', name: 'Chrome on macOS' }`; unknown parts are absent. */
export function readUserAgent(agent: string): { os?: string; osVersion?: string; name?: string } {
  const { browser, os } = bowser.parse(agent)
  const system = os.name || undefined
  // Windows reports `NT 10.0`; people say 10.
  const version = (system === 'Windows' ? (os.versionName ?? os.version) : os.version) || undefined
  const name = browser.name && system ? `${browser.name} on ${system}` : browser.name || system
  return { ...(system && { os: system }), ...(version && { osVersion: version }), ...(name && { name }) }
}

/** The country in a language tag. `en-GB` and `zh_Hans_CN` have one; `en` and `es-419` (a continent) have none. */
export function countryOf(locale: string): string | null {
  try {
    const region = new Intl.Locale(locale.replaceAll('_', '-').replace(/[.@].*$/, '')).region
    return region && /^[A-Z]{2}$/.test(region) ? region : null
  } catch {
    return null
  }
}

/**
 * The IANA name of a time zone in the spelling of the tz database; the value may be in any case. Null for an unknown
 * zone, which gets the default of the app (docs/reference/promises.md section 5).
 */
export function zoneOf(value: unknown): string | null {
  const zone = shortText(value)
  // Newer runtimes also accept offsets such as +02:00, which have no daylight saving time.
  if (zone === null || !/^[a-z]/i.test(zone)) return null
  const known = ZONES.get(zone)
  if (known !== undefined) return known
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return null
  }
  const spelt = spelledZone(zone)
  if (ZONES.size < MAX_ZONES) ZONES.set(zone, spelt)
  return spelt
}

/**
 * Cache of valid zone names: given name -> spelling. Checking one takes longer than all other details, and there are
 * about 600.
 */
const ZONES = new Map<string, string>()
const MAX_ZONES = 1000
