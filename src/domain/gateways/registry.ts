import { apns } from './apns/gateway.ts'
import { fcm } from './fcm/gateway.ts'
import type { Gateway, VendorAddress } from './gateway.ts'
import { huawei } from './huawei/gateway.ts'
import { safari } from './safari/gateway.ts'
import { web } from './web/gateway.ts'

/** Every gateway, by the platform it serves. A new vendor is one entry here. */
export const gateways = {
  ios: apns,
  android: fcm,
  web,
  safari,
  hcm: huawei,
} satisfies Record<string, Gateway>

export type Platform = keyof typeof gateways

/** The platforms, in display order. */
export const platforms = Object.keys(gateways) as Platform[]

/** The gateway of a platform. */
export function findGateway(platform: Platform): Gateway {
  return gateways[platform]
}

/** The number of each platform: see `Gateway.type`. */
export const PLATFORM_TYPES = Object.fromEntries(platforms.map((platform) => [platform, gateways[platform].type])) as {
  readonly [P in Platform]: (typeof gateways)[P]['type']
}
export type PlatformType = (typeof PLATFORM_TYPES)[Platform]

/** Name of a platform type, or undefined when the number means nothing. */
export function platformOf(type: number): Platform | undefined {
  return platforms.find((name) => PLATFORM_TYPES[name] === type)
}

/** The addresses of all vendors, by the name of their setting below `gateways.`. */
export const vendorAddresses: Readonly<Record<`${string}Url`, VendorAddress>> = Object.assign(
  {},
  ...Object.values<Gateway>(gateways).map(({ addresses }) => addresses),
)
