import { AsyncLocalStorage } from 'node:async_hooks'
import type BetterSqlite from 'better-sqlite3'
import knex, { type Knex } from 'knex'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { createGroupCommit } from './group-commit.ts'
import { openPostgres } from './postgres.ts'
import { createSoundness, damagedError, newSoundnessCell, type Soundness } from './soundness.ts'
import { SqliteClient } from './sqlite-client.ts'
import { createWriteTurn, newWriteTurnCell } from './write-turn.ts'

export type { ConnectOptions, Database, Sql } from './database.ts'

/** Opens the database that the options name. It connects at the first query. */
export function connect(options: ConnectOptions): Database {
  return refuseNesting(options.url ? openPostgres(options.url, options) : openSqliteDatabase(options))
}

/**
 * Throws when `write` is called inside `write`. On SQLite the inner write would wait for ever, and every later one behind it; on
 * PostgreSQL it would commit even if the outer one is rolled back.
 */
function refuseNesting(db: Database): Database {
  const around = new AsyncLocalStorage<{ open: boolean }>()

  async function runOpen<T>(work: (trx: Knex.Transaction) => Promise<T>, trx: Knex.Transaction): Promise<T> {
    const state = { open: true }
    try {
      return await around.run(state, work, trx)
    } finally {
      state.open = false
    }
  }

  return {
    ...db,
    // Not async: each promise that only passes another one on costs every write as much as a short statement.
    write(work) {
      if (!around.getStore()?.open) return db.write((trx) => runOpen(work, trx))
      return Promise.reject(new Error('write was called inside write: use the transaction that is open'))
    },
  }
}

/**
 * Two Knex instances on one file. `read` has several query-only connections, so that a read does not wait for the transaction of
 * another request and cannot write. The writer has exactly one connection.
 */
function openSqliteDatabase(options: ConnectOptions): Database {
  const { file, turnCell, soundnessCell, background = false, boardingMs, log, pool = 3 } = options
  const soundness = createSoundness(soundnessCell ?? newSoundnessCell())
  const open = (role: 'reader' | 'writer', max: number) => {
    const settings = {
      client: SqliteClient as unknown as typeof Knex.Client,
      connection: { filename: file, role } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      log: knexLog(log),
      pool: { min: 0, max, idleTimeoutMillis: 0x7fffffff },
      soundness,
    }
    const handle = knex(settings)
    handle.on('query-error', (error: unknown) => soundness.judge(error))
    return handle
  }
  const writer = open('writer', 1)
  const read = open('reader', pool)
  const turn = createWriteTurn(turnCell ?? newWriteTurnCell(), { background })
  const write = createGroupCommit(writer, turn, boardingMs === undefined ? {} : { boardingMs })
  return {
    kind: 'sqlite',
    read,
    soundness,
    write(work) {
      return soundness.damaged ? Promise.reject(damagedError()) : write(work)
    },
    async checkpoint() {
      await truncateLog(writer, soundness)
    },
    purge: () => truncateLog(writer, soundness),
    async close() {
      await read.destroy()
      await writer.destroy()
    },
  }
}

/**
 * How long a checkpoint waits for each reader (ms). It keeps writers waiting meanwhile, and a backup reads the same state for minutes: with
 * the patience of the connection, all writes stood still for 5 s each minute.
 */
const CHECKPOINT_PATIENCE_MS = 25

/** Writes the log of SQLite to the database and truncates it; false when somebody reads what is in it. */
async function truncateLog(writer: Knex, soundness: Soundness): Promise<boolean> {
  const client = writer.client as InstanceType<typeof SqliteClient>
  const connection = (await client.acquireConnection()) as BetterSqlite.Database
  const patienceMs = connection.pragma('busy_timeout', { simple: true }) as number
  try {
    connection.pragma(`busy_timeout = ${CHECKPOINT_PATIENCE_MS}`)
    const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    return busy === 0
  } catch (error) {
    throw soundness.judge(error)
  } finally {
    connection.pragma(`busy_timeout = ${patienceMs}`)
    await client.releaseConnection(connection)
  }
}
