import pg from 'pg'
import { filledAmong, POSTGRES_COUNTS_FROM_ONE, POSTGRES_TABLES } from './emptying.ts'

/** State of a database that nobody has used. */
export interface Pristine {
  /** Every table of ours. */
  tables: readonly string[]
  /** The rows that migrations put there, as JSON, by table. */
  seeds: ReadonlyMap<string, string>
}

/** Tables that are larger are not worth emptying: deleted rows stay in the file. */
const MOST_BYTES = 4 * 1024 ** 2
/** The number of looks for connections that are being closed, before the database counts as used by somebody. */
const LOOKS = 40
const LOOK_MS = 2

/** The catalogues in which everything leaves a row that a test may do to a database besides filling its tables; ANALYZE too. */
const CATALOGUES = [
  'class',
  'attribute',
  'constraint',
  'index',
  'proc',
  'trigger',
  'namespace',
  'type',
  'statistic',
  'extension',
]
const CHANGES = ['inserted', 'updated', 'deleted']

/**
 * SQL of how often something was changed in these catalogues since the database was copied; connections count it when
 * they end at the latest.
 */
const CHANGED = `${CATALOGUES.flatMap((catalogue) =>
  CHANGES.map((change) => `pg_stat_get_tuples_${change}('pg_catalog.pg_${catalogue}'::regclass)`),
).join(' + ')}
  + (SELECT count(*) FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))`

const quoted = (name: string) => pg.escapeIdentifier(name)
const rowsOf = (table: string) => `SELECT json_agg(t ORDER BY t::text)::text FROM ${quoted(table)} t`

/** The state of the database behind `client`, before anybody uses it. */
export async function lookAtPristine(client: pg.Client): Promise<Pristine> {
  const tables = (await client.query<{ name: string }>(POSTGRES_TABLES)).rows.map(({ name }) => name)
  const seeds = new Map<string, string>()
  for (const table of tables) {
    const [row] = (await client.query<{ json_agg: string | null }>(rowsOf(table))).rows
    if (row?.json_agg) seeds.set(table, row.json_agg)
  }
  return { tables, seeds }
}

/** A database that can be used again, with the connection that empties it: its caches are warm, so this takes a tenth of another database. */
export interface Reusable {
  name: string
  /** Empties it. False when it is not as it was, and must be dropped. Never throws. */
  reset(): Promise<boolean>
  close(): Promise<void>
}

/** Connects to a copy of the template. */
export async function openReusable(name: string, url: string, pristine: Pristine): Promise<Reusable> {
  const client = new pg.Client({ connectionString: url })
  // A test may end all connections of its database: then it is dropped.
  client.on('error', () => {})
  await client.connect()
  // Without the triggers of foreign keys, in any order.
  await client.query('SET session_replication_role = replica')
  const { tables, seeds } = pristine
  const others = tables.filter((table) => !seeds.has(table))
  const state = `SELECT (${CHANGED})::float AS changed,
    (SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace)::float AS bytes,
    (SELECT array_agg(name) FROM (${filledAmong(others)}) f) AS filled
    ${[...seeds.keys()].map((table, i) => `, (${rowsOf(table)}) AS seed_${i}`).join('')}`

  async function isUnused(): Promise<boolean> {
    const connected = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    for (let i = 0; i < LOOKS; i++) {
      if ((await client.query({ name: 'connected', text: connected })).rowCount === 0) return true
      // A connection that was closed takes the server a moment.
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return false
  }

  async function reset(): Promise<boolean> {
    if (!(await isUnused())) return false
    const [now] = (await client.query<State>({ name: 'state', text: state })).rows
    if (now!.changed > 0 || now!.bytes > MOST_BYTES) return false
    const changed = [...seeds].filter(([, rows], i) => now![`seed_${i}`] !== rows)
    const statements = [
      ...[...(now!.filled ?? []), ...changed.map(([table]) => table)].map((table) => `DELETE FROM ${quoted(table)}`),
      ...changed.map(
        ([table, rows]) =>
          `INSERT INTO ${quoted(table)} SELECT * FROM json_populate_recordset(NULL::${quoted(table)}, ${pg.escapeLiteral(rows)})`,
      ),
      POSTGRES_COUNTS_FROM_ONE,
    ]
    await client.query(statements.join(';'))
    return true
  }

  return {
    name,
    reset: () => reset().catch(() => false),
    close: () => client.end().catch(() => {}),
  }
}

interface State {
  changed: number
  bytes: number
  filled: string[] | null
  /** The rows of the tables with seeds. */
  [seed: `seed_${number}`]: string | null
}
