import type { Kernel } from '../../app.ts'
import { isAppError } from '../../platform/errors.ts'

/**
 * Whether a server runs on this database. SQLite: decided by the directory lock. PostgreSQL: undefined, because the
 * server may run on any machine. Not to be called in the process that serves: it would lose its lock.
 */
export async function isServed(app: { kernel: Pick<Kernel, 'db' | 'config'> }): Promise<boolean | undefined> {
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
