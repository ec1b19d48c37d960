import type { Sql } from '../../platform/db/connect.ts'
import { jsonRows, whereAmong } from '../../platform/db/dialect.ts'
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

/** Types of the columns in the order in which `insert` gives them. */
const COLUMNS = ['bigint', 'bigint', 'text', 'text', 'text', 'text', 'bigint', 'bigint'] as const

export type EventsRepository = ReturnType<typeof eventsRepository>

export function eventsRepository(sql: Sql) {
  const events = () => sql<EventRow>('events')

  return {
    /** Which of these uuids the install has sent before. */
    async known(appId: number, installRow: number, uuids: readonly string[]): Promise<Set<string>> {
      const rows: { uuid: string }[] = await whereAmong(
        sql('events').where({ app_id: appId, install_row: installRow }),
        sql,
        'uuid',
        uuids,
      ).select('uuid')
      return new Set(rows.map((row) => row.uuid))
    },

    /** Stores events in this order. The data is JSON text, where NUL is an escape: both databases keep it. */
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

    /**
     * Runs `work` so that its changes alone are taken back when it fails; the failure comes back as a value. Throws when the
     * transaction cannot go on: `unavailable` when the database cannot be written now.
     */
    async alone<T>(work: () => Promise<T>): Promise<{ value: T } | { failure: unknown }> {
      await sql.raw('SAVEPOINT event')
      try {
        const value = await work()
        await sql.raw('RELEASE SAVEPOINT event')
        return { value }
      } catch (thrown) {
        const failure = asUnavailable(thrown)
        if (isAppError(failure) && failure.code === 'unavailable') throw failure
        try {
          await sql.raw('ROLLBACK TO SAVEPOINT event')
          await sql.raw('RELEASE SAVEPOINT event')
        } catch {
          // The whole transaction is gone; why is in what was thrown first.
          throw failure
        }
        return { failure }
      }
    },
  }
}
