import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { PAGE_BYTES, SLICE_BYTES, type WeighedRow } from '../../../platform/db/pages.ts'
import type { Column, ColumnType, Sort, Table, TableRecord } from '../types.ts'
import { MAX_STRING_LENGTH } from './columns.ts'
import { sqlInstant } from './instants.ts'
import { OWN_FIELDS, sqlName } from './names.ts'

/** Values as the databases store them, and rows as records. */

/** A value -> the value to bind to a statement. */
export function sqlValue(sql: Sql, type: ColumnType, value: unknown): Knex.Value {
  if (value === null) return null
  if (type === 'datetime') return sqlInstant(value as number)
  if (type === 'json') return JSON.stringify(value)
  if (type === 'boolean' && !isPostgres(sql)) return value ? 1 : 0
  return value as string | number | boolean
}

/** The list of a SELECT whose rows `toRecord` reads: the three fields of every record, then the columns. */
export function selection(sql: Sql, table: Table): Knex.Raw[] {
  return [
    sql.raw(
      allOf(table)
        .map((field) => `${shownField(sql, table, field)} AS "${field.name}"`)
        .join(', '),
    ),
  ]
}

type Shown = Pick<Column, 'name' | 'type'>

const allOf = (table: Table): Shown[] => [...OWN_FIELDS, ...table.columns]

/**
 * Checked names need quotes only because of keywords. One string, because Knex takes longer to join the parts than
 * SQLite to answer.
 */
const nameOf = (table: Table, { name }: Shown) => `"${sqlName(table)}"."${name}"`

/** A field in a SELECT, as `valueOf` reads it. */
export function shownField(sql: Sql, table: Table, field: Shown): string {
  const name = nameOf(table, field)
  if (!isPostgres(sql)) return name
  // The driver would create Date objects in the zone of the machine, and parse JSON that is parsed again below.
  if (field.type === 'json') return `CAST(${name} AS text)`
  return field.type === 'datetime' ? `CAST(EXTRACT(EPOCH FROM ${name}) * 1000 AS bigint)` : name
}

/**
 * A record in a list. If `bytes` is not 0, its large values are left out, which together have that size, and it has to
 * be read by its id.
 */
export interface FoundRecord extends TableRecord, WeighedRow {
  /** Its sort key, in an order that has them. */
  key?: string | null
}

/** The maximum number of records on a page, and their order. */
interface PageOf {
  sort: Sort
  limit: number
}

const MAX_STRING_BYTES = MAX_STRING_LENGTH * 4
/** Maximum number of columns whose sizes may be checked for each of all columns. */
const FEW_COLUMNS = 8

/**
 * As `selection`, for a page: large values are left out, so that a page never has more than `PAGE_BYTES`. Neither
 * database reads a text to determine its length. The field by which records are sorted is always included, unless it is
 * a `text`.
 */
export function pageSelection(sql: Sql, table: Table, { sort, limit }: PageOf): Knex.Raw[] {
  const share = PAGE_BYTES / limit
  const strings = table.columns.filter(({ type }) => type === 'string')
  const isSmall = strings.length * MAX_STRING_BYTES <= share
  const long = table.columns.filter(({ type }) => type === 'text' || type === 'json')
  const large: Shown[] = isSmall ? long : [...long, ...strings.filter(({ name }) => name !== sort.field.name)]
  const key = sort.field.keysOf ? [sql.raw(`${shownField(sql, table, sort.field)} AS _key`)] : []
  if (large.length === 0) return [...selection(sql, table), ...key]
  const most = Math.floor(share / large.length)
  const lengths = new Map(large.map((column) => [column, lengthOf(sql, table, column)]))
  const isLarge = [...lengths.values()].map((length) => `${length} > ${most}`).join(' OR ')
  // SQLite reads through a large value to reach the columns after it. So a record with a large value is left out
  // entirely, except for what an index holds. PostgreSQL stores large values elsewhere.
  const isLeftOut = !isPostgres(sql) && large.length <= FEW_COLUMNS
  const guarded = (field: Shown) => {
    const value = shownField(sql, table, field)
    const length = lengths.get(field)
    if (isLeftOut) return `CASE WHEN ${isLarge} THEN NULL ELSE ${value} END`
    return length ? `CASE WHEN ${length} <= ${most} THEN ${value} END` : value
  }
  const [sorted, own, others] = [[] as Shown[], [] as Shown[], [] as Shown[]]
  for (const field of allOf(table)) {
    if (field.name === sort.field.name && !lengths.has(field)) sorted.push(field)
    else (table.columns.includes(field as Column) ? others : own).push(field)
  }
  const fields = [
    ...[...sorted, ...own].map((field) => `${shownField(sql, table, field)} AS "${field.name}"`),
    ...others.map((field) => `${guarded(field)} AS "${field.name}"`),
  ]
  const bytes = [...lengths.values()].map((length) => `COALESCE(${length}, 0)`).join(' + ')
  return [sql.raw(`${fields.join(', ')}, CASE WHEN ${isLarge} THEN ${bytes} ELSE 0 END AS _bytes`), ...key]
}

/** Size of compressed JSON above which it is not decompressed to determine its length. */
const MAX_PACKED = 65_536

/** Size of a value in bytes. JSON that is large even when compressed counts as a value that is read alone. */
function lengthOf(sql: Sql, table: Table, column: Shown): string {
  const name = nameOf(table, column)
  if (!isPostgres(sql) || column.type !== 'json') return `octet_length(${name})`
  return `CASE WHEN pg_column_size(${name}) > ${MAX_PACKED} THEN ${SLICE_BYTES} ELSE octet_length(CAST(${name} AS text)) END`
}

export type RecordRow = Record<string, unknown> & { id: number; _bytes?: number; _key?: string | null }

export function toRecord(table: Table, row: RecordRow): TableRecord {
  return {
    id: row.id,
    createdAt: valueOf('datetime', row.createdAt) as number,
    updatedAt: valueOf('datetime', row.updatedAt) as number,
    values: new Map(table.columns.map((column): [Column, unknown] => [column, valueOf(column.type, row[column.name])])),
  }
}

/** A value of the database -> the value of the record. */
export function valueOf(type: ColumnType, stored: unknown): unknown {
  if (stored === null || stored === undefined) return null
  if (type === 'boolean') return Boolean(stored)
  if (type === 'json') return JSON.parse(stored as string)
  if (type === 'datetime' && typeof stored === 'string') return Date.parse(stored)
  return stored
}
