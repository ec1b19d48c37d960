import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from './clock.ts'
import { makePrivateFile } from './data-directory.ts'
import { AppError } from './errors.ts'

/** A held directory. The operating system gives it back when the process dies, however it dies. */
export interface DirectoryLock {
  release(): void
}

const POLL_MS = 50

/**
 * The one holder of a data directory: an exclusive transaction on the small SQLite file `server.lock`, for life. Waits at
 * most `waitMs` for a holder that is about to end, then throws `unavailable`. Nobody else may open that file: closing any
 * descriptor of it in this process would drop the lock (POSIX).
 */
export async function lockDirectory(dir: string, { waitMs }: { waitMs: number }): Promise<DirectoryLock> {
  const file = join(dir, 'server.lock')
  makePrivateFile(file)
  const until = performance.now() + waitMs
  // The driver's own waiting would stop the event loop.
  const db = new Database(file, { timeout: 0 })
  while (!tryLock(db, file)) {
    if (performance.now() >= until) {
      db.close()
      throw new AppError(
        'unavailable',
        `another appsvc serve runs on the data directory ${resolve(dir)}: stop it first, or choose another with --data-dir`,
      )
    }
    await systemClock.sleep(POLL_MS)
  }
  return { release: () => void db.close() }
}

function tryLock(db: Database.Database, file: string): boolean {
  try {
    // Nothing is ever written, so there is nothing that a journal on disk could bring back.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('SQLITE_BUSY')) return false
    db.close()
    throw new AppError('config', `the lock file ${resolve(file)} cannot be used: ${message}`)
  }
}
