import { huawei } from './huawei/stand-in.ts'
import type { StandIn } from './stand-in/stand-in.ts'

/**
 * Stand-ins that run from their declaration, by the gateway's platform. A new vendor is one entry here. APNs (two
 * hosts), FCM and Web Push (subscriptions instead of credentials) differ from each other too much for one declaration:
 * `sandbox.ts` starts those.
 */
export const STAND_INS = {
  hcm: huawei,
} satisfies Record<string, StandIn>

export type StandInName = keyof typeof STAND_INS
export type StandInCredentials = { [N in StandInName]: ReturnType<(typeof STAND_INS)[N]['credential']> }
export const standInNames = Object.keys(STAND_INS) as StandInName[]
export const standInEntries: readonly [StandInName, StandIn][] = standInNames.map((name) => [name, STAND_INS[name]])

/** The declaration of a gateway, or undefined for APNs, FCM and Web Push. */
export const findStandIn = (gateway: string): StandIn | undefined => (STAND_INS as Record<string, StandIn>)[gateway]

/** Gateways by the names that counts, messages and devices use. */
export const SANDBOX_GATEWAYS = ['apns', 'fcm', ...standInNames, 'web'] as const
export type SandboxGateway = (typeof SANDBOX_GATEWAYS)[number]

/** TLS ports: one for each gateway, two for APNs. */
export const LISTENERS = ['apns-production', 'apns-sandbox', 'fcm', ...standInNames, 'web'] as const
export type ListenerName = (typeof LISTENERS)[number]

/** Whether a place is a token call, which is not about a device. */
export const isTokenPlace = (place: string): boolean => place.endsWith('-token')
