import type { Answer } from '../api/client.ts'

/** Platform of a gateway. */
export type Platform = Answer<'/admin/v1/apps/{appId}/notifications/payloads', 'post'>['items'][number]['platform']

interface Words {
  /** Its devices, everywhere where the platform is named. */
  name: string
  /** Word for a device of the platform. */
  device: string
  /** The class of its mock-up. */
  look: string
  /** Name of the vendor that takes a push. */
  vendor: string
  /** The part of a push whose settings it shows; others show what is common to all. */
  part?: 'ios' | 'android'
}

/** The only place of the console that names each: the types say when one is missing. In the order in which they are shown. */
export const PLATFORMS: Readonly<Record<Platform, Words>> = {
  ios: { name: 'iPhone and iPad', device: 'iPhone', look: 'ios', vendor: 'Apple', part: 'ios' },
  android: { name: 'Android', device: 'Android phone', look: 'android', vendor: 'Google', part: 'android' },
  hcm: { name: 'Huawei', device: 'Huawei phone', look: 'emui', vendor: 'Huawei', part: 'android' },
  web: {
    name: 'Browsers and UnifiedPush',
    device: 'browser',
    look: 'web',
    vendor: 'the browser’s push service',
  },
  safari: { name: 'Safari on Mac', device: 'Mac', look: 'safari', vendor: 'Apple' },
}
export const ORDER = Object.keys(PLATFORMS) as Platform[]

/** Names beside those of gateways: where pushes take another way, and where apps crash and links are opened. */
const OTHERS: Readonly<Record<string, string>> = {
  unifiedpush: 'Android without Google',
  macos: 'Mac',
  'react-native': 'React Native',
  xamarin: 'Xamarin',
  flutter: 'Flutter',
  mobile: 'Other phones',
  desktop: 'Computers',
  other: 'Other',
  unknown: 'Unknown',
}

const wordsOf = (platform: string): Words | undefined => PLATFORMS[platform as Platform]

/** The name of a platform, in lists, reports, fields and buttons. */
export const platformName = (platform: string | null): string =>
  platform === null ? 'No gateway' : (wordsOf(platform)?.name ?? OTHERS[platform] ?? platform)
export const vendorOf = (platform: string | null): string =>
  platform === null ? 'nobody' : (wordsOf(platform)?.vendor ?? platform)

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format([...new Set(names)])

/** "Apple and Google" */
export function vendorsOf(platforms: readonly (string | null)[]): string {
  const known = platforms.filter((one) => one !== null)
  return known.length === 0 ? 'the gateways' : listed(known.map(vendorOf))
}

/** "iPhone and iPad" or "Android and Huawei": the platforms that show the settings of a part of a push. */
export const showing = (part: 'ios' | 'android'): string =>
  listed(ORDER.filter((one) => PLATFORMS[one].part === part).map((one) => PLATFORMS[one].name))
