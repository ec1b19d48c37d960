import type { Answer } from '../api/client.ts'

/** Platform of a gateway. */
export type Platform = Answer<'/admin/v1/apps/{appId}/notifications/payloads', 'post'>['items'][number]['platform']

interface Words {
  /** Short name, for buttons. */
  name: string
  /** Devices of the platform, in lists and reports. */
  devices: string
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
  ios: { name: 'iOS', devices: 'iPhone and iPad', device: 'iPhone', look: 'ios', vendor: 'Apple', part: 'ios' },
  android: {
    name: 'Android',
    devices: 'Android',
    device: 'Android phone',
    look: 'android',
    vendor: 'Google',
    part: 'android',
  },
  hcm: { name: 'Huawei', devices: 'Huawei', device: 'Huawei phone', look: 'emui', vendor: 'Huawei', part: 'android' },
  web: { name: 'Chrome', devices: 'Browsers', device: 'browser', look: 'web', vendor: 'the browser’s push service' },
  safari: { name: 'macOS', devices: 'Safari on Mac', device: 'Mac', look: 'safari', vendor: 'Apple' },
}
export const ORDER = Object.keys(PLATFORMS) as Platform[]

const wordsOf = (platform: string): Words | undefined => PLATFORMS[platform as Platform]

export const devicesOf = (platform: string | null): string =>
  platform === null ? 'No gateway' : (wordsOf(platform)?.devices ?? platform)
export const vendorOf = (platform: string | null): string =>
  platform === null ? 'nobody' : (wordsOf(platform)?.vendor ?? platform)

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format([...new Set(names)])

/** "Apple and Google" */
export function vendorsOf(platforms: readonly (string | null)[]): string {
  const known = platforms.filter((one) => one !== null)
  return known.length === 0 ? 'the gateways' : listed(known.map(vendorOf))
}

/** "iOS" or "Android and …": the platforms that show the settings of a part of a push. */
export const showing = (part: 'ios' | 'android'): string =>
  listed(ORDER.filter((one) => PLATFORMS[one].part === part).map((one) => PLATFORMS[one].name))
