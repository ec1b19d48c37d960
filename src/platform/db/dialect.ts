import type { Knex } from 'knex'
import type { Sql } from './database.ts'

/** The few places where the two databases differ. */

export function isPostgres(sql: Sql): boolean {
  return sql.client.driverName === 'pg'
}

/** The rows of `sql.raw(...)`: PostgreSQL's driver wraps them. */
export function rowsOf<T>(result: unknown): T[] {
  return Array.isArray(result) ? (result as T[]) : (result as { rows: T[] }).rows
}

/**
 * `column IN (…)` for any number of values with one bound parameter, so that the statement text stays the same. Integers and
 * their text mean the same, whichever the column holds.
 */
export function whereAmong<Q extends Knex.QueryBuilder>(
  query: Q,
  sql: Sql,
  column: string,
  values: readonly (string | number)[],
): Q {
  if (isPostgres(sql)) return query.whereRaw('?? = ANY(?)', [column, values as unknown as Knex.Value]) as Q
  // As text, because SQLite turns text into numbers for a numeric column and never a number into text for a text column.
  return query.whereRaw('?? IN (SELECT value FROM json_each(?))', [column, JSON.stringify(values.map(String))]) as Q
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

/** Appended to the inner SELECT of a claim: PostgreSQL's claimers step over each other's rows; SQLite has one writer. */
export function skipLocked(sql: Sql): string {
  return isPostgres(sql) ? 'FOR UPDATE SKIP LOCKED' : ''
}

/**
 * Appended to a SELECT: PostgreSQL locks its rows of the table, one after another in the order of the ORDER BY, as an UPDATE of
 * them would; `skip locked` leaves out those that others have locked. SQLite has one writer.
 */
export function rowLock(sql: Sql, table: string, others: 'wait' | 'skip locked' = 'wait'): string {
  if (!isPostgres(sql)) return ''
  return `FOR NO KEY UPDATE OF ${table}${others === 'wait' ? '' : ' SKIP LOCKED'}`
}

/**
 * Appended to a table in FROM: SQLite takes this index, where its planner would rather walk all rows by their id. PostgreSQL finds
 * it by itself.
 */
export function byIndex(sql: Sql, index: string): string {
  return isPostgres(sql) ? '' : `INDEXED BY ${index}`
}

/** Lets the statements of this transaction take as long as they need. PostgreSQL ends others after a while; SQLite none. */
export async function allowLongStatements(sql: Sql): Promise<void> {
  if (isPostgres(sql)) await sql.raw('SET LOCAL statement_timeout = 0')
}

/** SQL for the database's own wall clock in ms: the one clock that all nodes share. */
export function databaseNow(sql: Sql): string {
  return isPostgres(sql)
    ? 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)'
    : "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

/** What a statement over `jsonRows` has in its text on PostgreSQL. */
export const JSON_ROWS = 'json_array_elements('

/** So many rows of a look-up are few. */
const FEW = 4

/** Types of columns that `jsonRows` can make. */
export type JsonColumn = 'text' | 'bigint' | 'double precision' | 'boolean'

/**
 * A SELECT from one bound JSON array of arrays, one type a column: `INSERT INTO t (a, b) ${jsonRows(sql, ['text', 'bigint'])}`
 * stores one row or thousands with the same short statement. Elsewhere its columns get their names from a common table
 * expression: `WITH given (a, b) AS (${jsonRows(...)}) SELECT ...`. A look-up says how many rows it has, when it may have few.
 */
export function jsonRows(sql: Sql, types: readonly JsonColumn[], rows = Infinity): string {
  const each = (column: (type: string, i: number) => string) => types.map(column).join(', ')
  // Always true. PostgreSQL's planner believes in a hundred rows without it, and rather reads a table of ten thousand than looks a
  // few up; with it, it believes in one. For many rows that is no good: before a new table's rows were first counted (ANALYZE) it
  // may read the whole table for each, instead of once.
  const few = rows <= FEW ? ` WHERE json_typeof(line) = 'array'` : ''
  // `WHERE true`: without it SQLite takes the ON of an ON CONFLICT behind it for that of a join.
  return isPostgres(sql)
    ? `SELECT ${each((type, i) => `CAST(line ->> ${i} AS ${type})`)} FROM ${JSON_ROWS}?::json) AS line${few}`
    : `SELECT ${each((_, i) => `json_extract(value, '$[${i}]')`)} FROM json_each(?) WHERE true`
}
