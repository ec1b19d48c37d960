import type { Config } from './config/settings.ts'
import type { Vault } from './crypto/vault.ts'
import type { Database, Sql } from './db/connect.ts'
import type { Log } from './log/log.ts'
import type { Clock } from './time/clock.ts'

/** Threads that are told of work: all, or only those that send pages. A look of the others costs as much as some sends. */
export type Woken = 'all' | 'senders'

/** The parts with which every area is wired. */
export interface Base {
  /** The database handle: the whole database, for reading, or one transaction. */
  sql: Sql
  config: Config
  clock: Clock
  log: Log
  vault: Vault
  db: Database
  /** Tells threads that there may be work. Only a hint: they also look on their own. */
  wake(whom?: Woken): void
  /** Runs `then` after the transaction has committed, or at once when the handle is the whole database. */
  afterCommit(then: () => void): void
}

/** Builds a value when it is first asked for, and keeps it. */
export function once<T extends object>(build: () => T): () => T {
  let built: T | undefined
  return () => (built ??= build())
}
