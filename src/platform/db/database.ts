import type { Knex } from 'knex'
import type { Log } from '../log.ts'
import { createSparing } from '../sparing.ts'
import type { Soundness } from './soundness.ts'

/** What queries run on: a read handle or an open transaction. */
export type Sql = Knex

/**
 * The database as everything above sees it. Reads run on `read` at any time and never wait for writes. Every write runs in
 * `write`, the one place that starts transactions; it resolves after the commit is on disk.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  readonly read: Sql
  /** Whether the file was found damaged; a write then throws. PostgreSQL looks after its files itself. */
  readonly soundness: Soundness
  /**
   * Runs `work` in a transaction. Rejects with what `work` threw, and nothing of it remains; with `AppError('unavailable')`
   * when the disk, the network or another process is the cause. Never await the network or another `write` inside.
   * On PostgreSQL `work` runs again when another transaction got in the way (deadlock): it must not change anything outside.
   */
  write<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>
  /** Moves SQLite's write-ahead log into the database file and empties it, waiting for readers; nothing on PostgreSQL. */
  checkpoint(): Promise<void>
  /**
   * For a read so hot that building a query costs more than its answer: one row of a statement, at once, on a connection of its own
   * that cannot write. Only where the database is in this process; undefined on PostgreSQL.
   */
  readonly prepare?: (sql: string) => (...bindings: (string | number)[]) => unknown
  close(): Promise<void>
}

export interface ConnectOptions {
  /** `postgres://…`; absent means the SQLite file. */
  url?: string | undefined
  /** The SQLite file. */
  file: string
  /** Shared by the threads of one process (see write-turn.ts). */
  turnCell?: SharedArrayBuffer | undefined
  /** Shared by the threads of one process (see soundness.ts). */
  soundnessCell?: SharedArrayBuffer | undefined
  log: Log
  /** Connections for reading (SQLite) or in all (PostgreSQL). */
  pool?: number
}

/**
 * Knex speaks to the console by itself; here it speaks to our log, each thing once a minute. What it reports as errors, the failing
 * query reports too.
 */
export function knexLog(log: Log): Knex.Logger {
  const isNew = createSparing()
  const warn = (message: unknown) => {
    const text = `database: ${String(message)}`
    if (isNew(text, performance.now())) log.warn({}, text)
  }
  const debug = (message: unknown) => log.debug({}, `database: ${String(message)}`)
  return { warn, error: warn, deprecate: debug, debug }
}
