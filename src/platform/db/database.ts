import type { Knex } from 'knex'
import type { Log } from '../log/log.ts'
import { createSparing } from '../log/sparing.ts'
import type { Pooler } from './pooler.ts'
import type { Soundness } from './soundness.ts'

/** A handle for queries: for reading, or an open transaction. */
export type Sql = Knex

/**
 * The database. Reads run on `read` at any time and never wait for writes. Every write runs in `write`, the only place that starts
 * transactions; it resolves after the commit is on disk.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  readonly read: Sql
  /** The state of the file: after damage or a failed flush, writes throw. PostgreSQL checks its files itself. */
  readonly soundness: Soundness
  /**
   * Runs `work` in a transaction. When `work` throws, the transaction is rolled back and `write` rejects with the same error, or with
   * `AppError('unavailable')` when the disk, the network or another process is the cause. Never await the network or another `write`
   * inside. On PostgreSQL a deadlock or serialization failure runs `work` again, so it must not change anything outside the database.
   */
  write<T>(work: (trx: Knex.Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Resolves when everything that was committed before the call is on disk; undefined when it is. On SQLite a commit can be read a moment
   * before that. So whoever reads and then acts on it outside waits for this. Rejects with `unavailable` when the disk failed.
   */
  settled(): Promise<void> | undefined
  /** Checkpoints and truncates SQLite's write-ahead log, waiting for readers. Does nothing on PostgreSQL. */
  checkpoint(): Promise<void>
  /**
   * Removes deleted rows of these tables from the files: on SQLite from the write-ahead log (in the database file they are
   * overwritten when they are deleted), on PostgreSQL by a VACUUM of the tables, which may take minutes and holds nobody up.
   * False when others are still reading what was deleted: try again later.
   */
  purge(tables: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

export interface WriteOptions {
  /**
   * `work` changes something with one statement at most. A statement that fails is undone by itself, so the write needs no savepoint, which
   * takes longer than the statement.
   */
  isSingle?: boolean
  /**
   * On PostgreSQL `work` may share its transaction with others of the same kind, and may run at the same time as these: it reads, inserts
   * rows that are its own, and seldom waits for a lock. On SQLite it has no savepoint, which would copy every page before it changes. When
   * one of them fails, `work` may run again without it.
   */
  shares?: boolean
  /** On PostgreSQL the prepared statements that `work` asks at the same time with the same text are one for the database (gathering.ts). */
  gathers?: boolean
}

export interface ConnectOptions {
  /** `postgres://…`; SQLite when absent. */
  url?: string | undefined
  /** The SQLite file. */
  file: string
  /** Shared by the threads of one process (see write-turn.ts). */
  turnCell?: SharedArrayBuffer | undefined
  /** Shared by the threads of one process (see soundness.ts). */
  soundnessCell?: SharedArrayBuffer | undefined
  /** The writes of this thread let those of others go first, for which somebody waits. */
  background?: boolean | undefined
  /** SQLite: commits are flushed beside the thread (flush.ts). Default: unless it is in the background. */
  flushesAside?: boolean | undefined
  /** The time (ms; default 10) for which a transaction takes further writes aboard on SQLite. */
  boardingMs?: number | undefined
  log: Log
  /** SQLite: the time for statements (ms). Default: the wall clock. */
  now?: (() => number) | undefined
  /** Size of the pool: of read connections on SQLite, of all connections on PostgreSQL. */
  pool?: number
  /** The time limit (ms) of a statement on PostgreSQL. Behind a pooler it holds in transactions, and for long reads. */
  statementMs?: number | undefined
  /** The pooler before PostgreSQL (pooler.ts). Default: none. */
  pooler?: Pooler | undefined
  /** True for connections on which only long reads run. */
  longReads?: boolean | undefined
  /** Set by tests: code inside a transaction that reads through another handle than its own fails. On PostgreSQL also by `strictUrl`. */
  strict?: boolean
}

/**
 * A logger for Knex, which writes to the console by default. Each message is logged once a minute. Knex's errors become warnings,
 * because the failing query throws the same error.
 */
export function knexLog(log: Log): Knex.Logger {
  const isNew = createSparing()
  const warn = (message: unknown) => {
    // Knex adds the stack of the error.
    const text = `database: ${String(message).split('\n', 1)[0]}`
    if (isNew(text, performance.now())) log.warn({}, text)
  }
  const debug = (message: unknown) => log.debug({}, `database: ${String(message)}`)
  return { warn, error: warn, deprecate: debug, debug }
}
