import type { TokenEnvironment } from '../gateways/gateway.ts'
import type { PlatformType } from '../gateways/registry.ts'
/** A user of an app. `attributes` are free-form JSON; times are milliseconds since the epoch. */
export interface User {
  id: number
  appId: number
  /** What the app or a server calls the user; an anonymous user is called like the install it was made for. */
  identifier: string
  /** Made by us for an install without a user, not by an app's association call or a server. */
  anonymous: boolean
  /** How many installs have this user as their current one. */
  installCount: number
  attributes: Attributes
  inAppEnabled: boolean
  firstActive: number
  lastActive: number
  createdAt: number
  updatedAt: number
}

export type Attributes = Record<string, unknown>

/** What a device says about itself (docs/reference/device-protocol.md section 5), in our words; null where it does not say. */
export interface InstallDetails {
  os: string | null
  osVersion: string | null
  sdkType: string | null
  sdkVersion: string | null
  appVersion: string | null
  /** Two capital letters. */
  countryIsoCode: string | null
  /** IANA name. */
  timezone: string | null
  locale: string | null
  /** As the device calls itself: hardware id, model, or user agent. */
  deviceModel: string | null
  /** As people call it. */
  deviceName: string | null
}

/** One installation of the app on a device. `row` is our id of it, `installId` the device's own. */
export interface Install extends InstallDetails {
  row: number
  appId: number
  installId: string
  userId: number
  /** Has a push token and notifications are allowed. */
  subscribed: boolean
  notificationsEnabled: boolean
  /** Token type, see `PLATFORM_TYPES`; null without a token. */
  platform: PlatformType | null
  lastActive: number
  createdAt: number
  updatedAt: number
}

/** What the rest of the program needs to say which install it means. */
export interface InstallRef {
  row: number
  installId: string
}

export type UserWithInstalls = User & { installs: Install[] }

/** One page of the user list, and how many users the whole list has. */
export interface UserPage {
  users: AsyncIterable<UserWithInstalls>
  total: number
}

/** A push token with what is needed to use it. */
export interface TokenRegistration {
  platform: PlatformType
  /** Device token, registration token, or the endpoint of a web push subscription. */
  token: string
  /** JSON text of a web push subscription's `keys` and `expirationTime`; null for other types. */
  keys: string | null
  /** Bundle id or website push id. */
  topic: string | null
  environment: TokenEnvironment | null
  /** Whether the system shows the app's notifications; undefined when the device did not say. */
  notificationsEnabled: boolean | undefined
}

/** An install as a sender needs it. `token` and `platform` are null when the install lost its token meanwhile. */
export interface Recipient {
  row: number
  platform: PlatformType | null
  token: string | null
  tokenKeys: string | null
  environment: TokenEnvironment | null
  topic: string | null
  subscribed: boolean
  /** When the device registered the token (ms). */
  tokenAt: number | null
  /** Suspicious refusals since the token was last accepted or registered. */
  refusals: number
}

/** What an app asks of devices that name a user: nothing; a token or the plain identifier; a token. */
export const SIGNING_MODES = ['off', 'optional', 'require'] as const
export type SigningMode = (typeof SIGNING_MODES)[number]
