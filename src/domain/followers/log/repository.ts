import { makeRoom } from '../../../platform/concurrency/room.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { dialectOf, isPostgres, whereAmong } from '../../../platform/db/dialect.ts'
import { PAGE_BYTES, slicesOf } from '../../../platform/db/pages.ts'
import { type Prepared, prepared } from '../../../platform/db/prepared.ts'
import { readObject } from '../../../platform/json/json.ts'
import { floors } from '../../events/partitions/parts.ts'
import type { EventData } from '../../events/types.ts'
import { isBefore, laterOf, type Position, START, writeCursor } from '../position.ts'
import type { LoggedEvent, LogPage, LogQuery } from '../types.ts'
import { PAGE_TYPE, STORED_PAGE, wants } from '../wants.ts'
import { latestReader } from './latest.ts'

/** The number of events that one read looks at when only some types are asked for: it ends after these, whatever it found. */
const LOOKED_AT = 2000

/** The distance by which the position of a log moves when its database was restored: further than the lost log can have gone. */
const JUMP = 2 ** 40

/** An event that a read looks at, before its data is read. */
interface Glance extends Position {
  type: string
  bytes: number
}

interface Bounds {
  endTx: number
  endId: number
  lostTx: number | null
  lostId: number | null
}

type Place = Record<'tx' | 'id', number>
type Scan = Prepared<Place & { appId: number; most: number }, Glance>
type Dialect<T> = { sqlite: T; postgres: T }

const GLANCE = 'id, type, COALESCE(octet_length(data), 0) AS bytes'

/** A scan on PostgreSQL where the table has partitions: in those from the one with the id `floor` on. */
const SCANS_ABOVE: Record<'app' | 'all', Prepared<Place & { appId: number; most: number; floor: number }, Glance>> = {
  app: prepared(`SELECT tx, ${GLANCE} FROM events WHERE app_id = :appId AND (tx, id) > (:tx, :id)
    AND tx < event_horizon() AND id >= :floor ORDER BY tx, id LIMIT :most`),
  all: prepared(`SELECT tx, ${GLANCE} FROM events WHERE (tx, id) > (:tx, :id)
    AND tx < event_horizon() AND id >= :floor ORDER BY tx, id LIMIT :most`),
}

/** The statement of each scan, which is one range of one index. */
const SCANS: Record<'app' | 'all', Dialect<Scan>> = {
  app: {
    sqlite: prepared(
      `SELECT 0 AS tx, ${GLANCE} FROM events WHERE app_id = :appId AND id > :id ORDER BY id LIMIT :most`,
    ),
    postgres: prepared(`SELECT tx, ${GLANCE} FROM events WHERE app_id = :appId AND (tx, id) > (:tx, :id)
      AND tx < event_horizon() ORDER BY tx, id LIMIT :most`),
  },
  all: {
    sqlite: prepared(`SELECT 0 AS tx, ${GLANCE} FROM events WHERE id > :id ORDER BY id LIMIT :most`),
    postgres: prepared(`SELECT tx, ${GLANCE} FROM events WHERE (tx, id) > (:tx, :id)
      AND tx < event_horizon() ORDER BY tx, id LIMIT :most`),
  },
}

/** The end of the log, and the last forgotten event of an app or of all. */
const lost = (where: string) => (column: string) =>
  `(SELECT ${column} FROM forgotten_events ${where} ORDER BY tx DESC, event_id DESC LIMIT 1)`
const bounds = (where: string): Dialect<Prepared<{ appId: number }, Bounds>> => {
  const found = `${lost(where)('tx')} AS "lostTx", ${lost(where)('event_id')} AS "lostId"`
  return {
    sqlite: prepared(
      `SELECT 0 AS "endTx", COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS "endId", ${found}`,
    ),
    // All transactions below the horizon have ended: no further event gets a position there.
    postgres: prepared(`SELECT event_horizon() - 1 AS "endTx", ${Number.MAX_SAFE_INTEGER} AS "endId", ${found}`),
  }
}
const BOUNDS = { app: bounds('WHERE app_id = :appId'), all: bounds('') }

/** The last events of an app, the latest first. */
const LAST: Dialect<Prepared<{ appId: number; most: number }, Glance>> = {
  sqlite: prepared(`SELECT 0 AS tx, ${GLANCE} FROM events WHERE app_id = :appId ORDER BY id DESC LIMIT :most`),
  postgres: prepared(`SELECT tx, ${GLANCE} FROM events WHERE app_id = :appId AND tx < event_horizon()
    ORDER BY tx DESC, id DESC LIMIT :most`),
}

/** Query of the end of the log of an app. */
export type LastQuery = Omit<LogQuery, 'appId' | 'after'> & { appId: number }

/** The kinds of events to read, and their number. */
type Kinds = Pick<LogQuery, 'types' | 'deliveries' | 'limit'>

