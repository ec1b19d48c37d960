import { isPlainObject } from '../json/json.ts'
import { Unreadable } from '../values/unreadable.ts'
import type { Sql } from './database.ts'
import type { JsonColumn } from './dialect.ts'

/**
 * A table described once, with one line for each column: the property, the column's name and how its values are stored. The type of
 * a row, the conversion in both directions and the lists of columns follow from it. Queries stay Knex and SQL.
 *
 *     const CHANNELS = table('channels', {
 *       id: integer('id'),
 *       showInPortal: boolean('show_in_portal'),
 *       meta: json('meta').as<Record<string, unknown>>().orNull,
 *     })
 */

interface Conversion {
  read(stored: unknown): unknown
  write(value: unknown): unknown
}

/** `S` is what the database returns, `V` the value of the property. */
class Column<N extends string = string, S = unknown, V = unknown> {
  readonly name: N
  /** The type of the column in a statement made with `jsonRows`. */
  readonly type: JsonColumn
  /** Conversion of values that are not null; undefined where they are stored as they are. */
  readonly conversion: Conversion | undefined
  /** Never set: it carries the types. */
  declare readonly types?: [stored: S, value: V]

  constructor(name: N, type: JsonColumn, conversion?: Conversion) {
    this.name = name
    this.type = type
    this.conversion = conversion
  }

  /** Narrows the type of the values. */
  as<T extends V>(): Column<N, Same<S, V> extends true ? T : S, T> {
    return this as unknown as Column<N, never, T>
  }

  /** Column and property may be null. */
  get orNull(): Column<N, S | null, V | null> {
    return this
  }

  /** Converts the values. */
  through<T>(read: (stored: S) => T, write: (value: T) => S): Column<N, S, T> {
    return new Column(this.name, this.type, { read, write })
  }
}

type Same<A, B> = [A, B] extends [B, A] ? true : false

export const integer = <N extends string>(name: N) => new Column<N, number, number>(name, 'bigint')
export const real = <N extends string>(name: N) => new Column<N, number, number>(name, 'double precision')
export const text = <N extends string>(name: N) => new Column<N, string, string>(name, 'text')

/** Text that is stored as JSON. */
export const json = <N extends string>(name: N) =>
  new Column<N, string>(name, 'text', {
    read: (stored) => {
      try {
        return JSON.parse(stored as string)
      } catch {
        throw new Unreadable(`what is stored as ${name}`)
      }
    },
    write: (value) => JSON.stringify(value),
  })

/**
 * Text that is stored as a JSON object and defines something that operators or servers have set up. Text that cannot be read
 * becomes an empty object, so that the row can still be listed, replaced and deleted. Code that acts on a definition has to
 * check its content. `appsvc doctor` names unreadable ones. `defaults` are members that every definition has.
 */
export const definition = <N extends string>(name: N, defaults?: object) => define(name, 'object', defaults)

/** `definition` of a JSON list: one that cannot be read counts as empty. */
export const definitionList = <N extends string>(name: N) => define(name, 'list')

function define<N extends string>(name: N, kind: DefinitionKind, defaults?: object): Column<N, string> {
  const column = new Column<N, string>(name, 'text', {
    read(stored) {
      const value = readDefinition(kind, stored as string) ?? (kind === 'list' ? [] : {})
      return defaults ? { ...defaults, ...value } : value
    },
    write: (value) => JSON.stringify(value),
  })
  kinds.set(column, kind)
  return column
}

type DefinitionKind = 'object' | 'list'
const kinds = new WeakMap<Column, DefinitionKind>()

function readDefinition(kind: DefinitionKind, stored: string): unknown {
  try {
    const value: unknown = JSON.parse(stored)
    const isRight = kind === 'list' ? Array.isArray(value) : isPlainObject(value)
    return isRight ? value : undefined
  } catch {
    return undefined
  }
}

/** Definitions in a table: the columns, and whether a stored value of one can be read. */
export interface DefinitionTable {
  table: string
  columns: readonly { column: string; isReadable(stored: string): boolean }[]
}

const definitionTables = new Map<string, DefinitionTable>()

/** The tables with definitions, as far as the modules that describe them are loaded. */
export const tablesOfDefinitions = (): DefinitionTable[] => [...definitionTables.values()]

