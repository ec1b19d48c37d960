import type { Clock } from '../../platform/clock.ts'
import type { AppsService } from './service.ts'

export interface DeletionParts {
  inTransaction<T>(work: (areas: { apps: Pick<AppsService, 'close' | 'clear' | 'delete'> }) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** After each slice: rows deleted so far, without those that went with them. */
  onProgress?(rows: number): void
}

/** How long a slice should take (ms), from its first statement until it is on disk. */
const SLICE_MS = 25
/** Rows of the first slice of an area, and the fewest and most of the others. */
const FIRST = 100
const FEWEST = 10
const MOST = 2000
/** Another process looks every 5 ms whether it may write. */
const SHORTEST_PAUSE_MS = 12

/**
 * Deletes an app and everything that belongs to it. It is closed at once: nobody gets in and nothing more is sent for it. Its
 * rows follow in short transactions; between them others may write for as long as each took. Ended in the middle it leaves
 * an app without keys in force, and a second call goes on with it. Throws `not_found`.
 */
export async function deleteApp({ inTransaction, clock, onProgress }: DeletionParts, appId: number): Promise<void> {
  let rows = 0

  /** Slice after slice of the area with this number; false when there is no such area. */
  async function clearArea(area: number): Promise<boolean> {
    for (let limit = FIRST; ; ) {
      let begun = 0
      const cleared = await inTransaction(({ apps }) => {
        begun = clock.monotonic()
        return apps.clear(appId, area, limit)
      })
      if (cleared === undefined) return false
      const took = clock.monotonic() - begun
      rows += cleared
      onProgress?.(rows)
      await clock.sleep(Math.max(took, SHORTEST_PAUSE_MS))
      if (cleared < limit) return true
      limit = nextLimit(limit, took)
    }
  }

  // Closed again and again: a request that was let in before may have stored something to send since.
  const close = () => inTransaction(({ apps }) => apps.close(appId))
  await close()
  for (let area = 0; await clearArea(area); area++) await close()
  await inTransaction(({ apps }) => apps.delete(appId))
}

/** Rows of the next slice: as many as should take `SLICE_MS`, at most half as many again as before. */
function nextLimit(limit: number, took: number): number {
  return Math.min(MOST, Math.max(FEWEST, Math.round(limit * Math.min(1.5, SLICE_MS / took))))
}
