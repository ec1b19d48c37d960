import type { Column, Field, Table } from './types.ts'

/**
 * Names of tables and fields, and what they are called in the database. Everything that becomes part of a statement comes from
 * here: it is made of checked names and ids of ours, never of what a request says.
 */

/** With `data_`, an app id and `_` before it a name stays below the 63 bytes that PostgreSQL allows. */
export const LONGEST_TABLE_NAME = 40
export const LONGEST_FIELD_NAME = 63
export const MOST_COLUMNS = 200

/** The fields that every record has besides the columns of its table. */
export const OWN_FIELDS: readonly Field[] = [
  { name: 'id', type: 'integer', indexed: true, nullable: false },
  { name: 'createdAt', type: 'datetime', indexed: true, nullable: false },
  { name: 'updatedAt', type: 'datetime', indexed: true, nullable: false },
]

/** PostgreSQL has columns of these names in every table. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']
/** Other names of SQLite for the id. */
const ROW_IDS = ['rowid', 'oid']
const RESERVED = new Set([...OWN_FIELDS.map(({ name }) => fold(name)), ...SYSTEM_COLUMNS, ...ROW_IDS])

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** Names that differ by case only are the same to SQLite. */
export function fold(name: string): string {
  return name.toLowerCase()
}

/** What is wrong with a table's name; undefined when nothing is. */
export function faultOfTableName(name: string): string | undefined {
  return NAME.test(name) && name.length <= LONGEST_TABLE_NAME
    ? undefined
    : `must have 1 to ${LONGEST_TABLE_NAME} letters, digits and underscores and begin with a letter`
}

/** What is wrong with a field's name; undefined when nothing is. */
export function faultOfFieldName(name: string): string | undefined {
  if (!NAME.test(name) || name.length > LONGEST_FIELD_NAME) {
    return `must have 1 to ${LONGEST_FIELD_NAME} letters, digits and underscores and begin with a letter`
  }
  return RESERVED.has(fold(name)) ? 'is reserved: every record or every database table has such a field' : undefined
}

/** `7_books`: what URLs call the table. */
export function aliasOf(appId: number, name: string): string {
  return `${appId}_${name}`
}

/** The table's name in the database. */
export function sqlName({ alias }: Pick<Table, 'alias'>): string {
  return `data_${alias}`
}

type Part = 'ix' | 'uq' | 'ref'

/** Index or constraint of a column. It keeps its name when table or column get another. */
export function partName(table: Pick<Table, 'id'>, column: Column, part: Part): string {
  return `data_${table.id}_${column.id}_${part}`
}

/** The column that an index or constraint is of. */
export function columnOfPart(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => (['uq', 'ref'] as const).some((part) => partName(table, column, part) === name))
}

export function isIndexed(column: Pick<Column, 'indexed' | 'unique' | 'type'>): boolean {
  return column.indexed || column.unique || column.type === 'reference'
}

/** Every field of the records by its name. The only way from a name in a request to a name in a statement. */
export function fieldsOf(table: Pick<Table, 'columns'>): Map<string, Field> {
  const columns = table.columns.map(
    (column): Field => ({
      name: column.name,
      type: column.type,
      indexed: isIndexed(column),
      nullable: !column.required,
    }),
  )
  return new Map([...OWN_FIELDS, ...columns].map((field) => [field.name, field]))
}

/** Some names for a message: a table may have many. */
export function listed(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(', ')}, …` : names.join(', ')
}
