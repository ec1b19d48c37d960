import type { Platform } from '../gateways/registry.ts'

/** How far a platform is: the stretch of the index, and the last hour and install seen in it. */
export type PlacedCursor = readonly [stretch: number, hour: number, row: number]

/** How far a walk has come: the last install row of each platform, or the place in a list of installs. JSON. */
export interface Cursor {
  /** Platform type -> last row seen; `null` when that platform is through. */
  platforms?: Record<string, number | null>
  /** Installs of an explicit list that are through. */
  listed?: number
  /** Of a walk through places: platform type -> place in the index; `null` when that platform is through. */
  placed?: Record<string, PlacedCursor | null>
  /** Of a walk through those who moved: when the last one did, and its row. */
  changed?: readonly [at: number, row: number]
}

/** Recipients of one platform in ascending order; without a platform they cannot be reached any more (no token). */
export interface Step {
  platform: Platform | undefined
  rows: number[]
  /** Those of `rows` that another walk of the same notification may have met: they changed since `Within.changedSince`. */
  moved?: number[]
}
