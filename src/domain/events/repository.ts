import type { Sql } from '../../platform/db/connect.ts'
import { deleteSomeById } from '../../platform/db/delete-some.ts'
import { dialectOf, isPostgres, jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { prepared, preparedLookUp } from '../../platform/db/prepared.ts'
import { asUnavailable } from '../../platform/db/unavailable.ts'
import { isAppError } from '../../platform/errors.ts'
import type { USER_ERASED } from './erased-user.ts'
import { floors, isWide, type Part, partsOf, spanOf } from './partitions/parts.ts'
import { EVENTS, type StoredEvent } from './types.ts'

const NEW = EVENTS.omit('id')

/** The statements for SQLite, where a short one for each event takes half the time of one for all of them. */
const IS_KNOWN = prepared<{ appId: number; installRow: number; uuid: string }, { known: number }>(
  'SELECT 1 AS known FROM events WHERE app_id = :appId AND install_row = :installRow AND uuid = :uuid',
)
/**
 * The statement for PostgreSQL. The order, which is that of the unique index, makes the planner take this index also while it knows
 * nothing of the table: with `uuid = given.uuid`, one that begins with the app counts as good, and has all events of the app.
 */
const knownWhere = (further: string) =>
  preparedLookUp<{ appId: number }, { installRow: number; uuid: string }>(
    ['bigint', 'text'],
    (given) =>
      `WITH given (install_row, uuid) AS (${given})
       SELECT given.install_row AS "installRow", given.uuid FROM given CROSS JOIN LATERAL (
         SELECT 1 FROM events
         WHERE events.app_id = :appId AND events.install_row = given.install_row
           AND events.uuid >= given.uuid AND events.uuid <= given.uuid ${further}
         ORDER BY events.uuid LIMIT 1) AS found`,
  )
const KNOWN_ABOVE = new Map<number, ReturnType<typeof knownWhere>>()
/**
 * The same in the partitions from an id on (partitions/parts.ts). The id stands in the text: as a value PostgreSQL would plan for all
 * partitions, and lock them, and leave them out when it runs.
 */
function knownAbove(floor: number): ReturnType<typeof knownWhere> {
  const found = KNOWN_ABOVE.get(floor) ?? knownWhere(floor === 0 ? '' : `AND events.id >= ${floor}`)
  KNOWN_ABOVE.set(floor, found)
  return found
}
/** The statement for PostgreSQL that finds events which servers sent before, in all partitions: servers choose any time for an event. */
const KNOWN_OF_SERVERS = preparedLookUp<{ appId: number }, { uuid: string }>(
  ['text'],
  (given) =>
    `WITH given (uuid) AS (${given})
     SELECT given.uuid FROM given CROSS JOIN LATERAL (
       SELECT 1 FROM events
       WHERE events.app_id = :appId AND events.uuid >= given.uuid AND events.uuid <= given.uuid AND events.install_row IS NULL
       ORDER BY events.uuid LIMIT 1) AS found`,
)
const INSERT = prepared<ReturnType<typeof NEW.toRow> & Record<string, string | number | null>>(
  `INSERT INTO events (${NEW.names.join(', ')}) VALUES (${NEW.names.map((name) => `:${name}`).join(', ')})
   ON CONFLICT DO NOTHING`,
)
const BEGIN_ALONE = prepared('SAVEPOINT event')
const END_ALONE = prepared('RELEASE SAVEPOINT event')
const UNDO_ALONE = prepared('ROLLBACK TO SAVEPOINT event')

/** A place in the log of events (src/domain/followers/position.ts). */
type LogPlace = { tx: number; id: number }

/** Maximum number of slices of events from the future that are passed by. */
const MAX_FUTURE_SLICES = 20

type OldEvent = LogPlace & { appId: number; receivedAt: number }
const OF_OLD = 'id, app_id AS "appId", received_at AS "receivedAt"'
const FROM_START = {
  sqlite: prepared<LogPlace & { limit: number }, OldEvent>(
    `SELECT 0 AS tx, ${OF_OLD} FROM events WHERE id > :id ORDER BY id LIMIT :limit`,
  ),
  postgres: prepared<LogPlace & { limit: number }, OldEvent>(
    `SELECT tx, ${OF_OLD} FROM events WHERE (tx, id) > (:tx, :id) ORDER BY tx, id LIMIT :limit`,
  ),
}
/** The same in the oldest partition alone. */
const FROM_START_OF_FIRST = prepared<LogPlace & { limit: number; end: number }, OldEvent>(
  `SELECT tx, ${OF_OLD} FROM events WHERE (tx, id) > (:tx, :id) AND id < :end ORDER BY tx, id LIMIT :limit`,
)
const FORGOTTEN = prepared<LogPlace & { appId: number }>(
  `INSERT INTO forgotten_events (app_id, tx, event_id) VALUES (:appId, :tx, :id)
   ON CONFLICT (app_id) DO UPDATE SET tx = excluded.tx, event_id = excluded.event_id`,
)

export type EventsRepository = ReturnType<typeof eventsRepository>

/** `stored` is called when events were stored, in their transaction. Tables: docs/reference/schema.md#events, #forgotten_events. */
export function eventsRepository(sql: Sql, stored: () => void = () => {}) {
  const events = () => EVENTS.in(sql)

  /** Stores the place up to which the log of each app is forgotten. The list is in the order of the log. */
  async function noteForgotten(list: readonly OldEvent[]): Promise<void> {
    for (const { appId, tx, id } of new Map(list.map((one) => [one.appId, one])).values()) {
      await FORGOTTEN.run(sql, { appId, tx, id })
    }
  }

  /** The next events of the log, of its oldest partition if there are any. */
  async function fromStart(first: Part | undefined, after: LogPlace, limit: number): Promise<OldEvent[]> {
    if (first?.to !== undefined) return FROM_START_OF_FIRST.all(sql, { ...after, end: first.to, limit })
    return FROM_START[dialectOf(sql)].all(sql, { ...after, limit })
  }

  return {
    /** Events among `list` that were stored before. `at` is the time (ms) since which the event exists, 0 where nobody knows. */
    async known(
      appId: number,
      list: readonly { installRow: number; uuid: string; at: number }[],
    ): Promise<{ installRow: number; uuid: string }[]> {
      if (list.length === 0) return []
      const known: { installRow: number; uuid: string }[] = []
      if (!isPostgres(sql)) {
        for (const { installRow, uuid } of list)
          if (await IS_KNOWN.first(sql, { appId, installRow, uuid })) known.push({ installRow, uuid })
        return known
      }
      const { ofTime } = await floors(sql)
      for (const [floor, events] of Map.groupBy(list, ({ at }) => ofTime(at))) {
        const lines = JSON.stringify(events.map(({ installRow, uuid }) => [installRow, uuid]))
        known.push(...(await knownAbove(floor).all(sql, { appId, lines })))
      }
      return known
    },

    /**
     * The uuids among these that servers of the app sent before. On SQLite none: there the insert leaves them out, as its unique index
     * has all events. On PostgreSQL each partition has its own.
     */
    async knownOfServers(appId: number, uuids: readonly string[]): Promise<Set<string>> {
      if (uuids.length === 0 || !isPostgres(sql)) return new Set()
      const lines = JSON.stringify(uuids.map((uuid) => [uuid]))
      return new Set((await KNOWN_OF_SERVERS.all(sql, { appId, lines })).map(({ uuid }) => uuid))
    },

    /**
     * Stores events in this order, without those that are stored already: by app, install and uuid, or by app and uuid
     * where no device made them. The data is JSON text, where NUL is an escape sequence, so both databases accept it.
     */
    async insert(list: readonly Omit<StoredEvent, 'id'>[]): Promise<void> {
      if (list.length === 0) return
      stored()
      if (!isPostgres(sql)) {
        for (const event of list) await INSERT.run(sql, NEW.toRow(event))
        return
      }
      await sql.raw(
        `INSERT INTO events (${NEW.names.join(', ')}) ${jsonRows(sql, NEW.types)}
         ON CONFLICT DO NOTHING`,
        [JSON.stringify(list.map(NEW.toLine))],
      )
    },

    /** Events stored after the one with this id, oldest first. */
    async after(appId: number, cursor: number, limit: number): Promise<StoredEvent[]> {
      return (await events().where({ app_id: appId }).where('id', '>', cursor).orderBy('id').limit(limit)).map(
        EVENTS.fromRow,
      )
    },

    /**
     * Deletes at most `limit` events of all apps received before `now - keptMs`, from the start of the log. Returns how many.
     * An event that stands before an old one is old, whatever its time says: the clock may have been wrong. For the same
     * reason the search goes on behind events of the future, though not for ever. On PostgreSQL a partition that took events for
     * its time only waits until it is dropped whole (partitions/tend.ts).
     */
    async forget(keptMs: number, limit: number, now: number): Promise<number> {
      const [first] = await partsOf(sql)
      if (first?.to !== undefined && !isWide(first, spanOf(keptMs))) return 0
      let after: LogPlace = { tx: 0, id: 0 }
      let waiting: OldEvent[] | undefined
      for (let slice = 0; slice < MAX_FUTURE_SLICES; slice++) {
        const list = await fromStart(first, after, limit)
        const last = list.findLastIndex(({ receivedAt }) => receivedAt < now - keptMs)
        if (last >= 0) {
          const old = waiting ?? list.slice(0, last + 1)
          await noteForgotten(old)
          const ids = old.map(({ id }) => id)
          return whereAmong(sql('events'), sql, 'id', ids).delete()
        }
        const end = list.at(-1)
        if (!end || list.length < limit || end.receivedAt <= now) return 0
        waiting ??= list
        after = { tx: end.tx, id: end.id }
      }
      return 0
    },

    /** Deletes at most `limit` events of an own type of all apps received before `before`; returns how many. */
    async forgetOfType(before: number, limit: number, type: typeof USER_ERASED): Promise<number> {
      // Literal, as the partial index has it.
      const old = sql('events').whereRaw(`type = '${type}'`).where('received_at', '<', before)
      return sql('events').whereIn('id', old.orderBy('received_at').limit(limit).select('id')).delete()
    },

    /** Deletes at most `limit` events of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const order = isPostgres(sql) ? ['tx', 'id'] : ['id']
      return deleteSomeById(sql, 'events', events().where({ app_id: appId }).orderBy(order).limit(limit))
    },

    /**
     * Runs `work` in a savepoint: when it fails, only its changes are undone, and the failure is returned as a value.
     * Throws the database's error when the transaction cannot continue.
     */
    async alone<T>(work: () => Promise<T>): Promise<{ value: T } | { failure: unknown }> {
      await BEGIN_ALONE.run(sql, {})
      try {
        const value = await work()
        await END_ALONE.run(sql, {})
        return { value }
      } catch (thrown) {
        const failure = asUnavailable(thrown)
        // Thrown unchanged: the code that began the transaction decides from it whether to repeat the transaction.
        if (isAppError(failure) && failure.code === 'unavailable') throw thrown
        try {
          await UNDO_ALONE.run(sql, {})
          await END_ALONE.run(sql, {})
        } catch {
          // The whole transaction is lost; the first error says why.
          throw thrown
        }
        return { failure }
      }
    },
  }
}
