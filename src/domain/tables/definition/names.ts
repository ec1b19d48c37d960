import type { Column, Field, Table } from '../types.ts'

/**
 * Names of tables and fields, and their names in the database. Every name in a statement is built here, from checked
 * names and our own ids, never directly from a request.
 */

/** Maximum length of a table's name. With `data_`, an app id and `_` before it, it stays below the 63 bytes that PostgreSQL allows. */
export const MAX_TABLE_NAME_LENGTH = 40
const MAX_FIELD_NAME_LENGTH = 63
export const MAX_COLUMNS = 200

/** The fields that every record has in addition to the columns of its table. */
export const OWN_FIELDS: readonly Field[] = [
  { name: 'id', type: 'integer', indexed: true, nullable: false },
  { name: 'createdAt', type: 'datetime', indexed: true, nullable: false },
  { name: 'updatedAt', type: 'datetime', indexed: true, nullable: false },
]

/** Every table of PostgreSQL has columns with these names. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']
/** SQLite's other names for the id. */
const ROW_IDS = ['rowid', 'oid']
const RESERVED = new Set([...OWN_FIELDS.map(({ name }) => fold(name)), ...SYSTEM_COLUMNS, ...ROW_IDS])

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** The form in which names are compared: to SQLite, names that differ only in case are the same. */
export function fold(name: string): string {
  return name.toLowerCase()
}

/** The problem of a table name, if any. */
export function faultOfTableName(name: string): string | undefined {
  return NAME.test(name) && name.length <= MAX_TABLE_NAME_LENGTH
    ? undefined
    : `must have 1 to ${MAX_TABLE_NAME_LENGTH} letters, digits and underscores and begin with a letter`
}

/** The problem of a field name, if any. */
export function faultOfFieldName(name: string): string | undefined {
  if (!NAME.test(name) || name.length > MAX_FIELD_NAME_LENGTH) {
    return `must have 1 to ${MAX_FIELD_NAME_LENGTH} letters, digits and underscores and begin with a letter`
  }
  return RESERVED.has(fold(name)) ? 'is reserved: every record or every database table has such a field' : undefined
}

/** The alias of a table in URLs: `7_books`. */
export function aliasOf(appId: number, name: string): string {
  return `${appId}_${name}`
}

/** The name of the table in the database. */
export function sqlName({ alias }: Pick<Table, 'alias'>): string {
  return `data_${alias}`
}

/** The column of sort keys of a column. No field begins with an underscore. */
export function keyName({ id }: Pick<Column, 'id'>): string {
  return `_key_${id}`
}

type Part = 'ix' | 'uq' | 'ref' | 'key'

/** The name of an index or constraint of a column. It stays when the table or column is renamed. */
export function partName(table: Pick<Table, 'id'>, column: Column, part: Part): string {
  return `data_${table.id}_${column.id}_${part}`
}

/** The column of an index or constraint. */
export function columnOfPart(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => (['uq', 'ref'] as const).some((part) => partName(table, column, part) === name))
}

export function isIndexed(column: Pick<Column, 'indexed' | 'unique' | 'type'>): boolean {
  return column.indexed || column.unique || column.type === 'reference'
}

/** Every field of a record by name: the only way from a name in a request to a name in a statement. */
export function fieldsOf(table: Pick<Table, 'columns'>): Map<string, Field> {
  const columns = table.columns.map((column): Field => {
    const { name, type, collate } = column
    const field = { name, type, indexed: isIndexed(column), nullable: !column.required }
    if (collate === undefined || column.keyedTo !== undefined) return field
    return { ...field, keys: { ...field, name: keyName(column), keysOf: { name, collate } } }
  })
  return new Map([...OWN_FIELDS, ...columns].map((field) => [field.name, field]))
}

/** The first names of a list, for an error message. */
export function listed(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(', ')}, …` : names.join(', ')
}
