import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import knex, { type Knex } from 'knex'
import PostgresDialect, { type Pool, type PostgresQuery } from 'knex/lib/dialects/postgres/index.js'
import pg from 'pg'
import { AppError, invalid } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { createSparing } from '../log/sparing.ts'
import { NOT_STORABLE } from '../values/reader.ts'
import { Collision } from './collision.ts'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { JSON_ROWS } from './dialect.ts'
import { Gathering } from './gathering.ts'
import { type Holding, isStrictUrl, NESTED_ASK, refuseHolder } from './holding.ts'
import { connectToHost, openClient, settingsOf } from './hosts.ts'
import type { PreparingClient } from './prepared.ts'
import { createSharing, noteChange, type Work } from './sharing.ts'
import { createSoundness, newSoundnessCell } from './soundness.ts'
import type { Manner, Translated, Value } from './statement.ts'
import { asUnavailable, fromDriver } from './unavailable.ts'

// The driver returns bigint and numeric as text by default. Our ids, times (ms) and sums stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/**
 * Tells whether a statement should stay prepared. INSERTs of many rows should: their text is the same for any number of rows,
 * and planning them takes the server as long as running them. Look-ups should not, except those of `preparedLookUp`, whose plans are
 * soon made anew: one that was planned while its table was empty would scan the whole table until the next ANALYZE (15 ms instead of 1).
 */
function isWorthKeeping(sql: string): boolean {
  return sql.startsWith('INSERT ') && (sql.includes(JSON_ROWS) || sql.includes(' unnest('))
}

/** Text of a statement -> the name of the prepared statement. */
const names = new Map<string, string>()

function nameOf(sql: string): string {
  let name = names.get(sql)
  if (!name) names.set(sql, (name = createHash('sha256').update(sql).digest('base64url').slice(0, 32)))
  return name
}

/**
 * The times (ms) for which a connection keeps the plans of statements that look rows up: at first short, then twice as long each time.
 * Planned while a table was nearly empty, they would scan it until the next ANALYZE, and a table that fills has at most doubled since.
 */
const REPLAN_MS = { first: 100, most: 2000 }

/** The time until which each connection keeps such plans, and how long that is. */
const keeping = new WeakMap<object, { until: number; ms: number }>()

/** The time (ms) for which a shared transaction waits for a lock. Who needs longer waits alone. */
const SHARED_LOCK_MS = 100
/** The isolation level of shared transactions, which is that of all others; only these name it, so their beginning can be told. */
const SHARED_LEVEL = 'read committed'
const SHARED_BEGIN = `BEGIN TRANSACTION ISOLATION LEVEL ${SHARED_LEVEL};`

/** Knex's PostgreSQL dialect with two fixes for the end of a transaction. Marks the errors of the driver as such. */
class PostgresClient extends PostgresDialect implements PreparingClient {
  private isClosed = false
  /** Set on the client of a transaction that several tasks share. */
  private gathering: Gathering | undefined
  /** The last statement of a transaction: the driver takes one at a time. */
  private last: Promise<unknown> | undefined

  override async destroy(...args: Parameters<PostgresDialect['destroy']>) {
    this.isClosed = true
    await super.destroy(...args)
  }

  /** Connects to the first of several hosts that is wanted (hosts.ts). */
  override _acquireOnlyConnection() {
    const { url } = this.config
    return connectToHost(url!, (address) => {
      // The client reads them before it waits for anything.
      Object.assign(this.connectionSettings, settingsOf(url!, address))
      return super._acquireOnlyConnection()
    })
  }

  /** Asks for a connection of the pool. A transaction does not come here: its client has a connection of its own. */
  override async acquireConnection() {
    this.config.guard?.(this.pool)
    // While the pool closes it still takes wishes. It never grants them, and the caller would wait for a minute.
    if (this.isClosed) throw new Error('the database is closed')
    try {
      return await super.acquireConnection()
    } catch (error) {
      throw fromDriver(error)
    }
  }

  override async _query(connection: { __knex__disposed?: unknown }, query: PostgresQuery) {
    if (!this.transacting) return this.queryNow(connection, query)
    if (this.gathering && !/^\s*select\b/i.test(query.sql)) noteChange()
    const done = this.last ? this.last.then(() => this.queryNow(connection, query)) : this.queryNow(connection, query)
    this.last = done.catch(() => {})
    return done
  }

