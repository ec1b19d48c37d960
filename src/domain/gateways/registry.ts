import { apns } from './apns/client.ts'
import { fcm } from './fcm/client.ts'
import type { Gateway, Platform } from './gateway.ts'
import { hcm } from './huawei/client.ts'
import { safari } from './safari/client.ts'
import { web } from './web/client.ts'

/** Every gateway there is, by the platform it serves. A new vendor is one line here. */
export const gateways = { ios: apns, android: fcm, web, safari, hcm } satisfies Partial<Record<Platform, Gateway>>

/** The platforms that can be configured. */
export const platforms = Object.keys(gateways) as (keyof typeof gateways)[]

/** The gateway of a platform, or undefined while there is none for it. */
export function findGateway(platform: Platform): Gateway | undefined {
  return (gateways as Partial<Record<Platform, Gateway>>)[platform]
}
