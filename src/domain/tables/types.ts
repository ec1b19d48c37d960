import { definitionList, integer, table, text, type Value } from '../../platform/db/table.ts'
import type { Operator } from '../../platform/filters/operators.ts'

/** Types of columns. A `string` has at most 255 characters; a `reference` is the id of a record of another table. */
export const COLUMN_TYPES = ['string', 'text', 'integer', 'number', 'boolean', 'datetime', 'json', 'reference'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** A column of a table. Renaming it does not change its id. */
export interface Column {
  id: number
  name: string
  type: ColumnType
  /** True when every record must have a value. */
  required: boolean
  /** True when no two records may have the same value. Any number may have none. */
  unique: boolean
  /** True when it has an index for sorting and filtering. Unique and reference columns always have one. */
  indexed: boolean
  /** The value, as JSON, of new records without one of their own; null for none. */
  default: unknown
  /** Id of the table to which a reference column refers. */
  references: number | null
  /** The language by which its text is ordered (collation.ts); absent: by code point. */
  collate?: string | undefined
  /** The id up to which sort keys of existing records are stored, while they are being stored. Absent when all are. */
  keyedTo?: number | undefined
}

export const TABLES = table('data_tables', {
  id: integer('id'),
  appId: integer('app_id'),
  name: text('name'),
  alias: text('alias'),
  columns: definitionList('columns').as<readonly Column[]>(),
  nextColumn: integer('next_column'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** A data table of an app. People use its `name`, URLs its `alias`. */
export type Table = Value<typeof TABLES>

/** A column to create: as `Column`, but `references` is the name of a table. */
export interface NewColumn {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  indexed: boolean
  default: unknown
  references: string | null
  collate?: string | undefined
}

/** One change of a table. Absent settings of `set` are left unchanged. */
export type TableChange =
  | { do: 'add'; column: NewColumn }
  | { do: 'drop'; name: string }
  | { do: 'rename'; name: string; to: string }
  | {
      do: 'set'
      name: string
      required?: boolean
      unique?: boolean
      indexed?: boolean
      default?: unknown
      collate?: string | null
    }

/**
 * A record with the values of its columns: text, numbers and booleans as such, times in milliseconds, JSON parsed, and
 * null for no value.
 */
export interface TableRecord {
  id: number
  createdAt: number
  updatedAt: number
  values: ReadonlyMap<Column, unknown>
}

/** A field by which records can be sorted and filtered: a column, or one of the three fields of every record. */
export interface Field {
  name: string
  type: ColumnType
  /** True when there is an index in its order. */
  indexed: boolean
  nullable: boolean
  /** The field that holds the sort keys of this one, by which it is ordered; absent: by its own values. */
  keys?: Field
  /** The column and the language of a field that holds sort keys. Callers never see its name. */
  keysOf?: { name: string; collate: string }
}

/** A total order of records: equal values are ordered by id, which is reversed too if the order is. */
export interface Sort {
  field: Field
  descending: boolean
}

/**
 * A checked filter. `values` has one value, several for `in`, and none for `exists`, where `isEmpty` tells which
 * records are wanted. `loose`: all records that the other conditions allow satisfy this end, so it must not be used to
 * enter an index.
 */
export type FilterNode =
  | {
      kind: 'condition'
      field: Field
      operator: Operator
      values: unknown[]
      isEmpty?: boolean
      loose?: 'lower' | 'upper' | undefined
    }
  | { kind: 'and' | 'or'; nodes: FilterNode[] }
  | { kind: 'not'; node: FilterNode }

/** A place in an order: after the record with this value in the sorted field and this id. */
export interface Cursor {
  value: unknown
  id: number
}
