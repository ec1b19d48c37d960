import type { Kernel } from '../../program.ts'

/**
 * Tells whether a server runs on this database. SQLite: decided by the directory lock. PostgreSQL: undefined, because the server
 * may run on any machine. Not to be called in the process that serves: it would lose its lock.
 */
export async function isServed(app: { kernel: Pick<Kernel, 'db' | 'config'> }): Promise<boolean | undefined> {
  if (app.kernel.db.kind === 'postgres') return undefined
  const { isLocked } = await import('../../platform/files/lock.ts')
  return isLocked(app.kernel.config.dataDir)
}
