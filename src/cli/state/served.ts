import type { App } from '../../app.ts'
import { isAppError } from '../../platform/errors.ts'

/**
 * Whether somebody delivers from this database now. On SQLite the directory lock tells for sure; on PostgreSQL the workers
 * may be on any machine, and the answer is undefined.
 */
export async function isServed(app: App): Promise<boolean | undefined> {
  if (app.kernel.db.kind === 'postgres') return undefined
  const { lockDirectory } = await import('../../platform/lock.ts')
  try {
    const lock = await lockDirectory(app.kernel.config.dataDir, { waitMs: 0 })
    lock.release()
    return false
  } catch (error) {
    if (isAppError(error) && error.code === 'unavailable') return true
    throw error
  }
}
