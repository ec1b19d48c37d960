import { inSlices } from '../../platform/concurrency/slices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { REMEMBERED_MS } from './key-memory.ts'
import type { AppsService } from './service.ts'

interface Areas {
  apps: Pick<AppsService, 'close' | 'clear' | 'delete'>
}

export interface DeletionParts {
  inTransaction<T>(work: (areas: Areas) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** After each slice: rows deleted so far, not counting rows that foreign keys delete with them. */
  onProgress?(rows: number): void
}

/**
 * Deletes an app and everything that belongs to it. First the app is closed: its keys end and nothing more is sent.
 * After a second, when no process takes its keys to be valid any more, its rows are deleted in short transactions, with
 * a pause after each that lets others write for as long as it took. If the deletion is interrupted, the app remains
 * without valid keys, and a second call continues. Throws `not_found`.
 */
export async function deleteApp({ inTransaction, clock, onProgress }: DeletionParts, appId: number): Promise<void> {
  let rows = 0

  /** Runs one step of the deletion, slice by slice; false when there is no such step. */
  function clearStep(step: number): Promise<boolean> {
    return inSlices<Areas>({ inTransaction, clock }, ({ apps }, limit) => apps.clear(appId, step, limit), {
      onSlice(cleared) {
        rows += cleared
        onProgress?.(rows)
      },
    })
  }

  // Repeated before every step: a request admitted before the app was closed may have stored something to send.
  const close = () => inTransaction(({ apps }) => apps.close(appId))
  await close()
  await clock.sleep(REMEMBERED_MS)
  for (let step = 0; await clearStep(step); step++) await close()
  await inTransaction(({ apps }) => apps.delete(appId))
}
