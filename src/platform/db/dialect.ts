import type { Knex } from 'knex'
import type { Sql } from './database.ts'

/** SQL that differs between SQLite and PostgreSQL. */

export function isPostgres(sql: Sql): boolean {
  return sql.client.driverName === 'pg'
}

/** The kind of database, for SQL that is written for both. */
export function dialectOf(sql: Sql): 'sqlite' | 'postgres' {
  return isPostgres(sql) ? 'postgres' : 'sqlite'
}

/** The rows of `sql.raw(...)`, which PostgreSQL's driver wraps in an object. */
export function rowsOf<T>(result: unknown): T[] {
  return Array.isArray(result) ? (result as T[]) : (result as { rows: T[] }).rows
}

/**
 * `column IN (…)` with one bound parameter for any number of values, so that the text of the statement stays the same. An integer
 * and its text are equal here, whichever of them the column holds.
 */
export function whereAmong<Q extends Knex.QueryBuilder>(
  query: Q,
  sql: Sql,
  column: string,
  values: readonly (string | number)[],
): Q {
  if (isPostgres(sql)) return query.whereRaw('?? = ANY(?)', [column, values as unknown as Knex.Value]) as Q
  // As text: SQLite converts text to a number for a numeric column, but never a number to text for a text column.
  return query.whereRaw('?? IN (SELECT value FROM json_each(?))', [column, JSON.stringify(values.map(String))]) as Q
}

/** A list of values in a prepared statement with `among`. */
export type List = string | readonly number[] | readonly string[]

/**
 * SQL in a prepared statement that is true for a column whose value is in the list `:name`, which `listOf` makes. The text stays the
 * same, however long the list is.
 */
export function among(kind: 'sqlite' | 'postgres', column: string, name: string): string {
  return kind === 'postgres' ? `${column} = ANY(:${name})` : `${column} IN (SELECT value FROM json_each(:${name}))`
}

/** A list of values of the column's type as `among` reads it. */
export function listOf(sql: Sql, values: readonly number[] | readonly string[]): List {
  return isPostgres(sql) ? values : JSON.stringify(values)
}

/**
 * A column that no index is searched by: `WHERE ${unindexed('app_id')} = ?` is only checked on rows that another condition finds.
 * SQLite keeps no statistics here, so its planner may take the index that begins with `app_id` and read every row of an app to find
 * a few of them by id. The unary plus makes the column an expression, which no index matches. It changes no value.
 */
export function unindexed(column: string): string {
  return `+${column}`
}

/** The rows of an app among those with these ids, found by id. `of` qualifies the columns; `column` is the one with the ids. */
export function whereIds<Q extends Knex.QueryBuilder>(
  query: Q,
  sql: Sql,
  appId: number,
  ids: readonly number[],
  { of, column = 'id' }: { of?: string; column?: string } = {},
): Q {
  const name = (column: string) => (of === undefined ? column : `${of}.${column}`)
  return whereAmong(query.whereRaw(`${unindexed(name('app_id'))} = ?`, [appId]) as Q, sql, name(column), ids)
}

/** Appended to the inner SELECT of a claim. On PostgreSQL claims skip each other's rows; SQLite has a single writer. */
export function skipLocked(sql: Sql): string {
  return isPostgres(sql) ? 'FOR UPDATE SKIP LOCKED' : ''
}

/**
 * Appended to a SELECT. PostgreSQL locks the rows of the table one by one, in the order of the ORDER BY, as an UPDATE would; `skip
 * locked` leaves out rows that another transaction has locked. SQLite has a single writer and needs no row locks.
 */
export function rowLock(sql: Sql, table: string, others: 'wait' | 'skip locked' = 'wait'): string {
  if (!isPostgres(sql)) return ''
  return `FOR NO KEY UPDATE OF ${table}${others === 'wait' ? '' : ' SKIP LOCKED'}`
}

/** The purpose for which a transaction locks a row. */
export type LockPurpose = 'change' | 'delete'

/**
 * Modifies a SELECT of rows that this transaction is going to change or to delete. PostgreSQL locks them until the commit as that
 * statement will: `change` lets others refer to them meanwhile. SQLite has a single writer and needs no row locks.
 */
