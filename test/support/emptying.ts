import type Sqlite from 'better-sqlite3'
import pg from 'pg'
import { openSqlite } from '../../src/platform/db/sqlite-client.ts'

/** Rows that migrations made, as JSON, by table. */
type Seeds = ReadonlyMap<string, string>

/** State of a PostgreSQL database that nobody has used. */
export interface Pristine {
  /** Every table of ours. */
  tables: readonly string[]
  seeds: Seeds
  /** The names of all tables, indexes and sequences, as a number. */
  relations: string
}

/** SQL of `relations`. */
export const RELATIONS = `(SELECT sum(hashtextextended(relname::text, 0)::numeric)::text FROM pg_class
  WHERE relnamespace = 'public'::regnamespace)`

const quoted = (name: string) => pg.escapeIdentifier(name)

/** Asks which of some tables have rows, as `name`. */
function filledAmong(tables: readonly string[]): string {
  return tables.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM "${table}")`).join(' UNION ALL ')
}

const rowsOf = (table: string) => `SELECT json_agg(t ORDER BY t::text)::text FROM ${quoted(table)} t`

/** The state of the database behind `client`, before anybody uses it. */
export async function lookAtPristine(client: pg.Client): Promise<Pristine> {
  const tables = (
    await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
    )
  ).rows.map(({ name }) => name)
  const seeds = new Map<string, string>()
  for (const table of tables) {
    const [row] = (await client.query<{ json_agg: string | null }>(rowsOf(table))).rows
    if (row?.json_agg) seeds.set(table, row.json_agg)
  }
  const [{ relations } = {}] = (await client.query<{ relations: string }>(`SELECT ${RELATIONS} AS relations`)).rows
  return { tables, seeds, relations: relations! }
}

/** The values of further columns, by their names. */
type Said = Readonly<Record<string, unknown>>

/** Differences from a database that nobody has used. */
interface Differences {
  filled: string[] | null
  /** Sequences that have counted. */
  counted: string[] | null
  /** The rows of the tables with seeds. */
  [seed: `seed_${number}`]: string | null
}

/**
 * Empties a PostgreSQL database in two round trips, of which the first is planned once. `client` must ignore triggers
 * (session_replication_role), so that tables can be emptied in any order. `also` are further columns of the first statement: when `may`
 * refuses what they say, nothing is emptied and the answer is false.
 */
export function emptyPostgres(
  client: pg.Client,
  { tables, seeds }: Pristine,
  also: { name: string; columns: string; may(said: Said): boolean },
): () => Promise<boolean> {
  const others = tables.filter((table) => !seeds.has(table))
  const text = `SELECT ${also.columns},
    (SELECT array_agg(name) FROM (${filledAmong(others)}) f) AS filled,
    (SELECT array_agg(format('%I.%I', schemaname, sequencename)) FROM pg_sequences WHERE last_value IS NOT NULL) AS counted
    ${[...seeds.keys()].map((table, i) => `, (${rowsOf(table)}) AS seed_${i}`).join('')}`
  return async () => {
    const [now] = (await client.query<Said & Differences>({ name: also.name, text })).rows
    if (!also.may(now!)) return false
    const changed = [...seeds].filter(([, rows], i) => now![`seed_${i}`] !== rows)
    const statements = [
      ...[...(now!.filled ?? []), ...changed.map(([table]) => table)].map((table) => `DELETE FROM ${quoted(table)}`),
      ...changed.map(
        ([table, rows]) =>
          `INSERT INTO ${quoted(table)} SELECT * FROM json_populate_recordset(NULL::${quoted(table)}, ${pg.escapeLiteral(rows)})`,
      ),
      ...(now!.counted ?? []).map((sequence) => `SELECT setval(${pg.escapeLiteral(sequence)}::regclass, 1, false)`),
    ]
    if (statements.length > 0) await client.query(statements.join(';'))
    return true
  }
}

/** Triggers that count write rows while others are deleted. */
const ROUNDS = 5
/** The time (ms) for which a writer that is at work is waited for, and between two looks. */
const PATIENCE_MS = 10_000
const LOOK_MS = 5

/** A connection that empties an SQLite database. */
export interface SqliteEmptying {
  /** Leaves no row that was written. False when the schema is another one. */
  empty(): Promise<boolean>
  close(): void
}

/**
 * Empties an SQLite database that nobody has used yet by a connection of its own, which looks neither at foreign keys nor whether the disk
 * has it, and whose statements are compiled once. The handle of the test would look at some hundred tables for each app that it deletes.
 */
export function emptySqlite(file: string): SqliteEmptying {
  const db = openSqlite(file, 'writer', 0)
  db.pragma('foreign_keys = OFF')
  db.pragma('synchronous = OFF')
  const schemaOf = db.prepare('PRAGMA schema_version').pluck()
  const schema = schemaOf.get()
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'geofence_boxes_%'`,
    )
    .pluck()
    .all() as string[]
  const statements = new Map<string, Sqlite.Statement>()
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  const contentOf = (table: string) => JSON.stringify(prepared(`SELECT * FROM "${table}" ORDER BY 1`).all())
  const seeds: Seeds = new Map(
    tables.map((table) => [table, contentOf(table)] as const).filter(([, rows]) => rows !== '[]'),
  )
  const filled = db.prepare(filledAmong(tables.filter((table) => !seeds.has(table)))).pluck()

  const emptyAll = db.transaction(() => {
    let left = filled.all() as string[]
    for (let round = 0; left.length > 0; round++) {
      if (round === ROUNDS) throw new Error(`these tables fill again when they are emptied: ${left.join(', ')}`)
      for (const table of left) prepared(`DELETE FROM "${table}"`).run()
      left = filled.all() as string[]
    }
    for (const [table, rows] of seeds) {
      if (contentOf(table) === rows) continue
      prepared(`DELETE FROM "${table}"`).run()
      for (const row of JSON.parse(rows) as object[]) {
        const columns = Object.keys(row).map((name) => `"${name}"`)
        const places = columns.map(() => '?')
        prepared(`INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${places.join(', ')})`).run(Object.values(row))
      }
    }
    prepared('DELETE FROM sqlite_sequence').run()
  })

  return {
    async empty() {
      if (schemaOf.get() !== schema) return false
      const until = performance.now() + PATIENCE_MS
      for (;;) {
        try {
          emptyAll.immediate()
          return true
        } catch (error) {
          const isBusy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
          if (!isBusy || performance.now() > until) throw error
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
    close: () => void db.close(),
  }
}
