import type BetterSqlite from 'better-sqlite3'
import type { Knex } from 'knex'
import type { SqliteClient } from './sqlite-client.ts'

/**
 * The connection of a writer, with one handle for all its transactions. Knex makes a handle for each, of some twenty functions and
 * property descriptors, which was more than half of what a short transaction cost. The handle is refused between transactions.
 */
export interface Session {
  readonly connection: BetterSqlite.Database
  readonly trx: Knex.Transaction
  /** The number of rows that this connection has ever changed, also by triggers. */
  changes(): number
  /** Begins a transaction. Waits for other processes that write. */
  begin(): Promise<void>
  /** Throws when it was not possible. */
  commit(): void
  /** Throws when it was not possible. */
  rollback(): void
  /** Gives the connection back. It is closed when a transaction is still open in it. */
  end(): Promise<void>
}

/** Takes the connection of the writer, which has one. */
export async function openSession(writer: Knex): Promise<Session> {
  const opened = Promise.withResolvers<Knex.Transaction>()
  const ending = Promise.withResolvers<void>()
  const ended = writer.transaction(async (trx) => {
    opened.resolve(trx)
    await ending.promise
  })
  ended.catch(opened.reject)
  const trx = await opened.promise
  const client = trx.client as unknown as SqliteClient
  const connection = client.held!
  // It waits in `begin`, outside the driver, and nowhere else: afterwards it has the lock.
  const patienceMs = connection.pragma('busy_timeout', { simple: true }) as number
  connection.pragma('busy_timeout = 0')
  const total = connection.prepare('SELECT total_changes()').pluck()
  return {
    connection,
    trx,
    changes: () => total.get() as number,
    begin: () => client.beginTransaction(),
    commit: () => client.commitTransaction(),
    rollback: () => client.rollBackTransaction(),
    async end() {
      if (connection.open) connection.pragma(`busy_timeout = ${patienceMs}`)
      ending.resolve()
      await ended
    },
  }
}
