// Knex ships no types for its dialects; only what sqlite-client.ts and postgres.ts use is declared.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex'

  export default class BetterSqliteClient extends (Object as unknown as { new (): Knex.Client }) {
    connectionSettings: { filename: string; role: 'reader' | 'writer'; patienceMs?: number }
    /** The options of the instance. */
    config: {
      soundness?: { judge(error: unknown): unknown }
      flush?: { connected(): void; commit<T>(run: () => T): T }
      /** The connection does not flush its commits. */
      flushesAside?: boolean
      guard?: () => void
      now?: (() => number) | undefined
    }
    acquireConnection(): Promise<unknown>
    /** Set on the client of an open transaction. */
    transacting?: boolean
    _query(connection: unknown, query: KnexQuery): Promise<unknown>
    _formatBindings(bindings: unknown[] | undefined): unknown[]
  }

  /** A query on its way, which also takes its results. */
  export interface KnexQuery {
    sql: string
    bindings?: unknown[]
    /** `isScript`: the text has several statements, and no result. */
    options?: { isScript?: boolean }
    response?: unknown
    context?: { lastID: number | bigint; changes: number }
  }
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  export default class SqliteTransaction {
    constructor(client: unknown, ...args: unknown[])
    /** The client that was asked for the transaction: that of the outer one when there is one. */
    client: unknown
    _completed: boolean
    /** Settle the promise of the transaction. */
    _resolver(value: unknown): void
    _rejecter(error: unknown): void
    /** The client of the transaction, once a connection is acquired. */
    trxClient: unknown
    _onAcquire(container: unknown, connection: unknown): Promise<unknown>
    isCompleted(): boolean
  }
}

declare module 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js' {
  export default class SqliteQueryCompiler {
    constructor(client: unknown, builder: unknown, bindings: unknown)
    /** The parts of the query that there is one of. */
    single: { limit?: number; skipBinding?: Record<string, boolean> }
    limit(): string
  }
}

declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex'
  import type { Client } from 'pg'

  export default class PostgresDialect extends (Object as unknown as { new (): Knex.Client }) {
    /** The options of the instance. */
    config: { url?: string; guard?: (pool: Pool) => void; pooled?: { limits: string; limitsReads: boolean } }
    pool: Pool
    /** The settings of the next connection. */
    connectionSettings: Record<string, unknown>
    _acquireOnlyConnection(): Promise<Client>
    /** Set on the client of an open transaction. */
    transacting?: boolean
    acquireConnection(): Promise<unknown>
    releaseConnection(connection: unknown): Promise<void>
    query(connection: unknown, query: PostgresQuery): Promise<PostgresQuery>
    _query(connection: unknown, query: PostgresQuery): Promise<{ response?: { command?: string } }>
  }

  /** Tarn's pool: `numPendingCreates` of its connections are being opened, and in nobody's use yet. */
  export interface Pool {
    readonly max: number
    numUsed(): number
    numPendingCreates(): number
  }

  /** A query on its way; the options go to the driver. */
  export interface PostgresQuery {
    sql: string
    bindings?: readonly unknown[]
    options?: { name: string }
    response?: { rows: Record<string, unknown>[]; rowCount: number | null }
  }
}
