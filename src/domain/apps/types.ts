import { integer, table, text, type Value } from '../../platform/db/table.ts'

export const APPS = table('apps', {
  id: integer('id'),
  accountId: integer('account_id'),
  name: text('name'),
  /** First label of the app's link host. */
  linkHostLabel: text('link_host_label'),
  /** IANA time zone in which people plan for the app and read its days; null: that of whoever looks. */
  timezone: text('timezone').orNull,
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** An app of an account. Everything else in the database belongs to one. */
export type AppRecord = Value<typeof APPS>

/** The ids of the first few apps, for a message about apps of one name. */
export function idsOf(apps: readonly AppRecord[]): string {
  const shown = apps.slice(0, 5).map((one) => one.id)
  return `${shown.join(', ')}${apps.length > shown.length ? ', …' : ''}`
}

/** A change of an app: what is absent stays as it is. */
export interface AppChange {
  name?: string | undefined
  timezone?: string | null | undefined
}

/**
 * The three keys of an app: `api` identifies the app and is public, `server` gives access to the server API, `secret`
 * is compiled into apps and gives access to the device API only. A key of one kind never gives access to a route of
 * another.
 */
export type KeyKind = 'api' | 'server' | 'secret'

/** A stored key: its digest, and its first characters so that people can tell keys apart. */
export interface KeyRecord {
  kind: KeyKind
  hint: string
  /** The whole key, of API keys only: they are public. Null also for those made before it was stored. */
  value: string | null
  createdAt: number
  /** Set when the key was replaced with a grace period. */
  expiresAt: number | null
}

/** The keys in clear text, shown once. */
export interface AppKeys {
  apiKey: string
  serverKey: string
  secretKey: string
}

export type NewApp = AppRecord & AppKeys

/** An app's limits on how often and when its users are notified; off unless set. */
export interface Restraint {
  /**
   * Quiet hours in minutes of the install's local day, `from` inclusive, `to` exclusive; may span midnight. With `hold`
   * recipients get the notification when they end; without it they are left out.
   */
  quiet: { from: number; to: number; hold?: true } | null
  /** Frequency cap: at most `count` notifications per install in any `hours` hours. */
  cap: { count: number; hours: number } | null
}

/** Fates of recipients in quiet hours: they are left out, or they get the notification afterwards. */
export const QUIET_THEN = ['drop', 'hold'] as const

/** Visibility of channels that devices create: for their subscribers only, or for every device. */
export const DEVICE_CHANNELS = ['private', 'public'] as const

/** An app's rules for all its sends and devices. */
export interface AppRules extends Restraint {
  /** A send to more recipients than this must be confirmed (`confirm`). */
  confirmAbove: number | null
  deviceChannels: (typeof DEVICE_CHANNELS)[number]
  /** The user attribute that says which language a person reads: a path that `readBarePath` reads. Null: the install's locale says it. */
  languageAttribute: string | null
}

/** Settings of an app for its event log: the entries that it gets besides events. */
export interface LogSettings {
  /** The pages of its notifications, as they close. */
  deliveries: boolean
}

/**
 * One step of deleting an app: deletes at most `limit` of its rows in one table and returns how many it deleted, fewer
 * than the limit when none are left. Each of these rows takes only a few others with it by foreign keys.
 */
export type Clearing = (appId: number, limit: number) => Promise<number>
