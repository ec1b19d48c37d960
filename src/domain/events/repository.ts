import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { jsonRows, rowsOf } from '../../platform/db/dialect.ts'
import { integer, json, table, text } from '../../platform/db/table.ts'
import { asUnavailable } from '../../platform/db/unavailable.ts'
import { isAppError } from '../../platform/errors.ts'
import type { EventData, StoredEvent } from './types.ts'

const EVENTS = table('events', {
  id: integer('id'),
  appId: integer('app_id'),
  installRow: integer('install_row').orNull,
  uuid: text('uuid'),
  type: text('type'),
  userIdentifier: text('user_identifier').orNull,
  data: json('data').as<EventData>().orNull,
  happenedAt: integer('happened_at'),
  receivedAt: integer('received_at'),
})
const NEW = EVENTS.omit('id')

export type EventsRepository = ReturnType<typeof eventsRepository>

export function eventsRepository(sql: Sql) {
  const events = () => EVENTS.in(sql)

  return {
    /** Which of these events were stored before. */
    async known(
      appId: number,
      list: readonly { installRow: number; uuid: string }[],
    ): Promise<{ installRow: number; uuid: string }[]> {
      if (list.length === 0) return []
      // With CROSS JOIN, SQLite always looks up each given pair, whatever size it assumes for the table.
      const found = await sql.raw(
        `WITH given (install_row, uuid) AS (${jsonRows(sql, ['bigint', 'text'], list.length)})
         SELECT given.install_row AS "installRow", given.uuid FROM given CROSS JOIN events
         WHERE events.app_id = ? AND events.install_row = given.install_row AND events.uuid = given.uuid`,
        [JSON.stringify(list.map(({ installRow, uuid }) => [installRow, uuid])), appId],
      )
      return rowsOf(found)
    },

    /**
     * Stores events in this order. The data is JSON text, where NUL is an escape sequence, so both databases accept it.
     */
    async insert(list: readonly Omit<StoredEvent, 'id'>[]): Promise<void> {
      if (list.length === 0) return
      await sql.raw(
        `INSERT INTO events (${NEW.names.join(', ')}) ${jsonRows(sql, NEW.types)}
         ON CONFLICT (app_id, install_row, uuid) DO NOTHING`,
        [JSON.stringify(list.map(NEW.toLine))],
      )
    },

    /** Events stored after the one with this id, oldest first. */
    async after(appId: number, cursor: number, limit: number): Promise<StoredEvent[]> {
      return (await events().where({ app_id: appId }).where('id', '>', cursor).orderBy('id').limit(limit)).map(
        EVENTS.fromRow,
      )
    },

    /** Deletes at most `limit` events of all apps received before `before`. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('events').where('received_at', '<', before).orderBy('received_at').limit(limit).select('id')
      return sql('events').whereIn('id', old).delete()
    },

    /** Deletes at most `limit` events of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'events', events().where({ app_id: appId }).orderBy('id').limit(limit))
    },

    /**
     * Runs `work` in a savepoint: when it fails, only its changes are undone, and the failure is returned as a value.
     * Throws the database's error when the transaction cannot continue.
     */
    async alone<T>(work: () => Promise<T>): Promise<{ value: T } | { failure: unknown }> {
      await sql.raw('SAVEPOINT event')
      try {
        const value = await work()
        await sql.raw('RELEASE SAVEPOINT event')
        return { value }
      } catch (thrown) {
        const failure = asUnavailable(thrown)
        // Thrown unchanged: the code that began the transaction decides from it whether to repeat the transaction.
        if (isAppError(failure) && failure.code === 'unavailable') throw thrown
        try {
          await sql.raw('ROLLBACK TO SAVEPOINT event')
          await sql.raw('RELEASE SAVEPOINT event')
        } catch {
          // The whole transaction is lost; the first error says why.
          throw thrown
        }
        return { failure }
      }
    },
  }
}
