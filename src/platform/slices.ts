import type { Clock } from './clock.ts'

export interface SliceParts<Areas> {
  inTransaction<T>(work: (areas: Areas) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Ends the work after the slice that is under way. */
  signal?: AbortSignal | undefined
}

export interface SliceOptions {
  /** Rows of the first slice (100). */
  first?: number
  /** Most rows of a slice (2000). */
  most?: number
  /** After each slice is on disk: how many rows it had. */
  onSlice?(rows: number): Promise<void> | void
}

/** How long a slice should take (ms), from its first statement until it is on disk. */
const SLICE_MS = 25
const FIRST = 100
const FEWEST = 10
const MOST = 2000
/** Another process looks every 5 ms whether it may write. */
const SHORTEST_PAUSE_MS = 12

/**
 * Work that may have millions of rows, in short transactions: `take` works on at most `limit` rows and returns how many, and is
 * called until that is fewer. Slices become smaller when they are slow, and after each others may write for as long as it took.
 * False when `take` returns undefined: there was nothing to work on at all.
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
    await clock.sleep(Math.max(took, SHORTEST_PAUSE_MS), signal)
    if (rows < limit) break
    limit = nextLimit(limit, took, most)
  }
  return true
}

/** Rows of the next slice: as many as should take `SLICE_MS`, at most half as many again as before. */
function nextLimit(limit: number, took: number, most: number): number {
  return Math.min(most, Math.max(Math.min(FEWEST, most), Math.round(limit * Math.min(1.5, SLICE_MS / took))))
}
