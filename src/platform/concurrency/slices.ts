import type { Clock } from '../time/clock.ts'

export interface SliceParts<Areas> {
  inTransaction<T>(work: (areas: Areas) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Ends the work after the current slice. */
  signal?: AbortSignal | undefined
}

export interface SliceOptions {
  /** Rows of the first slice (default 100). */
  first?: number
  /** Maximum number of rows of a slice (default 2000). */
  most?: number
  /** Called after each slice is committed, with its number of rows. */
  onSlice?(rows: number): Promise<void> | void
}

/** How long a slice should take (ms), from its first statement until it is committed. */
const SLICE_MS = 25
const FIRST = 100
const FEWEST = 10
const MOST = 2000
/** Other processes check every 5 ms whether they may write. */
const SHORTEST_PAUSE_MS = 12
/** A slice that waited long for its turn or its commit must not hold up the next one for as long. */
const LONGEST_PAUSE_MS = 1000

/**
 * Processes rows, possibly millions, in short transactions. `take` processes at most `limit` rows and returns how many;
 * it is called until it returns fewer than the limit. The limit adapts so that a slice takes `SLICE_MS`. After each
 * slice there is a pause as long as the slice took, a second at most, so that others can write. Returns false when
 * `take` returns undefined: there is nothing to process.
 */
export async function inSlices<Areas>(
  { inTransaction, clock, signal }: SliceParts<Areas>,
  take: (areas: Areas, limit: number) => Promise<number | undefined>,
  { first = FIRST, most = MOST, onSlice }: SliceOptions = {},
): Promise<boolean> {
  for (let limit = first; signal?.aborted !== true; ) {
    let begun = 0
    const rows = await inTransaction((areas) => {
      begun = clock.monotonic()
      return take(areas, limit)
    })
    if (rows === undefined) return false
    const took = clock.monotonic() - begun
    await onSlice?.(rows)
    await clock.sleep(Math.min(Math.max(took, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS), signal)
    if (rows < limit) break
    limit = nextLimit(limit, took, most)
  }
  return true
}

/** Rows of the next slice: as many as should take `SLICE_MS`, at most 1.5 times as many as before. */
function nextLimit(limit: number, took: number, most: number): number {
  return Math.min(most, Math.max(Math.min(FEWEST, most), Math.round(limit * Math.min(1.5, SLICE_MS / took))))
}
