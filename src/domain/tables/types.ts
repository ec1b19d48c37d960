import type { Operator } from '../../platform/filter-operators.ts'

/** What a column may hold. `string` has at most 255 characters, `reference` is the id of a record of another table. */
export const COLUMN_TYPES = ['string', 'text', 'integer', 'number', 'boolean', 'datetime', 'json', 'reference'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** A column of a table. Its id stays when it is renamed. */
export interface Column {
  id: number
  name: string
  type: ColumnType
  /** No record may be without a value. */
  required: boolean
  /** No two records may have the same value; records without one do not count. */
  unique: boolean
  /** Sorting and filtering by it is quick. Unique and reference columns are so too. */
  indexed: boolean
  /** What a new record gets that does not say otherwise, as JSON has it; null = nothing. */
  default: unknown
  /** Id of the table that a reference column points into. */
  references: number | null
}

/** A data table of an app. `name` is what people call it, `alias` what URLs do. */
export interface Table {
  id: number
  appId: number
  name: string
  alias: string
  columns: readonly Column[]
  nextColumn: number
  createdAt: number
  updatedAt: number
}

/** What makes a column: as `Column`, with the name of the table that a reference points into. */
export interface NewColumn {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  indexed: boolean
  default: unknown
  references: string | null
}

/** One change of a table. Absent settings of `set` stay. */
export type TableChange =
  | { do: 'add'; column: NewColumn }
  | { do: 'drop'; name: string }
  | { do: 'rename'; name: string; to: string }
  | { do: 'set'; name: string; required?: boolean; unique?: boolean; indexed?: boolean; default?: unknown }

/**
 * A record with the values of its columns: text, numbers and booleans as such, times as ms, JSON as what it stands for, null
 * where there is nothing.
 */
export interface TableRecord {
  id: number
  createdAt: number
  updatedAt: number
  values: ReadonlyMap<Column, unknown>
}

/** Anything that records can be sorted and filtered by: a column, or one of the three fields that every record has. */
export interface Field {
  name: string
  type: ColumnType
  /** An index has the records in its order. */
  indexed: boolean
  nullable: boolean
}

/** An order of records. It is total: the id decides between equals, and is reversed as well. */
export interface Sort {
  field: Field
  descending: boolean
}

/**
 * A checked filter. `values` has one value, several for `in`, and none for `exists`, where `isEmpty` says which records are asked
 * for. `loose`: every record that the other conditions leave meets it at this end, so no index should be entered by it.
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

/** A place in an order: behind the record that has this value in the sorted field, and this id. */
export interface Cursor {
  value: unknown
  id: number
}
