/** An app of an account. Everything else in the database belongs to one. */
export interface AppRecord {
  id: number
  accountId: number
  name: string
  /** First label of the app's short-link host. */
  linkHostLabel: string
  createdAt: number
  updatedAt: number
}

/**
 * The three keys of an app: `api` is its public name, `server` opens the server API, `secret` is compiled into apps and opens
 * the device API only. A key of one kind never opens a route of another.
 */
export type KeyKind = 'api' | 'server' | 'secret'

/** What the store has of a key: its digest, and the first characters so that people can tell keys apart. */
export interface KeyRecord {
  kind: KeyKind
  hint: string
  createdAt: number
  /** Set when the key was replaced with a grace period. */
  expiresAt: number | null
}

/** The clear keys, shown once. */
export interface AppKeys {
  apiKey: string
  serverKey: string
  secretKey: string
}

export type NewApp = AppRecord & AppKeys

/** What an app does to spare its users; nothing unless set. */
export interface Restraint {
  /** Minutes of the install's local day, `from` inclusive, `to` exclusive; may go over midnight. */
  quiet: { from: number; to: number } | null
  /** At most `count` notifications an install in any `hours`. */
  cap: { count: number; hours: number } | null
}

/** Whether channels that devices name are shown to every device, or only to their subscribers. */
export const DEVICE_CHANNELS = ['private', 'public'] as const

/** What an app sets for all its sends and devices. */
export interface AppRules extends Restraint {
  /** A send to more recipients than this must say that it means it (`confirm`). */
  confirmAbove: number | null
  deviceChannels: (typeof DEVICE_CHANNELS)[number]
}

/**
 * What an area does for an app that is being deleted: deletes at most `limit` of its rows there and returns how many it were; fewer
 * than the limit when none are left. Rows that go with these by a foreign key are few for each.
 */
export type Clearing = (appId: number, limit: number) => Promise<number>