/** Events that a read looked at, at most `most`, and those of them that its reader wants. */
interface Looked {
  scanned: Glance[]
  wanted: Glance[]
  most: number
}

/** A summary of the events that come next. */
export interface Glimpse {
  /** Stored types (wants.ts) by app. */
  types: Map<number, Set<string>>
  next: Position
  atEnd: boolean
}

/** The same as `SCANS`, without the size. */
const GLANCES: Dialect<Prepared<Place & { most: number }, Position & { appId: number; type: string }>> = {
  sqlite: prepared(`SELECT 0 AS tx, id, app_id AS "appId", type FROM events WHERE id > :id ORDER BY id LIMIT :most`),
  postgres: prepared(`SELECT tx, id, app_id AS "appId", type FROM events WHERE (tx, id) > (:tx, :id)
    AND tx < event_horizon() ORDER BY tx, id LIMIT :most`),
}

const GLANCES_ABOVE: Prepared<Place & { most: number; floor: number }, Position & { appId: number; type: string }> =
  prepared(`SELECT tx, id, app_id AS "appId", type FROM events WHERE (tx, id) > (:tx, :id)
    AND tx < event_horizon() AND id >= :floor ORDER BY tx, id LIMIT :most`)

export type LogRepository = ReturnType<typeof logRepository>

