import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { jsonRows, rowsOf } from '../../platform/db/dialect.ts'
import { asUnavailable } from '../../platform/db/unavailable.ts'
import { isAppError } from '../../platform/errors.ts'
import type { EventData, StoredEvent } from './types.ts'

interface EventRow {
  id: number
  app_id: number
  install_row: number | null
  uuid: string
  type: string
  user_identifier: string | null
  data: string | null
  happened_at: number
  received_at: number
}

const toEvent = (row: EventRow): StoredEvent => ({
  id: row.id,
  appId: row.app_id,
  installRow: row.install_row,
  uuid: row.uuid,
  type: row.type,
  userIdentifier: row.user_identifier,
  data: row.data === null ? null : (JSON.parse(row.data) as EventData),
  happenedAt: row.happened_at,
  receivedAt: row.received_at,
})

/** Types of the columns, in the order used by `insert`. */
const COLUMNS = ['bigint', 'bigint', 'text', 'text', 'text', 'text', 'bigint', 'bigint'] as const

export type EventsRepository = ReturnType<typeof eventsRepository>

export function eventsRepository(sql: Sql) {
  const events = () => sql<EventRow>('events')

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

    /** Stores events in this order. The data is JSON text, where NUL is an escape sequence, so both databases accept it. */
    async insert(list: readonly Omit<StoredEvent, 'id'>[]): Promise<void> {
      if (list.length === 0) return
      const rows = list.map((event) => [
        event.appId,
        event.installRow,
        event.uuid,
        event.type,
        event.userIdentifier,
        event.data === null ? null : JSON.stringify(event.data),
        event.happenedAt,
        event.receivedAt,
      ])
      await sql.raw(
        `INSERT INTO events (app_id, install_row, uuid, type, user_identifier, data, happened_at, received_at)
         ${jsonRows(sql, COLUMNS)}
         ON CONFLICT (app_id, install_row, uuid) DO NOTHING`,
        [JSON.stringify(rows)],
      )
    },

    /** Events stored after the one with this id, oldest first. */
    async after(appId: number, cursor: number, limit: number): Promise<StoredEvent[]> {
      return (await events().where({ app_id: appId }).where('id', '>', cursor).orderBy('id').limit(limit)).map(toEvent)
    },

    /** Deletes at most `limit` events of any app received before `before`; returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('events').where('received_at', '<', before).orderBy('received_at').limit(limit).select('id')
      return sql('events').whereIn('id', old).delete()
    },

    /** Deletes at most `limit` events of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'events', events().where({ app_id: appId }).orderBy('id').limit(limit))
    },

    /**
     * Runs `work` in a savepoint: when it fails, only its changes are undone, and the failure is returned as a value. Throws the
     * database's error when the transaction cannot continue.
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
