import { rmSync } from 'node:fs'
import type { Knex } from 'knex'
import { type CopiedTable, PROGRESS, SOURCE } from '../../platform/db/copy/copy.ts'
import type { PostgresStore } from '../../platform/db/copy/postgres-store.ts'
import { quoted, type Store } from '../../platform/db/copy/store.ts'
import type { Database } from '../../platform/db/database.ts'
import { isPostgres, rowsOf } from '../../platform/db/dialect.ts'
import { finishCopy, type Migrations, migrateForCopy } from '../../platform/db/migrate.ts'
import { logRepository } from '../followers/log/repository.ts'
import { ddl } from '../tables/definition/ddl.ts'
import { partName, sqlName } from '../tables/definition/names.ts'
import type { Table } from '../tables/types.ts'

/** Triggers of an SQLite target, which come back at the end. On PostgreSQL triggers can be switched off. */
const TRIGGERS = 'copy_triggers'

/** The table that SQLite keeps beside the others. It is not copied: triggers fill it. */
const FILLED_BY_TRIGGERS = 'geofence_boxes'

/** Tables of a database that are not copied: each side keeps its own. */
const NOT_COPIED = ['schema_migrations', PROGRESS, SOURCE, TRIGGERS]

export const isCopied = ({ name }: { name: string }): boolean =>
  !NOT_COPIED.includes(name) && !name.startsWith(`${FILLED_BY_TRIGGERS}_`)

/** Contents of the target: nothing, an interrupted copy of the named source, or something else. */
export type TargetState = { holds: 'nothing' | 'others' } | { holds: 'copy'; of: string }

export async function stateOf(target: Store): Promise<TargetState> {
  const names = (await target.shapes()).map(({ name }) => name)
  if (names.includes(SOURCE))
    return { holds: 'copy', of: String((await target.run(`SELECT id FROM ${SOURCE}`))[0]!.id) }
  return { holds: names.length === 0 ? 'nothing' : 'others' }
}

/** Gives an empty target the schema, the data tables and the mark of an unfinished copy: all of it, or nothing. */
export async function prepareTarget(
  db: Database,
  migrations: Migrations,
  { source, tables }: { source: string; tables: readonly Table[] },
): Promise<void> {
  await migrateForCopy(db, migrations, async (trx) => {
    const byId = new Map(tables.map((table) => [table.id, table]))
    // On PostgreSQL the references come at the end: tables may refer to each other in a circle.
    const targetOf = (id: number | null) => (db.kind === 'postgres' || id === null ? undefined : byId.get(id))
    for (const table of tables) await ddl(trx).create(table, ({ references }) => targetOf(references))
    await trx.schema.createTable(SOURCE, (t) => void t.text('id').notNullable())
    await trx(SOURCE).insert({ id: source })
    await trx.schema.createTable(PROGRESS, (t) => {
      t.text('name').primary()
      t.text('last_key')
      t.bigInteger('row_count').notNullable()
      t.text('digest').notNullable()
      t.integer('done').notNullable()
    })
    await stopTriggers(trx)
  })
}