/** Reads the events in the order in which they were committed. Tables: docs/reference/schema.md#events. */
export function logRepository(sql: Sql) {
  const dialect = dialectOf(sql)
  const kindOf = (appId: number | undefined) => (appId === undefined ? 'all' : 'app')

  async function boundsOf(appId: number | undefined): Promise<{ end: Position; lost: Position | undefined }> {
    const found = (await BOUNDS[kindOf(appId)][dialect].first(sql, { appId: appId ?? 0 }))!
    const { endTx, endId, lostTx, lostId } = found
    return {
      end: { tx: endTx, id: endId },
      lost: lostTx === null || lostId === null ? undefined : { tx: lostTx, id: lostId },
    }
  }

  const isForeign = ({ tx }: Position) => dialect === 'sqlite' && tx > 0

  /** The first id of the partitions that may have events behind a position. */
  const floorOf = async ({ tx }: Position) => (dialect === 'sqlite' ? 0 : (await floors(sql)).ofPosition(tx))

  async function scan(appId: number | undefined, { tx, id }: Position, most: number): Promise<Glance[]> {
    const floor = await floorOf({ tx, id })
    const values = { appId: appId ?? 0, tx, id, most }
    if (floor > 0) return SCANS_ABOVE[kindOf(appId)].all(sql, { ...values, floor })
    return SCANS[kindOf(appId)][dialect].all(sql, values)
  }

  async function fetch(list: readonly Position[]): Promise<LoggedEvent[]> {
    if (list.length === 0) return []
    const rows: (Omit<LoggedEvent, 'data'> & { id: number; data: string | null })[] = await whereAmong(
      sql('events').leftJoin('installs', 'installs.id', 'events.install_row'),
      sql,
      'events.id',
      list.map(({ id }) => id),
    ).select(
      'events.id as id',
      'events.app_id as appId',
      'events.type as type',
      'events.uuid as uuid',
      'events.user_identifier as userIdentifier',
      'installs.install_id as installId',
      'events.data as data',
      'events.happened_at as happenedAt',
      'events.received_at as receivedAt',
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return list.flatMap(({ tx, id }) => {
      // Absent when it was forgotten or erased between the two reads.
      const found = byId.get(id)
      if (!found) return []
      const { id: _, data, ...row } = found
      const position = { tx, id }
      // One that cannot be read stops no follower: it goes out without its data.
      const parsed: EventData | null = data === null ? null : (readObject(data) ?? null)
      if (parsed === null && row.type === STORED_PAGE) return []
      const event = { ...row, position, cursor: writeCursor(position), data: parsed }
      return row.type === STORED_PAGE ? { ...event, type: PAGE_TYPE, isPage: true as const } : event
    })
  }

  /**
   * Runs a scan of `limit` events, or of `LOOKED_AT` when not all of them are wanted. Returns the events that it looked
   * at, and those of them that are wanted.
   */
  async function look(query: Kinds, run: (most: number) => Promise<Glance[]>): Promise<Looked> {
    const { types, limit } = query
    const further = Math.max(limit, LOOKED_AT)
    let most = types === undefined ? limit : further
    let scanned = await run(most)
    // Pages that this reader does not want: most readers, of most logs, never meet one.
    if (most < further && scanned.length === most && !scanned.every(({ type }) => wants(query, type))) {
      most = further
      scanned = await run(most)
    }
    return { scanned, wanted: scanned.filter(({ type }) => wants(query, type)), most }
  }

  return {
    /**
     * The next events after a position, in the order of commit: at most `limit` of them, 2 MiB of data, and of
     * `LOOKED_AT` events when only some types are asked for. `limit` is at least 1.
     */
    async read({ appId, after = START, limit, ...kinds }: LogQuery): Promise<LogPage> {
      // Before the events: what is at or before this end is there when they are read.
      const { end, lost } = await boundsOf(appId)
      const { scanned, wanted, most } = await look({ ...kinds, limit }, (most) => scan(appId, after, most))
      const [taken = []] = slicesOf(wanted.slice(0, limit), PAGE_BYTES)
      await makeRoom(taken.reduce((all, { bytes }) => all + bytes, 0))
      const isAll = taken.length === wanted.length
      const atEnd = isAll && scanned.length < most
      const last = (isAll ? scanned : taken).at(-1) ?? after
      const reached = { tx: last.tx, id: last.id }
      return {
        events: await fetch(taken),
        next: atEnd ? laterOf(reached, end) : reached,
        looked: scanned.length,
        atEnd,
        // Who begins at the start wants what is kept. On SQLite a position with a transaction is of the time when the database was
        // on PostgreSQL: nobody knows what its reader has seen.
        missed: isForeign(after) || (lost !== undefined && isBefore(START, after) && isBefore(after, lost)),
      }
    },

    /**
     * The last events of an app, oldest first: at most `limit`, 2 MiB of data, and of `LOOKED_AT` when only some types
     * are asked for.
     */
    async last({ appId, limit, ...kinds }: LastQuery): Promise<LoggedEvent[]> {
      const { wanted } = await look({ ...kinds, limit }, async (most) => LAST[dialect].all(sql, { appId, most }))
      const [taken = []] = slicesOf(wanted.slice(0, limit), PAGE_BYTES)
      return fetch(taken.toReversed())
    },

    /** The newest events of an app, some of them (latest.ts). */
    latest: latestReader(sql, fetch),

    /** Apps and types of the next `LOOKED_AT` events. */
    async glance(after: Position): Promise<Glimpse> {
      const floor = await floorOf(after)
      const values = { ...after, most: LOOKED_AT }
      const rows = await (floor > 0 ? GLANCES_ABOVE.all(sql, { ...values, floor }) : GLANCES[dialect].all(sql, values))
      const types = new Map<number, Set<string>>()
      for (const { appId, type } of rows) {
        const found = types.get(appId)
        if (found) found.add(type)
        else types.set(appId, new Set([type]))
      }
      const last = rows.at(-1)
      const next = last ? { tx: last.tx, id: last.id } : after
      return { types, next, atEnd: rows.length < LOOKED_AT }
    },

    /** The end of the log: events that are stored from now on come after it. */
    async end(): Promise<Position> {
      return (await boundsOf(undefined)).end
    },

    /** The time at which the first event after a position was received (ms); undefined when there is none. */
    async receivedAfter(appId: number | undefined, after: Position): Promise<number | undefined> {
      const [first] = await scan(appId, after, 1)
      if (!first) return undefined
      const row = await sql<{ id: number; received_at: number }>('events').where({ id: first.id }).first('received_at')
      return row?.received_at
    },

    /**
     * Moves the log on, so that events that are stored from now on come after every cursor that was ever answered. Call
     * it when the database was restored from a backup: readers may know positions that the log has not reached yet.
     */
    async jump(): Promise<void> {
      if (!isPostgres(sql)) {
        // The column has no type, and the driver hands over such a number as REAL.
        const jump = sql.raw('CAST(? AS INTEGER)', [JUMP])
        const seq = sql.raw('CAST(seq AS INTEGER) + CAST(? AS INTEGER)', [JUMP])
        const moved = await sql('sqlite_sequence').where({ name: 'events' }).update({ seq })
        if (moved === 0) await sql('sqlite_sequence').insert({ name: 'events', seq: jump })
        return
      }
      // Whoever has drawn a number by the old rule has committed then, and nobody draws one before the new rule is there.
      await sql.raw('LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE')
      const found = (await sql('events').orderBy('tx', 'desc').first('tx')) as { tx: number } | undefined
      const { rows } = (await sql.raw('SELECT event_tx() AS tx')) as { rows: { tx: number }[] }
      const more = Math.max(found?.tx ?? 0, rows[0]!.tx) + JUMP
      for (const [name, kind, number] of [
        ['event_tx', 'VOLATILE', 'pg_current_xact_id()'],
        ['event_horizon', 'STABLE', 'pg_snapshot_xmin(pg_current_snapshot())'],
      ] as const) {
        await sql.raw(`CREATE OR REPLACE FUNCTION ${name}() RETURNS bigint LANGUAGE sql ${kind}
          AS 'SELECT CAST(CAST(${number} AS text) AS bigint) + ${more}'`)
      }
    },
  }
}
