import type { JsonColumn, List } from './dialect.ts'

/** A value of a prepared statement. */
export type Value = string | number | bigint | boolean | Buffer | null | List

/** The way to run a statement: what it returns. */
export type Manner = 'all' | 'get' | 'run'

/** A text with `?` or `$1`, and the names of its values in that order. */
export interface Translated {
  text: string
  names: readonly string[]
  /** The same for several askers (gathering.ts). Absent when each of them has to ask by itself. */
  forMany?: ForMany
  /** PostgreSQL keeps its plan (`preparedLookUp`). */
  staysPlanned?: true
}

/** Types of the values of a statement that several may ask at once, as PostgreSQL names them. */
export type ValueType = JsonColumn | 'bytea' | 'bigint[]' | 'text[]'

/** A statement for any number of askers. Each value is an array with one element for each of them. */
export interface ForMany {
  text: string
  /** Values in the order of the arrays. */
  names: readonly string[]
  types: readonly ValueType[]
  /** True for a statement that changes nothing: those who ask for the same get one answer. */
  reads: boolean
  /** `asked`: each row tells whose it is, from 1, in the column `asked`. `ids`: ascending ids, one for each asker. */
  gives: 'asked' | 'ids' | 'nothing'
}
