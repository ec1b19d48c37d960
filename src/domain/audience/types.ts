/** Installs that a send leaves out. */
export interface Exclusion {
  /** Install rows, ascending. */
  exclude: number[]
  /**
   * Set when some of the named install ids were unknown when the send was accepted. They stand in the targeting as the
   * caller gave it (`filters`), from which an erasure can take them out.
   */
  awaits?: true
  /** The unknown ids, to be looked up at each step. In memory only: `withAwaited` adds them. */
  awaited?: readonly string[]
}

/**
 * The recipients of a push, with every id looked up: stored with a notification, walked at send time. Lists are ascending and
 * without duplicates. `users` are ids of users: the subscribed installs that they have when they are read are meant
 * (docs/decisions/0079-decided-when-it-is-sent.md).
 */
export type Target = Exclusion &
  (
    | { kind: 'broadcast' }
    /** Install rows, and users. */
    | { kind: 'installs'; rows: number[]; users?: number[] }
    /** Every install that matches at send time, and also the installs in `also` (rows) and those of `users`. */
    | { kind: 'filter'; narrowing: Narrowing; also?: number[]; users?: number[] }
  )

/**
 * The recipients of an in-app message, with every id looked up: stored with the message, walked when it is due. A user
 * gets nothing if the message leaves out all of their installs that are meant.
 */
export type UserTarget = Exclusion &
  (
    | { kind: 'broadcast' }
    /** User ids, and rows of installs whose users at that time are meant; ascending, without duplicates. */
    | { kind: 'named'; users: number[]; installs: number[] }
    /** Every user with an install that matches at that time. */
    | { kind: 'filter'; narrowing: Narrowing }
  )

/**
 * Conditions on an install: it is in every segment, in any of the channels and in any of the geofences. An empty list
 * matches every install.
 */
export interface Narrowing {
  segments: number[]
  channels: number[]
  geofences: Fences | null
}

/** A choice of geofences: any of the app, or those with one of these ids or tags. */
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