export function rowLocked(sql: Sql, purpose: LockPurpose) {
  return (query: Knex.QueryBuilder): void => {
    if (isPostgres(sql)) void (purpose === 'delete' ? query.forUpdate() : query.forNoKeyUpdate())
  }
}

/**
 * Appended to a table in FROM: makes SQLite use this index where its planner would scan all rows by id. PostgreSQL chooses the index
 * without help.
 */
export function byIndex(sql: Sql, index: string): string {
  return isPostgres(sql) ? '' : `INDEXED BY ${index}`
}

/**
 * SQL for the row in which this connection keeps its part of a count; the count is the sum of the rows. Each connection of PostgreSQL
 * has its own row (two may share one, seldom), so transactions that count the same thing do not wait for each other, and cannot
 * deadlock whatever the order of their statements. SQLite has a single writer and one row.
 */
export function countShard(kind: 'sqlite' | 'postgres'): string {
  return kind === 'postgres' ? 'pg_backend_pid() % 32' : '0'
}

/** Turns off the statement timeout for this transaction. SQLite has none. */
export async function allowLongStatements(sql: Sql): Promise<void> {
  if (isPostgres(sql)) await sql.raw('SET LOCAL statement_timeout = 0')
}

/** The function of our connections to SQLite that returns the believed time: SQLite's own is the wall clock (timekeeping). */
export const NOW_FUNCTION = 'appsvc_now'

/** Tells whether a table exists. Knex asks PostgreSQL's information schema, a view of many tables, which takes ten times as long. */
export async function hasTable(sql: Sql, name: string): Promise<boolean> {
  if (!isPostgres(sql)) return sql.schema.hasTable(name)
  const found = await sql.raw('SELECT to_regclass(CAST(? AS text)) IS NOT NULL AS exists', [name])
  return rowsOf<{ exists: boolean }>(found)[0]!.exists
}

/** SQL for the clock of the database in ms, the one clock that all nodes share. */
export function databaseNow(sql: Sql): string {
  return isPostgres(sql)
    ? 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)'
    : `CAST(${NOW_FUNCTION}() AS INTEGER)`
}

/** Text that marks a statement made with `jsonRows` on PostgreSQL. */
export const JSON_ROWS = 'json_array_elements('

/** Up to this many rows a look-up counts as small. */
const FEW = 4

/** Types of columns that `jsonRows` can return. */
export type JsonColumn = 'text' | 'bigint' | 'double precision' | 'boolean'

/**
 * A SELECT from one bound JSON array of arrays, with one type for each column: `INSERT INTO t (a, b) ${jsonRows(sql, ['text',
 * 'bigint'])}` stores one row or thousands with the same short statement. To name its columns, use a common table expression: `WITH
 * given (a, b) AS (${jsonRows(...)}) SELECT ...`. A look-up that may be small passes its number of `rows`.
 */
export function jsonRows(sql: Sql, types: readonly JsonColumn[], rows = Infinity): string {
  // Many rows must not count as few: before the first ANALYZE of a new table the planner might then scan the table once for each row.
  return jsonLines(dialectOf(sql), types, '?', { isFew: rows <= FEW })
}

/**
 * `jsonRows` of the list `lines`, which is SQL, for a kind of database. `before`: SQL of columns before those of the lines. `from`: begins
 * the FROM on PostgreSQL. `isFew`: the planner of PostgreSQL expects one row, not a hundred, and looks each one up.
 */
export function jsonLines(
  kind: 'sqlite' | 'postgres',
  types: readonly JsonColumn[],
  lines: string,
  { before = [], from = '', isFew = false }: { before?: readonly string[]; from?: string; isFew?: boolean } = {},
): string {
  const select = (column: (type: string, i: number) => string) =>
    `SELECT ${[...before, ...types.map(column)].join(', ')}`
  // Always true, and there for the planner. Without it PostgreSQL expects 100 rows and scans a table of ten thousand.
  const few = isFew ? ` WHERE json_typeof(line) = 'array'` : ''
  // `WHERE true`: without it SQLite reads the ON of a following ON CONFLICT as the condition of a join.
  return kind === 'postgres'
    ? `${select((type, i) => `CAST(line ->> ${i} AS ${type})`)} FROM ${from}${JSON_ROWS}${lines}::json) AS line${few}`
    : `${select((_, i) => `json_extract(value, '$[${i}]')`)} FROM json_each(${lines}) WHERE true`
}
