import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/platform/db/connect.ts'
import { emptySqlite } from './emptying.ts'
import { emptyPostgresDatabase } from './postgres.ts'
import { type DatabaseKind, openAppOver, openMigrated, type TestAppOptions, type TestProgram } from './program.ts'

/**
 * Gives the body of a suite `openTestProgram` for its tests, one after the other, on one database, which is emptied when a
 * test closes its app. Each test finds the same as in a fresh one, ids that begin at 1 included, but neither the file
 * nor the connections are made anew: that is most of the cost of a small test. A test that adds to the schema (data
 * tables) ends the database, and the next test gets another.
 */
export function sharedDatabase(
  kind: DatabaseKind,
): (options?: Pick<TestAppOptions, 'settings'>) => Promise<TestProgram> {
  let shared: Shared | undefined
  after('close the shared database', async () => shared?.close())
  return async ({ settings } = {}) => {
    const { db, empty } = (shared ??= await open(kind))
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    return openAppOver({ ...db, close: async () => {} }, dir, settings, async () => {
      if (await empty()) return
      await shared?.close()
      shared = undefined
    })
  }
}

interface Shared {
  db: Database
  /** Leaves no row that was written. False when the schema is another one. */
  empty(): Promise<boolean>
  close(): Promise<void>
}

async function open(kind: DatabaseKind): Promise<Shared> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const { db, url, file, drop } = await openMigrated({ kind }, dir)
  const sqlite = url === undefined ? emptySqlite(file) : undefined
  return {
    db,
    empty: () => sqlite?.empty() ?? emptyPostgresDatabase(url!),
    async close() {
      sqlite?.close()
      await db.close()
      await drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
