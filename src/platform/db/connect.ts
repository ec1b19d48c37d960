import { AsyncLocalStorage } from 'node:async_hooks'
import knex, { type Knex } from 'knex'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { createGroupCommit } from './group-commit.ts'
import { openPostgres } from './postgres.ts'
import { createSoundness, newSoundnessCell } from './soundness.ts'
import { openSqlite, SqliteClient } from './sqlite-client.ts'
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
  return {
    ...db,
    async write(work) {
      if (around.getStore()?.open) throw new Error('write was called inside write: use the transaction that is open')
      return db.write((trx) => {
        const state = { open: true }
        return around.run(state, async () => {
          try {
            return await work(trx)
          } finally {
            state.open = false
          }
        })
      })
    },
  }
}

/**
 * Two Knex instances on one file. `read` has several query-only connections, so that a read does not wait for the transaction of
 * another request and cannot write. The writer has exactly one connection.
 */
function openSqliteDatabase({ file, turnCell, soundnessCell, log, pool = 3 }: ConnectOptions): Database {
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
  let direct: ReturnType<typeof openSqlite> | undefined
  const turn = createWriteTurn(turnCell ?? newWriteTurnCell())
  const write = createGroupCommit(writer, turn)
  return {
    kind: 'sqlite',
    read,
    soundness,
    async write(work) {
      soundness.check()
      return write(work)
    },
    async checkpoint() {
      await writer.raw('PRAGMA wal_checkpoint(TRUNCATE)')
    },
    prepare(sql) {
      let statement: { get(...bindings: (string | number)[]): unknown } | undefined
      return (...bindings) => {
        // No mmap, although it is slightly faster: a failing disk would then end the process (SIGBUS) instead of the request.
        try {
          statement ??= (direct ??= openSqlite(file, 'reader')).prepare(sql)
          return statement.get(...bindings)
        } catch (error) {
          throw soundness.judge(error)
        }
      }
    },
    async close() {
      direct?.close()
      await read.destroy()
      await writer.destroy()
    },
  }
}
