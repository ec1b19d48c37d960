import { rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { systemClock } from '../time/clock.ts'
import { makePrivateFile } from './data-directory.ts'

/** A lock on a directory. The operating system releases it when the process ends, however it ends. */
export interface DirectoryLock {
  release(): void
  /** Releases it and deletes its file if this lock made it: for work that was refused and leaves nothing. */
  undo(): void
}

const POLL_MS = 50

/**
 * Locks a data directory for this process: an exclusive transaction on the small SQLite file `server.lock` that stays
 * open. Waits up to `waitMs` for another holder that is ending, then throws `unavailable`. Nothing else in this process
 * may open that file: closing any descriptor of it would drop the lock (POSIX).
 */
export async function lockDirectory(dir: string, { waitMs }: { waitMs: number }): Promise<DirectoryLock> {
  const file = join(dir, 'server.lock')
  const isMade = makePrivateFile(file)
  const until = performance.now() + waitMs
  // The driver's own timeout would block the event loop.
  let inode = inodeOf(file)
  let db = new Database(file, { timeout: 0 })
  for (;;) {
    // A lock on a file that was deleted meanwhile (`undo`) excludes nobody.
    if (tryLock(db, file)) {
      if (inode !== undefined && inodeOf(file) === inode) break
      db.close()
      makePrivateFile(file)
      inode = inodeOf(file)
      db = new Database(file, { timeout: 0 })
      continue
    }
    if (performance.now() >= until) {
      db.close()
      throw new AppError(
        'unavailable',
        `another appsvc serve runs on the data directory ${resolve(dir)}: stop it first, or choose another with --data-dir`,
      )
    }
    await systemClock.sleep(POLL_MS)
  }
  return {
    release: () => void db.close(),
    undo() {
      if (isMade) rmSync(file, { force: true })
      db.close()
    },
  }
}

/** Whether another process holds the lock of a directory. Not to be called in the process that holds it: it would lose the lock. */
export function isLocked(dir: string): boolean {
  const file = join(dir, 'server.lock')
  if (inodeOf(file) === undefined) return false
  const db = new Database(file, { timeout: 0 })
  try {
    return !tryLock(db, file)
  } finally {
    db.close()
  }
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino

function tryLock(db: Database.Database, file: string): boolean {
  try {
    // Nothing is ever written, so a journal on disk is not needed.
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
