import type { TokenEnvironment } from '../gateways/gateway.ts'
import type { PlatformType } from '../gateways/registry.ts'
/** A user of an app. `attributes` are free-form JSON; times are milliseconds since the epoch. */
export interface User {
  id: number
  appId: number
  /** The name that the app or its server gave. An anonymous user has the id of the install it was created for. */
  identifier: string
  /** Created by this server for an install without a user, not by an association or a server's call. */
  anonymous: boolean
  /** Number of installs with this user as their current user. */
  installCount: number
  attributes: Attributes
  inAppEnabled: boolean
  firstActive: number
  lastActive: number
  createdAt: number
  updatedAt: number
}

export type Attributes = Record<string, unknown>

/**
 * What a device says about itself (docs/reference/device-protocol.md section 5), in our terms; null where it does not
 * say.
 */
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
  /** Hardware id, model, or user agent. */
  deviceModel: string | null
  /** The name people know it by. */
  deviceName: string | null
  buildKind: BuildKind | null
  /** The device is a simulator or an emulator. */
  simulator: boolean | null
  /** iOS lets the app's time-sensitive notifications interrupt a Focus. */
  timeSensitive: boolean | null
}

/** How the app was built. */
export const BUILD_KINDS = ['debug', 'release'] as const
export type BuildKind = (typeof BUILD_KINDS)[number]

/** One installation of the app on a device. `row` is our id, `installId` the one the device chose. */
export interface Install extends InstallDetails {
  row: number
  appId: number
  installId: string
  userId: number
  /** It has a push token, and notifications are allowed. */
  subscribed: boolean
  notificationsEnabled: boolean
  /** Token type, see `PLATFORM_TYPES`; null without a token. */
  platform: PlatformType | null
  lastActive: number
  createdAt: number
  updatedAt: number
}

/** Identifies an install for other areas. */
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

/** A recipient with the user who uses the install; null: nobody for whom the push is. */
export type OwnedRecipient = Recipient & { owner: number | null }

/** How devices name a user: by identifier only (`off`), by token or identifier, or by token only. */
export const SIGNING_MODES = ['off', 'optional', 'require'] as const
export type SigningMode = (typeof SIGNING_MODES)[number]
