import type { Sql } from './database.ts'
import { isPostgres, type List } from './dialect.ts'

/**
 * Statements that are declared once, as SQL with named values, and run often. Knex writes the text of a query anew for each call and
 * hands it through a dozen promises, which takes longer than most of our statements themselves. These are translated once for each
 * kind of database and compiled once for each connection. On SQLite they run before the call returns.
 *
 *     const RENAME = prepared<{ appId: number; id: number; name: string }>(
 *       'UPDATE channels SET name = :name WHERE app_id = :appId AND id = :id',
 *     )
 *     const changed = await RENAME.run(sql, { appId, id, name })
 */
export interface Prepared<V extends Values = Values, R = never> {
  /** Returns all rows. */
  all(sql: Sql, values: V): R[] | Promise<R[]>
  /** Returns the first row; undefined when there is none. */
  first(sql: Sql, values: V): R | undefined | Promise<R | undefined>
  /** Runs a statement that returns no rows. Returns how many rows it changed. */
  run(sql: Sql, values: V): number | Promise<number>
  /** `first` for code that cannot wait. On SQLite only. */
  firstNow(sql: Sql, values: V): R | undefined
}

export type Value = string | number | bigint | boolean | Buffer | null | List
type Values = Readonly<Record<string, Value>>

/** The way to run a statement: what it returns. */
export type Manner = 'all' | 'get' | 'run'

/** A text with `?` or `$1`, and the names of its values in that order. */
export interface Translated {
  text: string
  names: readonly string[]
}

/** The ability of both of our Knex clients to run a translated statement. It throws what a query of Knex would throw. */
export interface PreparingClient {
  runPrepared(statement: Translated, bindings: readonly Value[], manner: Manner): unknown
  /**
   * Lets the reads that `work` starts share a transaction. Absent where a statement is a round trip: there it would only hold a
   * connection.
   */
  readTogether?(work: () => void): void
}

/**
 * Runs `work`. On SQLite, the prepared reads outside of transactions that it makes before it returns share one read transaction, which
 * saves two locks and a look at the write-ahead log for each: they see one state of the database, that of the first read. Code that
 * `work` starts and that goes on later reads as usual.
 */
export function readTogether(sql: Sql, work: () => void): void {
  const client = sql.client as PreparingClient
  if (client.readTogether) client.readTogether(work)
  else work()
}

/**
 * `text` must not contain a question mark, which Knex would number. As a function it writes the text for a kind of database.
 */
export function prepared<V extends Values = Record<string, never>, R = never>(
  text: string | ((kind: 'sqlite' | 'postgres') => string),
): Prepared<V, R> {
  const textFor = typeof text === 'string' ? () => text : text
  let forSqlite: Translated | undefined
  let forPostgres: Translated | undefined

  function run(sql: Sql, values: V, manner: Manner): unknown {
    const statement = isPostgres(sql)
      ? (forPostgres ??= translate(textFor('postgres'), (place) => `$${place}`))
      : (forSqlite ??= translate(textFor('sqlite'), () => '?'))
    const bindings = statement.names.map((name) => values[name] as Value)
    return (sql.client as PreparingClient).runPrepared(statement, bindings, manner)
  }

  return {
    all: (sql, values) => run(sql, values, 'all') as R[] | Promise<R[]>,
    first: (sql, values) => run(sql, values, 'get') as R | undefined | Promise<R | undefined>,
    run: (sql, values) => run(sql, values, 'run') as number | Promise<number>,
    firstNow(sql, values) {
      if (isPostgres(sql)) throw new Error('firstNow is for SQLite, which is in this process')
      return run(sql, values, 'get') as R | undefined
    },
  }
}

/** `:name` in SQL. A cast of PostgreSQL has two colons, and text in quotes none of ours. */
const NAMED = /'[^']*'|::|:([A-Za-z]\w*)/g

/** Writes the values of a text as the database wants them. Each use of a name is a value of its own. */
function translate(text: string, placeOf: (place: number) => string): Translated {
  const names: string[] = []
  const translated = text.replace(NAMED, (whole, name: string | undefined) => {
    if (name === undefined) return whole
    names.push(name)
    return placeOf(names.length)
  })
  return { text: translated.replace(/\s+/g, ' ').trim(), names }
}
