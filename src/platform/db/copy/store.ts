/** The form in which a copy writes the values of a column, the same on both databases. */
export type Kind = 'integer' | 'boolean' | 'double' | 'text' | 'bytes' | 'time' | 'json'

export interface CopiedColumn {
  name: string
  kind: Kind
  /** The type as the database writes it, for casts. */
  type: string
}

/** A table, its columns, and those by which its pages are read: the primary key. */
export interface Shape {
  name: string
  columns: CopiedColumn[]
  key: string[]
}

/**
 * A value in the form that is the same on both databases: integers in decimal digits, booleans as 0 and 1, doubles in the
 * shortest digits that name them, bytes in hex, times as SQLite stores them (ISO 8601 in UTC), everything else as it is.
 */
export type Value = string | null
export type Row = Value[]

/** Pages end at this number of rows, or with the row that passes this many bytes. */
export const PAGE_ROWS = 2000
export const PAGE_BYTES = 4 * 1024 * 1024

/** One side of a copy: a database with one connection, inside one transaction or outside of any. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** The tables with their columns, without those that the database keeps for itself. */
  shapes(): Promise<Shape[]>
  /** The first rows behind a key, or from the start, in the order of the key. Bounded by `PAGE_ROWS` and `PAGE_BYTES`. */
  page(shape: Shape, after: Row | undefined): Promise<Row[]>
  insert(shape: Shape, rows: readonly Row[]): Promise<void>
  /** Runs `work` in a transaction. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** A statement of ours, without values. */
  run(sql: string): Promise<Record<string, string | number | null>[]>
  close(): Promise<void>
}

/** A name in a statement. Names come from the catalogue of the database, and are quoted all the same. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The names of a list, quoted, for a statement. */
export const namesOf = (names: readonly string[]): string => names.map(quoted).join(', ')

/** The key of a row, in the order of `shape.key`. */
export function keyOf(shape: Shape, row: Row): Row {
  return shape.key.map((name) => row[shape.columns.findIndex((column) => column.name === name)]!)
}

/** A double in the shortest digits that name it, on both databases. */
export const doubleText = (value: string | number | bigint): string => String(Number(value))

/** A row that the target does not take. */
export class RefusedRow extends Error {
  constructor(shape: Shape, row: Row, cause: unknown) {
    const key = keyOf(shape, row).join(', ')
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`the target refuses the row of ${shape.name} with ${shape.key.join(', ')} = ${key}: ${why}`, { cause })
  }
}
