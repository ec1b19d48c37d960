import { boolean, integer, json, table, text, type Value } from '../../platform/db/table.ts'
import type { TokenEnvironment } from '../gateways/gateway.ts'
import type { PlatformType } from '../gateways/registry.ts'

export const USERS = table('users', {
  id: integer('id'),
  appId: integer('app_id'),
  /** The name that the app or its server gave. An anonymous user has the id of the install it was created for. */
  identifier: text('identifier'),
  /** True when this server created it for an install without a user, not an association or a server's call. */
  anonymous: boolean('anonymous'),
  /** Number of installs with this user as their current user. */
  installCount: integer('install_count'),
  attributes: json('attributes').as<Attributes>(),
  inAppEnabled: boolean('in_app_enabled'),
  firstActive: integer('first_active'),
  lastActive: integer('last_active'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** A user of an app. `attributes` are free-form JSON; times are milliseconds since the epoch. */
export type User = Value<typeof USERS>

export type Attributes = Record<string, unknown>

/** A device's own details (docs/reference/device-protocol.md section 5), in our terms; null where it does not report one. */
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
  runsIn: RunsIn | null
}

/** Kinds of installs: a page in a browser, or an app. Both may get web pushes, apps through UnifiedPush. */
export type RunsIn = 'browser' | 'app'

/** Kinds of build. */
export const BUILD_KINDS = ['debug', 'release'] as const
export type BuildKind = (typeof BUILD_KINDS)[number]

/** One installation of the app on a device. `row` is our id, `installId` the one the device chose. */
export interface Install extends InstallDetails {
  row: number
  appId: number
  installId: string
  userId: number
  /** True when it has a push token, and notifications are allowed. */
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

/** One page of the user list, and the number of users on the whole list. */
export interface UserPage {
  users: AsyncIterable<UserWithInstalls>
  total: number
}

/** A push token with everything that its use needs. */
export interface TokenRegistration {
  platform: PlatformType
  /** Device token, registration token, or the endpoint of a web push subscription. */
  token: string
  /** JSON text of a web push subscription's `keys` and `expirationTime`; null for other types. */
  keys: string | null
  /** Bundle id or website push id. */
  topic: string | null
  environment: TokenEnvironment | null
  /** True when the system shows the app's notifications; undefined when the device did not say. */
  notificationsEnabled: boolean | undefined
}

/** Reports of a device whose effect an install has from its creation, each with its time (ms). */
export interface FirstReports {
  details?: { data: InstallDetails; at: number }
  token?: { registration: TokenRegistration; at: number }
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
  /** The time at which the device registered the token (ms). */
  tokenAt: number | null
  /** Suspicious refusals since the token was last accepted or registered. */
  refusals: number
  runsIn: RunsIn | null
}

/** A recipient with the user who uses the install; null when the push is for none. */
export type OwnedRecipient = Recipient & { owner: number | null }

/** Identifiers that devices may send for a user: plain ones only (`off`), tokens as well, or tokens only. */
export const SIGNING_MODES = ['off', 'optional', 'require'] as const
export type SigningMode = (typeof SIGNING_MODES)[number]