  private async queryNow(connection: { __knex__disposed?: unknown }, query: PostgresQuery) {
    const { pooled } = this.config
    if (pooled) {
      // A prepared statement would be there for somebody else.
      delete query.options
      if (query.sql.startsWith('BEGIN')) query.sql += `${pooled.limits};`
    } else if (isWorthKeeping(query.sql)) query.options = { name: nameOf(query.sql) }
    // In one round trip with the first statement.
    if (query.sql.startsWith(SHARED_BEGIN)) query.sql += `SET LOCAL lock_timeout = ${SHARED_LOCK_MS}`
    try {
      const limits = pooled?.limitsReads && !this.transacting
      const done = limits ? await this.queryLimited(connection, query) : await super._query(connection, query)
      // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and the driver reports success. If the caller had swallowed
      // the failure, it would believe that its work is stored.
      if (query.sql === 'COMMIT;' && done.response?.command === 'ROLLBACK') {
        throw new Error('a statement of this transaction failed and its error was not passed on: nothing was stored')
      }
      return done
    } catch (error) {
      // The server has become a standby: the next connection leads to the primary.
      if (hasCode(error, '25006')) connection.__knex__disposed = error
      if (isUnstorable(error)) throw invalid({ '': [NOT_STORABLE] })
      if (query.sql !== 'ROLLBACK') throw fromDriver(error)
      // A ROLLBACK fails only when the connection is gone, and then the server rolls back by itself. This error would hide the one that
      // caused the ROLLBACK.
      connection.__knex__disposed = error
      return {}
    }
  }

  /** Runs a statement behind a pooler in a transaction of its own, for which the limits can be set: two round trips more. */
  private async queryLimited(connection: unknown, query: PostgresQuery) {
    await super._query(connection, { sql: `BEGIN;${this.config.pooled!.limits}` })
    try {
      return await super._query(connection, query)
    } finally {
      // After a failed statement it is a ROLLBACK.
      await super._query(connection, { sql: 'COMMIT' })
    }
  }

  /** Runs a statement of prepared.ts: as one of Knex, of which only the text is not written again. */
  async runPrepared(statement: Translated, bindings: readonly Value[], manner: Manner): Promise<unknown> {
    if (this.gathering && statement.forMany) {
      if (!statement.forMany.reads) noteChange()
      return this.gathering.ask(statement, bindings, manner)
    }
    const { rows, rowCount } = await this.execute(statement.text, bindings, statement.staysPlanned)
    if (manner === 'run') return rowCount
    return manner === 'get' ? rows[0] : rows
  }

  /** Makes statements that are asked at the same time one from now on. On the client of a transaction. */
  gather(): void {
    this.gathering = new Gathering((...asked) => this.execute(...asked))
  }

  private async execute(sql: string, bindings: readonly unknown[], staysPlanned?: true) {
    const connection = (await this.acquireConnection()) as object
    try {
      if (staysPlanned && !this.config.pooled) await this.forgetOldPlans(connection)
      const query = { sql, bindings, ...(staysPlanned && { options: { name: nameOf(sql) } }) }
      const { rows, rowCount } = (await this.query(connection, query)).response!
      return { rows, rowCount: rowCount ?? 0 }
    } finally {
      await this.releaseConnection(connection)
    }
  }

  private async forgetOldPlans(connection: object): Promise<void> {
    const now = performance.now()
    const kept = keeping.get(connection)
    if (kept && now < kept.until) return
    const ms = kept ? Math.min(2 * kept.ms, REPLAN_MS.most) : REPLAN_MS.first
    keeping.set(connection, { until: now + ms, ms })
    // A new connection has no plans.
    if (kept) await this._query(connection, { sql: 'DISCARD PLANS' })
  }
}

/**
 * Text with a NUL (22021), or JSON that has one where a statement reads its text (22P05). The door checks input for both and can
 * name the field; text that it forgot to check is the caller's mistake all the same.
 */
