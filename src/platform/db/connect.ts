import { AsyncLocalStorage } from 'node:async_hooks'
import knex, { type Knex } from 'knex'
import { type ConnectOptions, type Database, knexLog } from './database.ts'
import { createGroupCommit } from './group-commit.ts'
import { openPostgres } from './postgres.ts'
import { createSoundness, newSoundnessCell } from './soundness.ts'
import { openSqlite, SqliteClient } from './sqlite-client.ts'
import { createWriteTurn, newWriteTurnCell } from './write-turn.ts'

export type { ConnectOptions, Database, Sql } from './database.ts'

/** Opens the database that the options name. Nothing is connected before the first query. */
export function connect(options: ConnectOptions): Database {
  return refuseNesting(options.url ? openPostgres(options.url, options) : openSqliteDatabase(options))
}

/**
 * A write that waits for another write of the same handle would wait for ever on SQLite, and every later one behind it; on
 * PostgreSQL it would commit although the outer one is taken back. Both refuse it.
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
 * Two Knex instances on one file: `read` may hold several connections, all query-only, so that a read neither waits for the
 * transaction of another request nor can write past `write`; the writer has exactly one.
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
        // Not mapped into memory, though that is a little quicker: a disk that fails would end the process, not the request.
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
