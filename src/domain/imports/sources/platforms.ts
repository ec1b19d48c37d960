import { gateways, type Platform, platforms } from '../../gateways/registry.ts'

/** Names of our platforms at other services, from the gateways. */

/** Lower-case name -> platform. */
export const platformByName: ReadonlyMap<string, Platform> = new Map(
  platforms.flatMap((platform) => gateways[platform].elsewhere.names.map((name) => [name, platform] as const)),
)

/** `device_type` of OneSignal -> platform. */
export const platformByDeviceType: ReadonlyMap<number, Platform> = new Map(
  platforms.flatMap((platform) =>
    Object.values(gateways[platform].elsewhere.oneSignal).map((type) => [type, platform] as const),
  ),
)

/** Type of a subscription of OneSignal -> `device_type`. */
export const deviceTypeByName: ReadonlyMap<string, number> = new Map(
  platforms.flatMap((platform) => Object.entries<number>(gateways[platform].elsewhere.oneSignal)),
)

/** The operating system of a device of the platform. */
export function osOf(platform: Platform): string {
  return gateways[platform].elsewhere.os
}
