import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Database } from '../../src/platform/db/connect.ts'
import { placeOf } from './database-place.ts'

/**
 * Hears every statement where it leaves this process: in the drivers. So it does not matter whether Knex built it or
 * whether it was prepared by hand, on which connection it runs, and whether in a transaction.
 */

/** A statement that ran. */
export interface Heard {
  /** The text as the database gets it: `?` or `$1` for bindings. */
  sql: string
  bindings: readonly unknown[]
  /** The time from the call of the driver to its answer (ms). */
  ms: number
  /** Set when it stays prepared under a name, so that PostgreSQL may plan it without looking at the values. */
  named?: boolean
}

type Listener = (heard: Heard) => void

/** Listeners by the name of their database: the file, or the database of PostgreSQL. */
const listeners = new Map<string, Set<Listener>>()

/** Calls `listener` for each statement that runs on this database from now on, until the returned function is called. */
export function hear(db: Pick<Database, 'read'>, listener: Listener): () => void {
  tapDrivers()
  const name = nameOf(db)
  const all = listeners.get(name) ?? new Set()
  listeners.set(name, all.add(listener))
  return () => {
    all.delete(listener)
  }
}

function nameOf(db: Pick<Database, 'read'>): string {
  const place = placeOf(db)
  return place.url === undefined ? place.file : new URL(place.url).pathname.slice(1)
}

function tell(name: string, heard: Heard): void {
  for (const listener of listeners.get(name) ?? []) listener(heard)
}

let isTapped = false

/** Replaces the functions of both drivers, once for the process. They do the same; without a listener, nothing else. */
function tapDrivers(): void {
  if (isTapped) return
  isTapped = true
  tapSqlite()
  tapPostgres()
}

function tapSqlite(): void {
  const memory = new SqliteDatabase(':memory:')
  const statements = Object.getPrototypeOf(memory.prepare('SELECT 1')) as Record<string, unknown>
  memory.close()
  for (const verb of ['all', 'get', 'run', 'iterate']) {
    const original = statements[verb] as (...values: unknown[]) => unknown
    statements[verb] = function (this: SqliteDatabase.Statement, ...values: unknown[]) {
      const { name } = this.database
      if (!listeners.get(name)?.size) return original.apply(this, values)
      const began = performance.now()
      try {
        return original.apply(this, values)
      } finally {
        tell(name, { sql: this.source, bindings: values.flat(), ms: performance.now() - began })
      }
    }
  }
}

interface PostgresQuery {
  text: string
  values?: readonly unknown[]
  name?: string
}

function tapPostgres(): void {
  const { prototype } = pg.Client as unknown as { prototype: Record<string, unknown> }
  const original = prototype.query as (...values: unknown[]) => unknown
  prototype.query = function (this: pg.Client, ...values: unknown[]) {
    const { database } = this as unknown as { database: string }
    const [first, second] = values
    const query: PostgresQuery | undefined =
      typeof first === 'string'
        ? { text: first, ...(Array.isArray(second) && { values: second }) }
        : typeof (first as PostgresQuery | undefined)?.text === 'string'
          ? (first as PostgresQuery)
          : undefined
    if (!query || !listeners.get(database)?.size) return original.apply(this, values)
    const bindings = [...(query.values ?? (Array.isArray(second) ? second : []))]
    const began = performance.now()
    const done = () => {
      const { text: sql, name } = query
      tell(database, { sql, bindings, ms: performance.now() - began, ...(name !== undefined && { named: true }) })
    }
    const last = values.at(-1)
    if (typeof last === 'function') {
      const back = last as (...answer: unknown[]) => unknown
      return original.apply(this, [
        ...values.slice(0, -1),
        (...answer: unknown[]) => {
          done()
          return back(...answer)
        },
      ])
    }
    const result = original.apply(this, values)
    if (result instanceof Promise) result.then(done, done)
    else done()
    return result
  }
}

/** Tells whether a statement reads or writes rows: neither the limits of a transaction nor the schema. */
export function touchesRows({ sql }: Pick<Heard, 'sql'>): boolean {
  return /^\s*(select|with|insert|update|delete|replace)\b/i.test(sql)
}
