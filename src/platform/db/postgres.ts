import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import knex, { type Knex } from 'knex'
import PostgresDialect, { type PostgresQuery } from 'knex/lib/dialects/postgres/index.js'
import pg from 'pg'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { JSON_ROWS } from './dialect.ts'
import { createSoundness, newSoundnessCell } from './soundness.ts'
import { asUnavailable, fromDriver } from './unavailable.ts'

// bigint and numeric come as text by default. Our ids, times (ms) and sums stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/**
 * Statements over `jsonRows`, of which there are few texts for any number of rows: planning them takes the server as long as
 * running them. Only those that store: a look-up planned while its table was empty would go on reading the whole table until the
 * server next counts its rows, which took 15 ms instead of one.
 */
function isWorthKeeping(sql: string): boolean {
  return sql.startsWith('INSERT ') && sql.includes(JSON_ROWS)
}

/** Statement text -> the name by which a connection keeps it prepared. */
const names = new Map<string, string>()

function nameOf(sql: string): string {
  let name = names.get(sql)
  if (!name) names.set(sql, (name = createHash('sha256').update(sql).digest('base64url').slice(0, 32)))
  return name
}

/** Knex's PostgreSQL dialect with two endings of a transaction that it gets wrong. What it throws is known as the driver's. */
class PostgresClient extends PostgresDialect {
  override async acquireConnection() {
    try {
      return await super.acquireConnection()
    } catch (error) {
      throw fromDriver(error)
    }
  }

  override async _query(connection: { __knex__disposed?: unknown }, query: PostgresQuery) {
    if (isWorthKeeping(query.sql)) query.options = { name: nameOf(query.sql) }
    try {
      const done = await super._query(connection, query)
      // The COMMIT of a transaction in which a statement failed is answered with a ROLLBACK, and that is a success. When the
      // failure was swallowed, the caller would be told that its work is stored.
      if (query.sql === 'COMMIT;' && done.response?.command === 'ROLLBACK') {
        throw new Error('a statement of this transaction failed and its error was not passed on: nothing was stored')
      }
      return done
    } catch (error) {
      if (query.sql !== 'ROLLBACK') throw fromDriver(error)
      // The connection is gone, and the server rolls back by itself. Its error would hide the one that asks for it.
      connection.__knex__disposed = error
      return {}
    }
  }
}

/** So often a transaction is run in all when others keep getting in its way. */
const MOST_TRIES = 5
const COLLISION_PAUSE_MS = 10

/**
 * Serialization failure and deadlock: the server took everything back and says "retry the transaction"
 * (https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html).
 */
function isCollision(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01')
}

/** PostgreSQL: its own group commit serves us, so every write is a transaction of its own on the same pool. */
export function openPostgres(url: string, { pool = 10, log }: ConnectOptions): Database {
  const handle = knex({
    client: PostgresClient as unknown as typeof Knex.Client,
    log: knexLog(log),
    connection: {
      connectionString: url,
      keepAlive: true,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      application_name: 'appsvc',
    },
    pool: {
      min: 0,
      max: pool,
      afterCreate(connection: pg.Client, done: (error: Error | null) => void) {
        // Without a listener a connection that the server ends while idle would end the process.
        connection.on('error', (error) => log.warn({ error: error.message }, 'a database connection was lost'))
        connection.query('SET synchronous_commit = on').then(() => done(null), done)
      },
    },
  })
  return {
    kind: 'postgres',
    read: handle,
    soundness: createSoundness(newSoundnessCell()),
    async write(work) {
      for (let tries = 1; ; tries++) {
        try {
          return await handle.transaction(work)
        } catch (error) {
          if (tries >= MOST_TRIES || !isCollision(error)) throw asUnavailable(error)
          await sleep(tries * COLLISION_PAUSE_MS * (0.5 + Math.random()))
        }
      }
    },
    async checkpoint() {},
    close: () => handle.destroy(),
  }
}
