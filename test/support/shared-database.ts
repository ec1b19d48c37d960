import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database, Sql } from '../../src/platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../src/platform/db/dialect.ts'
import { filledAmong, POSTGRES_COUNTS_FROM_ONE, POSTGRES_TABLES } from './emptying.ts'
import { type DatabaseKind, openAppOver, openMigrated, type TestAppOptions, type TestProgram } from './program.ts'

/** Triggers that count write rows while others are deleted. */
const ROUNDS = 5

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
  const { db, drop } = await openMigrated({ kind }, dir)
  const schema = await schemaOf(db.read)
  const tables = await tablesOf(db.read)
  const seeds = new Map<string, string>()
  for (const table of tables) {
    const rows = await contentOf(db.read, table)
    if (rows !== '[]') seeds.set(table, rows)
  }
  const others = tables.filter((table) => !seeds.has(table))
  return {
    db,
    async empty() {
      if ((await schemaOf(db.read)) !== schema) return false
      await db.write((trx) => empty(trx, others, seeds))
      return true
    },
    async close() {
      await db.close()
      await drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function empty(trx: Sql, tables: readonly string[], seeds: ReadonlyMap<string, string>): Promise<void> {
  // In any order.
  await trx.raw(isPostgres(trx) ? 'SET LOCAL session_replication_role = replica' : 'PRAGMA defer_foreign_keys = ON')
  let left = await filled(trx, tables)
  for (let round = 0; left.length > 0; round++) {
    if (round === ROUNDS) throw new Error(`these tables fill again when they are emptied: ${left.join(', ')}`)
    for (const table of left) await trx(table).delete()
    left = isPostgres(trx) ? [] : await filled(trx, tables)
  }
  for (const [table, rows] of seeds) {
    if ((await contentOf(trx, table)) === rows) continue
    await trx(table).delete()
    await trx(table).insert(JSON.parse(rows) as object[])
  }
  await trx.raw(isPostgres(trx) ? POSTGRES_COUNTS_FROM_ONE : 'DELETE FROM sqlite_sequence')
}

async function schemaOf(sql: Sql): Promise<string> {
  const relations = `SELECT string_agg(relname, ' ' ORDER BY relname) AS version FROM pg_class WHERE relnamespace = 'public'::regnamespace`
  const result = await sql.raw(
    isPostgres(sql) ? relations : 'SELECT schema_version AS version FROM pragma_schema_version',
  )
  return String(rowsOf<{ version: string | number }>(result)[0]!.version)
}

async function tablesOf(sql: Sql): Promise<string[]> {
  const result = await sql.raw(
    isPostgres(sql)
      ? POSTGRES_TABLES
      : `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'geofence_boxes_%'`,
  )
  return rowsOf<{ name: string }>(result).map(({ name }) => name)
}

async function filled(sql: Sql, tables: readonly string[]): Promise<string[]> {
  return rowsOf<{ name: string }>(await sql.raw(filledAmong(tables))).map(({ name }) => name)
}

async function contentOf(sql: Sql, table: string): Promise<string> {
  return JSON.stringify(await sql(table).orderByRaw('1').select())
}
