import type { Clock } from '../../platform/clock.ts'
import { inSlices } from '../../platform/slices.ts'
import type { AppsService } from './service.ts'

interface Areas {
  apps: Pick<AppsService, 'close' | 'clear' | 'delete'>
}

export interface DeletionParts {
  inTransaction<T>(work: (areas: Areas) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** After each slice: rows deleted so far, without those that went with them. */
  onProgress?(rows: number): void
}

/**
 * Deletes an app and everything that belongs to it. It is closed at once: nobody gets in and nothing more is sent for it. Its
 * rows follow in short transactions; between them others may write for as long as each took. Ended in the middle it leaves
 * an app without keys in force, and a second call goes on with it. Throws `not_found`.
 */
export async function deleteApp({ inTransaction, clock, onProgress }: DeletionParts, appId: number): Promise<void> {
  let rows = 0

  /** Slice after slice of the area with this number; false when there is no such area. */
  function clearArea(area: number): Promise<boolean> {
    return inSlices<Areas>({ inTransaction, clock }, ({ apps }, limit) => apps.clear(appId, area, limit), {
      onSlice(cleared) {
        rows += cleared
        onProgress?.(rows)
      },
    })
  }

  // Closed again and again: a request that was let in before may have stored something to send since.
  const close = () => inTransaction(({ apps }) => apps.close(appId))
  await close()
  for (let area = 0; await clearArea(area); area++) await close()
  await inTransaction(({ apps }) => apps.delete(appId))
}