function isUnstorable(error: unknown): boolean {
  return hasCode(error, '22021') || hasCode(error, '22P05')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Maximum number of times a transaction is run when it collides with others. */
const MAX_TRIES = 5
const COLLISION_PAUSE_MS = 10

/**
 * Serialization failure or deadlock: the server has rolled back, and the client should retry the transaction
 * (https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html). Or a foreign key: what the transaction
 * found was deleted by another one before it could refer to it, such as a user who was erased.
 */
function isCollision(error: unknown): boolean {
  if (error instanceof Collision) return true
  return error instanceof Error && 'code' in error && /^(40001|40P01|23503)$/.test(String(error.code))
}

/**
 * Makes the check on code that asks the pool for a connection. Code inside a transaction holds one; if it waits for another, and
 * all others wait for rows that it has locked, nobody goes on until the server ends one of them, half a minute later
 * (docs/decisions/0071-one-connection-for-each-task.md). So it never waits: it is refused, and its transaction is rolled back. A
 * connection that is free is given at once, and the log says where it was asked for.
 */
function guardPool(holding: Holding, log: Log): (pool: Pool) => void {
  const isNew = createSparing()
  return (pool) => {
    if (!holding.isOpen) return
    if (isNew(NESTED_ASK, performance.now())) log.error({ err: new Error(NESTED_ASK) }, NESTED_ASK)
    if (pool.numUsed() + pool.numPendingCreates() >= pool.max) throw new AppError('unavailable', NESTED_ASK)
  }
}

/**
 * Statements, for one round trip, that set the limits of a connection or (`SET LOCAL`) of a transaction. They are no parameters of the
 * connection, because PgBouncer refuses these.
 */
function limits(set: 'SET' | 'SET LOCAL', statementMs: number): string {
  return [
    'synchronous_commit = on',
    `statement_timeout = ${Math.round(statementMs)}`,
    'idle_in_transaction_session_timeout = 30000',
  ]
    .map((setting) => `${set} ${setting}`)
    .join(';')
}

/** Opens PostgreSQL. It has a group commit of its own, so every write here is a transaction on the one pool. */
export function openPostgres(
  url: string,
  { pool = 10, statementMs = 30_000, strict = false, pooler = 'none', longReads = false, log }: ConnectOptions,
  holding: Holding,
): Database {
  const isPooled = pooler === 'transaction'
  const settings = {
    client: PostgresClient as unknown as typeof Knex.Client,
    ...(isPooled && { pooled: { limits: limits('SET LOCAL', statementMs), limitsReads: longReads } }),
    guard: strict || isStrictUrl(url) ? () => refuseHolder(holding) : guardPool(holding, log),
    log: knexLog(log),
    url,
    connection: { keepAlive: true },
    pool: {
      min: 0,
      max: pool,
      afterCreate(connection: pg.Client, done: (error: Error | null) => void) {
        // Without a listener, an idle connection that the server closes would end the process.
        connection.on('error', (error) => log.warn({ error: error.message }, 'a database connection was lost'))
        // Behind a pooler they would hold for other clients.
        if (isPooled) return done(null)
        connection.query(limits('SET', statementMs)).then(() => done(null), done)
      },
    },
  }
  const handle = knex(settings)

  const gather = (trx: Knex.Transaction) => (trx.client as unknown as PostgresClient).gather()

  async function write<T>(work: Work<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await handle.transaction(work)
      } catch (error) {
        if (tries >= MAX_TRIES || !isCollision(error)) throw asUnavailable(error)
        await sleep(tries * COLLISION_PAUSE_MS * (0.5 + Math.random()))
      }
    }
  }

  const share = createSharing({
    alone: write,
    together: (work) =>
      handle.transaction(
        (trx) => {
          gather(trx)
          return work(trx)
        },
        { isolationLevel: SHARED_LEVEL },
      ),
  })
  const gathering =
    <T>(work: Work<T>): Work<T> =>
    (trx) => {
      gather(trx)
      return work(trx)
    }
  return {
    kind: 'postgres',
    read: handle,
    soundness: createSoundness(newSoundnessCell()),
    // It shows others only what is on disk.
    settled: () => undefined,
    write: (work, { shares = false, gathers = false } = {}) =>
      shares ? share(work) : write(gathers ? gathering(work) : work),
    async checkpoint() {},
    async purge(tables) {
      // Outside of a transaction and of the pool, whose statements have a timeout. By default VACUUM leaves index entries of few
      // dead rows alone, and they hold names.
      let client: pg.Client | undefined
      try {
        client = await openClient(url)
        await client.query(`VACUUM (INDEX_CLEANUP ON) ${tables.map((table) => pg.escapeIdentifier(table)).join(', ')}`)
        return true
      } catch (error) {
        throw asUnavailable(error)
      } finally {
        await client?.end().catch(() => {})
      }
    },
    close: () => handle.destroy(),
  }
}
