import type { Database } from './database.ts'
import { rowsOf } from './dialect.ts'

/** Facts that a database tells about itself, for people who look after it. Reads only. */

/** SQLite's library and file. */
export interface SqliteState {
  version: string
  bytes: number
  /** Bytes of pages that hold nothing; VACUUM would give them back. */
  freeBytes: number
}

export async function sqliteState({ read }: Pick<Database, 'read'>): Promise<SqliteState> {
  const sql = `SELECT sqlite_version() AS version, page_count * page_size AS bytes, freelist_count * page_size AS free
    FROM pragma_page_count(), pragma_page_size(), pragma_freelist_count()`
  const [row] = rowsOf<{ version: string; bytes: number; free: number }>(await read.raw(sql))
  return { version: row!.version, bytes: row!.bytes, freeBytes: row!.free }
}

/** The findings of `checkTables`. */
export interface TablesChecked {
  /** SQLite's own words; none when all is well. */
  damage: string[]
  checked: number
  /** Tables that were left out because they are large, or because the time was over. */
  left: string[]
}

/** A table with more rows than this would take longer than a minute: `quick_check` cannot be interrupted. */
const MAX_ROWS = 20_000_000
const MAX_SAID = 5

/**
 * SQLite's `quick_check`, table by table, the shorter ones first, until `until` (by `now`). One table holds the event loop for as
 * long as it takes to read it, so this is for commands.
 */
export async function checkTables(
  { read }: Pick<Database, 'read'>,
  { now, until }: { now(): number; until: number },
): Promise<TablesChecked> {
  const names = rowsOf<{ name: string; wr: number }>(
    await read.raw(`SELECT name, wr FROM pragma_table_list() WHERE schema = 'main' AND type IN ('table', 'shadow')`),
  )
  const sized: { name: string; rows: number }[] = []
  for (const { name, wr } of names) {
    // The greatest row id is read from one page. A table without row ids has no such number.
    const query = wr ? 'SELECT 0 AS top' : `SELECT max(rowid) AS top FROM ${quoted(name)}`
    const top = rowsOf<{ top: number | null }>(await read.raw(query))[0]?.top
    sized.push({ name, rows: top ?? 0 })
  }
  sized.sort((a, b) => a.rows - b.rows)
  const result: TablesChecked = { damage: [], checked: 0, left: [] }
  for (const { name, rows } of sized) {
    if (rows > MAX_ROWS || now() > until) {
      result.left.push(name)
      continue
    }
    const said = rowsOf<Record<string, string>>(await read.raw(`PRAGMA quick_check(${quoted(name)})`))
    result.damage.push(...said.flatMap((row) => Object.values(row)).filter((words) => words !== 'ok'))
    result.checked++
    if (result.damage.length >= MAX_SAID) break
  }
  result.damage.splice(MAX_SAID)
  return result
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** PostgreSQL's settings that decide whether a commit stays. */
export interface PostgresState {
  /** Version as a number: 150004 for 15.4. */
  versionNumber: number
  version: string
  settings: { fsync: string; full_page_writes: string; autovacuum: string; server_encoding: string }
  /** A standby that follows a primary: nothing can be written there. */
  isStandby: boolean
  connections: { used: number; most: number }
  /** Indexes that a failed CREATE INDEX CONCURRENTLY left behind: they cost writes and help no read. */
  invalidIndexes: string[]
  bytes: number
}

export async function postgresState({ read }: Pick<Database, 'read'>): Promise<PostgresState> {
  const setting = (name: string) => `current_setting('${name}') AS ${name}`
  const [row] = rowsOf<Record<string, string | number | boolean>>(
    await read.raw(
      `SELECT ${['server_version', 'server_version_num', 'fsync', 'full_page_writes', 'autovacuum', 'server_encoding'].map(setting).join(', ')},
         pg_is_in_recovery() AS standby, pg_database_size(current_database()) AS bytes,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
    ),
  )
  const invalid = rowsOf<{ name: string }>(
    await read.raw(
      `SELECT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
       JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE NOT i.indisvalid AND n.nspname = current_schema() ORDER BY 1 LIMIT 20`,
    ),
  )
  const text = (name: string) => String(row![name])
  return {
    versionNumber: Number(row!.server_version_num),
    version: text('server_version'),
    settings: {
      fsync: text('fsync'),
      full_page_writes: text('full_page_writes'),
      autovacuum: text('autovacuum'),
      server_encoding: text('server_encoding'),
    },
    isStandby: row!.standby === true,
    connections: { used: Number(row!.used), most: Number(row!.most) },
    invalidIndexes: invalid.map(({ name }) => name),
    bytes: Number(row!.bytes),
  }
}

/** A transaction of anybody that has been open for long: VACUUM cannot remove what was deleted since. */
interface LongTransaction {
  pid: number
  seconds: number
  /** The client's name for itself. */
  program: string
  state: string
}

/** Transactions on this PostgreSQL database that are older than `seconds`, the oldest first. */
export async function longTransactions({ read }: Pick<Database, 'read'>, seconds: number): Promise<LongTransaction[]> {
  return rowsOf<LongTransaction>(
    await read.raw(
      `SELECT pid, extract(epoch FROM now() - xact_start)::float8 AS seconds, coalesce(application_name, '') AS program,
         coalesce(state, '') AS state
       FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         AND xact_start < now() - ? * interval '1 second'
       ORDER BY xact_start LIMIT 5`,
      [seconds],
    ),
  )
}
