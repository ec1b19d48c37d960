import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { sqlInstant } from './instants.ts'
import { OWN_FIELDS, sqlName } from './names.ts'
import type { Column, ColumnType, Table, TableRecord } from './types.ts'

/** Values as the databases keep them, and rows as records. */

/** A value -> what is bound to a statement. */
export function sqlValue(sql: Sql, type: ColumnType, value: unknown): Knex.Value {
  if (value === null) return null
  if (type === 'datetime') return sqlInstant(value as number)
  if (type === 'json') return JSON.stringify(value)
  if (type === 'boolean' && !isPostgres(sql)) return value ? 1 : 0
  return value as string | number | boolean
}

/** The parts of a SELECT that `toRecord` understands: the three fields of every record, then the columns. */
export function selection(sql: Sql, table: Table): Knex.Raw[] {
  const source = sqlName(table)
  return [...OWN_FIELDS, ...table.columns].map(({ name, type }) => {
    if (!isPostgres(sql) || (type !== 'datetime' && type !== 'json')) {
      return sql.raw('?? AS ??', [`${source}.${name}`, name])
    }
    // The driver would make Date objects in the zone of the machine, and parse JSON text that is a string twice as text.
    return type === 'json'
      ? sql.raw('CAST(?? AS text) AS ??', [`${source}.${name}`, name])
      : sql.raw('CAST(EXTRACT(EPOCH FROM ??) * 1000 AS bigint) AS ??', [`${source}.${name}`, name])
  })
}

export type RecordRow = Record<string, unknown> & { id: number }

export function toRecord(table: Table, row: RecordRow): TableRecord {
  return {
    id: row.id,
    createdAt: valueOf('datetime', row.createdAt) as number,
    updatedAt: valueOf('datetime', row.updatedAt) as number,
    values: new Map(table.columns.map((column): [Column, unknown] => [column, valueOf(column.type, row[column.name])])),
  }
}

/** What the database gave -> the value. */
export function valueOf(type: ColumnType, stored: unknown): unknown {
  if (stored === null || stored === undefined) return null
  if (type === 'boolean') return Boolean(stored)
  if (type === 'json') return JSON.parse(stored as string)
  if (type === 'datetime' && typeof stored === 'string') return Date.parse(stored)
  return stored
}
