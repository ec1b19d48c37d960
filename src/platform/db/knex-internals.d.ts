// Knex ships no types for its dialects; only what sqlite-client.ts and postgres.ts use is declared.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex'

  export default class BetterSqliteClient extends (Object as unknown as { new (): Knex.Client }) {
    connectionSettings: { filename: string; role: 'reader' | 'writer' }
    /** Set on the client of an open transaction. */
    transacting?: boolean
    _query(connection: unknown, query: { sql: string }): Promise<unknown>
  }
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  export default class SqliteTransaction {
    constructor(client: unknown, ...args: unknown[])
    query(connection: unknown, sql: string): Promise<unknown>
  }
}

declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex'

  export default class PostgresDialect extends (Object as unknown as { new (): Knex.Client }) {
    _query(connection: unknown, query: { sql: string }): Promise<{ response?: { command?: string } }>
  }
}
