import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { PAGE_BYTES, SLICE_BYTES, type WeighedRow } from '../../platform/db/pages.ts'
import { LONGEST_STRING } from './columns.ts'
import { sqlInstant } from './instants.ts'
import { OWN_FIELDS, sqlName } from './names.ts'
import type { Column, ColumnType, Sort, Table, TableRecord } from './types.ts'

/** Values as the databases keep them, and rows as records. */

/** A value -> what is bound to a statement. */
export function sqlValue(sql: Sql, type: ColumnType, value: unknown): Knex.Value {
  if (value === null) return null
  if (type === 'datetime') return sqlInstant(value as number)
  if (type === 'json') return JSON.stringify(value)
  if (type === 'boolean' && !isPostgres(sql)) return value ? 1 : 0
  return value as string | number | boolean
}

/** What `toRecord` understands of a SELECT: the three fields of every record, then the columns. */
export function selection(sql: Sql, table: Table): Knex.Raw[] {
  return [
    sql.raw(
      allOf(table)
        .map((field) => `${shown(sql, table, field)} AS "${field.name}"`)
        .join(', '),
    ),
  ]
}

type Shown = Pick<Column, 'name' | 'type'>

const allOf = (table: Table): Shown[] => [...OWN_FIELDS, ...table.columns]

/** Checked names need quotes only for the sake of keywords. One text, because Knex takes longer for its parts than SQLite to answer. */
const nameOf = (table: Table, { name }: Shown) => `"${sqlName(table)}"."${name}"`

function shown(sql: Sql, table: Table, field: Shown): string {
  const name = nameOf(table, field)
  if (!isPostgres(sql)) return name
  // The driver would make Date objects in the zone of the machine, and parse JSON text that is a string twice as text.
  if (field.type === 'json') return `CAST(${name} AS text)`
  return field.type === 'datetime' ? `CAST(EXTRACT(EPOCH FROM ${name}) * 1000 AS bigint)` : name
}

/**
 * A record as a list finds it. `bytes`: 0 when it is whole; else it is without its large values, which have so many, and has to be
 * read by its id.
 */
export interface FoundRecord extends TableRecord, WeighedRow {}

/** Of how many records one page is made at most, and in which order. */
interface PageOf {
  sort: Sort
  limit: number
}

const LONGEST_STRING_BYTES = LONGEST_STRING * 4
/** Conditions on so many columns may be asked for each of all columns. */
const FEW_COLUMNS = 8

/**
 * As `selection`, for a page: what is large in its records is left out, so that all of it never has more than `PAGE_BYTES`. Neither
 * database reads a text to tell its length. The field that records are sorted by is always there, but for a text.
 */
export function pageSelection(sql: Sql, table: Table, { sort, limit }: PageOf): Knex.Raw[] {
  const share = PAGE_BYTES / limit
  const strings = table.columns.filter(({ type }) => type === 'string')
  const isSmall = strings.length * LONGEST_STRING_BYTES <= share
  const long = table.columns.filter(({ type }) => type === 'text' || type === 'json')
  const large: Shown[] = isSmall ? long : [...long, ...strings.filter(({ name }) => name !== sort.field.name)]
  if (large.length === 0) return selection(sql, table)
  const most = Math.floor(share / large.length)
  const lengths = new Map(large.map((column) => [column, lengthOf(sql, table, column)]))
  const isLarge = [...lengths.values()].map((length) => `${length} > ${most}`).join(' OR ')
  // To come to what SQLite keeps behind a large value it walks through all of that. So a record that has one is left out altogether,
  // and what an index knows is asked for first. PostgreSQL keeps large values elsewhere.
  const isLeftOut = !isPostgres(sql) && large.length <= FEW_COLUMNS
  const guarded = (field: Shown) => {
    const value = shown(sql, table, field)
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
    ...[...sorted, ...own].map((field) => `${shown(sql, table, field)} AS "${field.name}"`),
    ...others.map((field) => `${guarded(field)} AS "${field.name}"`),
  ]
  const bytes = [...lengths.values()].map((length) => `COALESCE(${length}, 0)`).join(' + ')
  return [sql.raw(`${fields.join(', ')}, CASE WHEN ${isLarge} THEN ${bytes} ELSE 0 END AS _bytes`)]
}

/** Packed JSON so large is not unpacked to learn its length. */
const MOST_PACKED = 65_536

/** How many bytes a value has; of JSON that is large even when packed, as many as are read alone. */
function lengthOf(sql: Sql, table: Table, column: Shown): string {
  const name = nameOf(table, column)
  if (!isPostgres(sql) || column.type !== 'json') return `octet_length(${name})`
  return `CASE WHEN pg_column_size(${name}) > ${MOST_PACKED} THEN ${SLICE_BYTES} ELSE octet_length(CAST(${name} AS text)) END`
}

export type RecordRow = Record<string, unknown> & { id: number; _bytes?: number }

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
