import bowser from 'bowser'
import { objectAt, shortText, wholeNumber } from '../../platform/lenient.ts'
import { namesOfZone } from '../../platform/zones.ts'
import { appleDeviceName } from './device-names.ts'
import type { InstallDetails } from './types.ts'

/** `os.id` (docs/reference/device-protocol.md section 5). 0 and -1 mean: see the user agent. */
const OS_NAMES: Readonly<Record<number, string>> = {
  1: 'iOS',
  2: 'macOS',
  3: 'Android',
  4: 'Windows Phone',
  5: 'Windows',
}

/** `sdk.id` (docs/reference/device-protocol.md section 5) and its names (docs/decisions/0006-where-the-contract-is-silent.md). 104 is the web SDK under another product name. */
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

/** Every SDK that there is. */
export const SDK_TYPES: readonly string[] = [...new Set(Object.values(SDK_NAMES))]

/** A user agent is never usefully longer, and it is shown in lists. */
const LONGEST_DEVICE_NAME = 1024

/**
 * Install details as a device sends them (`k.stats.installTracked`, docs/reference/device-protocol.md section 5) -> ours. Never throws: parts that
 * are missing, of the wrong type or unknown to us become null.
 */
export function readDetails(data: unknown): InstallDetails {
  const os = objectAt(data, 'os')
  const sdk = objectAt(data, 'sdk')
  const device = objectAt(data, 'device')
  const osId = wholeNumber(os.id)
  const sdkType = SDK_NAMES[wholeNumber(sdk.id) ?? 0] ?? null
  const model = shortText(device.name, LONGEST_DEVICE_NAME)
  const locale = shortText(device.locale)
  const details: InstallDetails = {
    os: OS_NAMES[osId ?? 0] ?? null,
    osVersion: shortText(os.version),
    sdkType,
    sdkVersion: shortText(sdk.version),
    appVersion: shortText(objectAt(data, 'app').version),
    countryIsoCode: locale && countryOf(locale),
    timezone: zoneOf(device.tz),
    locale,
    deviceModel: model,
    deviceName: model && (appleDeviceName(model) ?? model),
  }
  if (details.os !== null) return details

  const agent = shortText(objectAt(data, 'runtime').version, LONGEST_DEVICE_NAME) ?? model
  const seen = agent === null ? {} : readUserAgent(agent)
  // A browser's `os.version` is the constant 0.0.0: it says nothing.
  const isWeb = sdkType === 'web'
  return {
    ...details,
    os: seen.os ?? (isWeb ? 'web' : null),
    osVersion: seen.osVersion ?? (isWeb ? null : details.osVersion),
    deviceName: isWeb ? (seen.name ?? details.deviceName) : details.deviceName,
  }
}

/** What a user agent tells: `{ os: 'macOS', osVersion: '10.15.7', name: 'Chrome on macOS' }`; absent where it does not tell. */
export function readUserAgent(agent: string): { os?: string; osVersion?: string; name?: string } {
  const { browser, os } = bowser.parse(agent)
  const system = os.name || undefined
  // Windows says `NT 10.0`; its people say 10.
  const version = (system === 'Windows' ? (os.versionName ?? os.version) : os.version) || undefined
  const name = browser.name && system ? `${browser.name} on ${system}` : browser.name || system
  return { ...(system && { os: system }), ...(version && { osVersion: version }), ...(name && { name }) }
}

/** Region of a language tag: `en-GB` and `zh_Hans_CN` have one, `en` and `es-419` (a continent) name no country. */
export function countryOf(locale: string): string | null {
  try {
    const region = new Intl.Locale(locale.replaceAll('_', '-').replace(/[.@].*$/, '')).region
    return region && /^[A-Z]{2}$/.test(region) ? region : null
  } catch {
    return null
  }
}

/**
 * The IANA name of a time zone, spelt as the tz database does, when the value is one in upper or lower case; else null: an
 * unknown zone gets the app's default (docs/reference/promises.md section 5).
 */
export function zoneOf(value: unknown): string | null {
  const zone = shortText(value)
  // Newer runtimes also take offsets such as +02:00, which have no daylight saving and no name.
  if (zone === null || !/^[a-z]/i.test(zone)) return null
  const known = ZONES.get(zone)
  if (known !== undefined) return known
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return null
  }
  const spelt = namesOfZone(zone).find((name) => name.toLowerCase() === zone.toLowerCase()) ?? zone
  if (ZONES.size < MOST_ZONES) ZONES.set(zone, spelt)
  return spelt
}

/** Names that were good, as they are spelt: to ask takes longer than everything else about an install, and there are some six hundred. */
const ZONES = new Map<string, string>()
const MOST_ZONES = 1000
