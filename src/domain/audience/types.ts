/**
 * The recipients of a push, with every id looked up: stored with a notification, walked at send time. `exclude` are
 * install rows.
 */
export type Target =
  | { kind: 'broadcast'; exclude: number[] }
  /** Install rows, ascending, without duplicates. */
  | { kind: 'installs'; rows: number[]; exclude: number[] }
  /** Every install that matches at send time, and also the installs in `also`: rows, ascending, without duplicates. */
  | { kind: 'filter'; narrowing: Narrowing; also?: number[]; exclude: number[] }

/**
 * The recipients of an in-app message, with every id looked up: stored with the message, walked when it is due.
 * `exclude` are install rows: who has no other install that is meant gets nothing.
 */
export type UserTarget =
  | { kind: 'broadcast'; exclude: number[] }
  /** User ids, and rows of installs whose users at that time are meant; ascending, without duplicates. */
  | { kind: 'named'; users: number[]; installs: number[]; exclude: number[] }
  /** Every user with an install that matches at that time. */
  | { kind: 'filter'; narrowing: Narrowing; exclude: number[] }

/**
 * What an install must match: every segment, any of the channels, any of the geofences. An empty list matches every
 * install.
 */
export interface Narrowing {
  segments: number[]
  channels: number[]
  geofences: Fences | null
}

/** Which geofences: any of the app, or those with one of these ids or tags. */
export interface Fences {
  any: boolean
  ids: number[]
  tags: string[]
}

/**
 * The contract's `errors` object: ids that a caller gave and that cannot be reached, in the order given. Empty lists
 * are left out.
 */
export interface TargetErrors {
  unknownInstallIds?: (string | number)[]
  unsubscribedInstallIds?: (string | number)[]
  unknownUserIds?: (string | number)[]
  unsubscribedUserIds?: (string | number)[]
}
