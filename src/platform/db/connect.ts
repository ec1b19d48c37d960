import type BetterSqlite from 'better-sqlite3'
import knex, { type Knex } from 'knex'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { createFlush } from './flush.ts'
import { createGroupCommit } from './group-commit.ts'
import { createHolding, type Holding, refuseHolder } from './holding.ts'
import { openPostgres } from './postgres.ts'
import { createSoundness, newSoundnessCell, type Soundness } from './soundness.ts'
import { SqliteClient } from './sqlite-client.ts'
import { createWriteTurn, newWriteTurnCell } from './write-turn.ts'

export type { ConnectOptions, Database, Sql, WriteOptions } from './database.ts'

/** Opens the database that the options name. It connects at the first query. */
export function connect(options: ConnectOptions): Database {
  const holding = createHolding()
  return refuseNesting(
    options.url ? openPostgres(options.url, options, holding) : openSqliteDatabase(options, holding),
    holding,
  )
}

/** Tells whether a database has the clock of this machine, as far as its address tells: an SQLite file, a socket, a loopback address. */
export function isOnThisMachine(url: string): boolean {
  if (url === '') return true
  if (!URL.canParse(url)) return false
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  return host === '' || host.startsWith('/') || /^(localhost|127\..*|\[?::1\]?)$/.test(host)
}

/**
 * Throws when `write` is called inside `write`. On SQLite the inner write would wait for ever, and every later one behind it; on
 * PostgreSQL it would commit even if the outer one is rolled back.
 */
function refuseNesting(db: Database, holding: Holding): Database {
  return {
    ...db,
    // Not async: each promise that only passes another one on costs every write as much as a short statement.
    write(work, options) {
      if (!holding.isOpen) return db.write((trx) => holding.run(work, trx), options)
      return Promise.reject(new Error('write was called inside write: use the transaction that is open'))
    },
  }
}

/**
 * Two Knex instances on one file. `read` has several query-only connections, so that a read does not wait for the transaction of
 * another request and cannot write. The writer has exactly one connection.
 */
function openSqliteDatabase(options: ConnectOptions, holding: Holding): Database {
  const { file, turnCell, background = false, flushesAside = !background, boardingMs, log, pool = 3 } = options
  const { soundnessCell: cell = newSoundnessCell() } = options
  const soundness = createSoundness(cell)
  const flush = createFlush({ file: `${file}-wal`, cell, soundness, byItself: !flushesAside })
  const open = (role: 'reader' | 'writer', max: number) => {
    const settings = {
      client: SqliteClient as unknown as typeof Knex.Client,
      connection: { filename: file, role } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      log: knexLog(log),
      pool: { min: 0, max, idleTimeoutMillis: 0x7fffffff },
      soundness,
      flush,
      flushesAside: role === 'writer' && flushesAside,
      ...(options.strict && role === 'reader' && { guard: () => refuseHolder(holding) }),
      now: options.now,
      // An error would say the values of its statement, which may be anybody's, and errors are logged.
      compileSqlOnError: false,
    }
    const handle = knex(settings)
    handle.on('query-error', (error: unknown) => soundness.judge(error))
    return handle
  }
  const writer = open('writer', 1)
  const read = open('reader', pool)
  const turn = createWriteTurn(turnCell ?? newWriteTurnCell(), { background })
  const commits = createGroupCommit(writer, turn, { flush, ...(boardingMs !== undefined && { boardingMs }) })
  return {
    kind: 'sqlite',
    read,
    soundness,
    settled: () => flush.settle(),
    write(work, options) {
      try {
        soundness.check()
      } catch (error) {
        return Promise.reject(error)
      }
      return commits.write(work, options)
    },
    async checkpoint() {
      await commits.between((connection) => truncateLog(connection, soundness))
    },
    purge: () => commits.between((connection) => truncateLog(connection, soundness)),
    async close() {
      await read.destroy()
      await commits.close()
      await writer.destroy()
      await flush.close()
    },
  }
}

/**
 * The time (ms) for which a checkpoint waits for each reader. Writers wait meanwhile, and a backup reads the same state for
 * minutes: with the patience of the connection, all writes stood still for 5 s each minute.
 */
const CHECKPOINT_PATIENCE_MS = 25

/** Writes the log of SQLite to the database and truncates it; false when somebody reads what is in it. */
function truncateLog(connection: BetterSqlite.Database, soundness: Soundness): boolean {
  const patienceMs = connection.pragma('busy_timeout', { simple: true }) as number
  try {
    connection.pragma(`busy_timeout = ${CHECKPOINT_PATIENCE_MS}`)
    const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    return busy === 0
  } catch (error) {
    throw soundness.judge(error)
  } finally {
    connection.pragma(`busy_timeout = ${patienceMs}`)
  }
}
