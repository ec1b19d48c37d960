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

/** Appended to the inner SELECT of a claim: PostgreSQL's claimers step over each other's rows; SQLite has one writer. */
export function skipLocked(sql: Sql): string {
  return isPostgres(sql) ? 'FOR UPDATE SKIP LOCKED' : ''
}

/** SQL for the database's own wall clock in ms: the one clock that all nodes share. */
export function databaseNow(sql: Sql): string {
  return isPostgres(sql)
    ? 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)'
    : "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

/**
 * A SELECT from one bound JSON array of arrays, one type a column: `INSERT INTO t (a, b) ${jsonRows(sql, ['text', 'bigint'])}`
 * stores one row or thousands with the same short statement.
 */
export function jsonRows(sql: Sql, types: readonly ('text' | 'bigint')[]): string {
  const each = (column: (type: string, i: number) => string) => types.map(column).join(', ')
  // `WHERE true`: without it SQLite takes the ON of an ON CONFLICT behind it for that of a join.
  return isPostgres(sql)
    ? `SELECT ${each((type, i) => `CAST(line ->> ${i} AS ${type})`)} FROM json_array_elements(?::json) AS line`
    : `SELECT ${each((_, i) => `json_extract(value, '$[${i}]')`)} FROM json_each(?) WHERE true`
}
