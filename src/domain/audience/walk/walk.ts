import type { Platform } from '../../gateways/registry.ts'

/** A platform's position in a walk through time zones: which hour range, and the last hour and install read from it. */
export type ZoneCursor = readonly [range: number, hour: number, row: number]

/** Position of a walk over installs. Stored as JSON. */
export interface Cursor {
  /** Platform type -> last install read; `null` when no installs of the platform are left. */
  platforms?: Record<string, number | null>
  /** How many installs of an explicit list were read. */
  listed?: number
  /** How many users of an explicit list were read, and when the first of them was (ms). */
  users?: number
  usersSince?: number
  /** In a walk through time zones: platform type -> position; `null` when no installs of the platform are left. */
  placed?: Record<string, ZoneCursor | null>
  /** In a walk through installs that moved: time of the last change that was read, and its install. */
  changed?: readonly [at: number, row: number]
}

/** Recipients of one platform in ascending order; without a platform they can no longer be reached (no token). */
export interface Step {
  platform: Platform | undefined
  rows: number[]
  /** They are meant as installs of users whom the target names. */
  byUser?: true
  /**
   * Those of `rows` that another run of the same notification may have reached, because they changed after
   * `Within.changedSince`, or an earlier step of this one, because they may have passed to another user since.
   */
  moved?: number[]
}

/** Position of a walk over users. Stored as JSON. */
export interface UserCursor {
  /** The last user read: of all users, or at `place`. */
  user?: number
  /** Position of a walk through time zones. */
  place?: { zone: string | null; hour: number }
  /** How many named users and installs were read. */
  listed?: number
}