/** SQLite returns 0 and 1. */
export const boolean = <N extends string>(name: N) =>
  new Column<N, boolean | number, boolean>(name, 'boolean', { read: Boolean, write: Boolean })

type Columns = Record<string, Column>

const query = <R extends object>(sql: Sql, name: string) => sql<R>(name)

/** A row as the database returns it. */
type RowOf<C extends Columns> = {
  [K in keyof C as C[K]['name']]: C[K] extends Column<string, infer S> ? S : never
}
/** The properties of a row. */
export type ValueOf<C extends Columns> = { [K in keyof C]: C[K] extends Column<string, unknown, infer V> ? V : never }

/** The type of a table's rows: `Row<typeof CHANNELS>`. */
export type Row<T extends { fromRow(row: never): unknown }> = Parameters<T['fromRow']>[0]

/** The type of what a table holds: `Value<typeof CHANNELS>`. */
export type Value<T extends { fromRow(row: never): unknown }> = ReturnType<T['fromRow']>

export interface Table<C extends Columns> {
  /** The columns, for a SELECT whose rows `fromRow` converts. */
  readonly names: (keyof RowOf<C> & string)[]
  /** The columns as `column as property`, for a SELECT that needs no conversion. */
  readonly aliases: string[]
  /** Types of the columns, for `jsonRows`. */
  readonly types: JsonColumn[]
  /** A query over the table. */
  in(sql: Sql): ReturnType<typeof query<RowOf<C>>>
  /** The properties of a row. Columns that are not described are left out. */
  fromRow(row: RowOf<C>): ValueOf<C>
  /** A row for an INSERT or an UPDATE. Undefined leaves a column alone, null clears it. Other properties are left out. */
  toRow(value: { [K in keyof C]?: ValueOf<C>[K] | undefined }): Partial<RowOf<C>>
  /** A line for `jsonRows`: one value for each column. */
  toLine(value: ValueOf<C>): unknown[]
  /** The same table with these columns only. */
  pick<K extends keyof C & string>(...keys: K[]): Table<Pick<C, K>>
  /** The same table without these columns. */
  omit<K extends keyof C & string>(...keys: K[]): Table<Omit<C, K>>
}

export function table<C extends Columns>(name: string, columns: C): Table<C> {
  const list = Object.entries(columns).map(([key, { name: column, conversion }]) => ({ key, column, conversion }))
  const defined = Object.values(columns).flatMap((column) => {
    const kind = kinds.get(column)
    if (kind === undefined) return []
    return [{ column: column.name, isReadable: (stored: string) => readDefinition(kind, stored) !== undefined }]
  })
  // Subsets of a table are made of it later.
  if (defined.length > 0 && !definitionTables.has(name)) definitionTables.set(name, { table: name, columns: defined })
  const subset = <S extends Columns>(isIn: (key: string) => boolean) =>
    table(name, Object.fromEntries(Object.entries(columns).filter(([key]) => isIn(key))) as S)

  return {
    names: list.map(({ column }) => column),
    aliases: list.map(({ key, column }) => (key === column ? key : `${column} as ${key}`)),
    types: Object.values(columns).map(({ type }) => type),
    in: (sql) => query(sql, name),

    // A loop costs 0.5 µs a row more than an object literal would: nothing beside the statement, or JSON.
    fromRow(row) {
      const value: Record<string, unknown> = {}
      for (const { key, column, conversion } of list) {
        const stored = (row as Record<string, unknown>)[column]
        value[key] = conversion && stored !== null ? conversion.read(stored) : stored
      }
      return value as ValueOf<C>
    },

    toRow(value) {
      const row: Record<string, unknown> = {}
      for (const { key, column, conversion } of list) {
        const given = (value as Record<string, unknown>)[key]
        if (given !== undefined) row[column] = conversion && given !== null ? conversion.write(given) : given
      }
      return row as Partial<RowOf<C>>
    },

    toLine(value) {
      return list.map(({ key, conversion }) => {
        const given = (value as Record<string, unknown>)[key]
        return conversion && given !== null ? conversion.write(given) : given
      })
    },

    pick: (...keys) => subset((key) => (keys as string[]).includes(key)),
    omit: (...keys) => subset((key) => !(keys as string[]).includes(key)),
  }
}