/** Stops the triggers: their counts and log entries are copied, too. */
async function stopTriggers(trx: Knex.Transaction): Promise<void> {
  if (isPostgres(trx)) {
    for (const name of await tablesWithTriggers(trx)) await trx.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [name])
    return
  }
  await trx.schema.createTable(TRIGGERS, (t) => void t.text('sql').notNullable())
  const triggers = rowsOf<{ name: string; sql: string }>(
    await trx.raw(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`),
  )
  for (const { name, sql } of triggers) {
    if (sql.includes(FILLED_BY_TRIGGERS)) continue
    await trx(TRIGGERS).insert({ sql })
    await trx.raw('DROP TRIGGER ??', [name])
  }
}

async function tablesWithTriggers(trx: Knex.Transaction): Promise<string[]> {
  const found = await trx.raw(`SELECT DISTINCT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`)
  return rowsOf<{ name: string }>(found).map(({ name }) => name)
}

/** Makes the target a database like any other: triggers, references, automatic numbers; the mark goes last. */
export async function finishTarget(
  db: Database,
  { tables, counters }: { tables: readonly Table[]; counters: ReadonlyMap<string, string> },
): Promise<void> {
  await db.write(async (trx) => {
    if (db.kind === 'postgres') await finishPostgres(trx, tables)
    else
      for (const { sql } of (await trx(TRIGGERS).select('sql')) as { sql: string }[])
        await trx.raw(sql.replaceAll('?', '\\?'))
    for (const [table, last] of counters) await setCounter(trx, table, last)
    for (const name of [PROGRESS, SOURCE, TRIGGERS]) await trx.schema.dropTableIfExists(name)
    await finishCopy(trx)
  })
}

async function finishPostgres(trx: Knex.Transaction, tables: readonly Table[]): Promise<void> {
  await trx.raw('SET LOCAL statement_timeout = 0')
  for (const name of await tablesWithTriggers(trx)) await trx.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [name])
  const byId = new Map(tables.map((table) => [table.id, table]))
  for (const table of tables) {
    for (const column of table.columns) {
      const target = column.references === null ? undefined : byId.get(column.references)
      if (!target) continue
      const names = [sqlName(table), partName(table, column, 'ref'), column.name, sqlName(target)]
      await trx.raw('ALTER TABLE ?? ADD CONSTRAINT ?? FOREIGN KEY (??) REFERENCES ?? (id)', names)
    }
  }
  // Transactions have other numbers here: what is stored from now on comes after everything that was copied.
  await logRepository(trx).jump()
}

/** Makes the next automatic number of a table the one after `last`. */
async function setCounter(trx: Knex.Transaction, table: string, last: string): Promise<void> {
  if (isPostgres(trx)) {
    await trx.raw(
      `SELECT setval(pg_get_serial_sequence(quote_ident(?), 'id'), GREATEST(CAST(? AS bigint), 1), CAST(? AS bigint) > 0)`,
      [table, last, last],
    )
    return
  }
  await trx('sqlite_sequence').where({ name: table }).delete()
  if (last !== '0')
    await trx.raw('INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))', [table, last])
}

/** The last automatic number of each table that gives any. */
export async function countersOf(store: Store, tables: readonly CopiedTable[]): Promise<Map<string, string>> {
  const counters = new Map<string, string>()
  if (store.kind === 'sqlite') {
    // A database that an earlier version restored has a REAL there, whose text PostgreSQL does not take.
    const rows = await store.run('SELECT name, CAST(CAST(seq AS INTEGER) AS text) AS last FROM sqlite_sequence')
    const known = new Map(rows.map(({ name, last }) => [String(name), String(last)]))
    for (const { from } of tables) {
      // A table without a row in it has given no number yet, or gives none.
      const last = known.get(from.name)
      if (last !== undefined) counters.set(from.name, last)
    }
    return counters
  }
  for (const { from } of tables) {
    if (!from.columns.some(({ name }) => name === 'id')) continue
    const name = `'${quoted(from.name).replaceAll("'", "''")}'`
    const [found] = await store.run(`SELECT pg_get_serial_sequence(${name}, 'id') AS sequence`)
    if (found?.sequence === null || found?.sequence === undefined) continue
    const [row] = await store.run(
      `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM ${String(found.sequence)}`,
    )
    counters.set(from.name, String(row!.last))
  }
  return counters
}

/** Removes what an interrupted copy has stored. The target was empty before it, so everything in it is of the copy. */
export async function emptyPostgres(target: PostgresStore): Promise<void> {
  await target.transaction(async () => {
    for (const { name } of await target.shapes()) await target.run(`DROP TABLE ${quoted(name)} CASCADE`)
    const functions = await target.run(`SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE p.pronamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`)
    for (const { name } of functions) await target.run(`DROP FUNCTION ${String(name)} CASCADE`)
  })
}

export function removeSqlite(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
