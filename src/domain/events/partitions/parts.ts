import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../../platform/db/dialect.ts'

/** The number of ids that one partition has at its disposal. No partition comes near it, and 2^53 has room for 130 000 of them. */
export const STRIDE = 2 ** 36

const DAY_MS = 86_400_000

/** A partition of the table `events` on PostgreSQL: a range of ids (docs/decisions/0129-partitions-of-events.md). */
interface Range {
  /** The name of its table. */
  name: string
  /** The first id of the range; 0 for the oldest partition. */
  from: number
  /** The first id behind the range; undefined for the newest partition, which has no end. */
  to: number | undefined
  /** The estimate of PostgreSQL. */
  rows: number
}

/** A partition with what it has inside: members are undefined when it is empty. */
export interface Part extends Range {
  /** The times at which its first and its last event were received (ms). */
  firstAt: number | undefined
  lastAt: number | undefined
  /** The highest number of a transaction that stored an event in it. */
  lastTx: number | undefined
}

/** `FOR VALUES FROM (MINVALUE) TO ('68719476736')`, as PostgreSQL writes it. */
const BOUNDS = /FROM \('?(\w+)'?\) TO \('?(\w+)'?\)/

/** The partitions of `events`, oldest first. Empty while it is an ordinary table, as on SQLite always. */
async function rangesOf(sql: Sql): Promise<Range[]> {
  if (!isPostgres(sql)) return []
  const found = await sql.raw(
    `SELECT c.relname AS name, c.reltuples::float AS rows, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = to_regclass('events')`,
  )
  return rowsOf<{ name: string; rows: number; bounds: string | null }>(found)
    .flatMap(({ name, rows, bounds }) => {
      const [, from, to] = BOUNDS.exec(bounds ?? '') ?? []
      if (from === undefined || to === undefined) return []
      return {
        name,
        rows,
        from: from === 'MINVALUE' ? 0 : Number(from),
        to: to === 'MAXVALUE' ? undefined : Number(to),
      }
    })
    .sort((a, b) => a.from - b.from)
}

/** Reads what partitions have inside. By ranges of the whole table: one that is dropped meanwhile is empty, and no error. */
async function insides(sql: Sql, ranges: readonly Range[]): Promise<Part[]> {
  if (ranges.length === 0) return []
  const selects = ranges.map(({ from, to }, place) => {
    const where = `FROM events WHERE id >= ${from}${to === undefined ? '' : ` AND id < ${to}`}`
    return `SELECT ${place} AS place, (SELECT received_at ${where} ORDER BY id LIMIT 1) AS "firstAt",
      (SELECT received_at ${where} ORDER BY id DESC LIMIT 1) AS "lastAt",
      (SELECT tx ${where} ORDER BY tx DESC, id DESC LIMIT 1) AS "lastTx"`
  })
  const found = rowsOf<{ place: number } & Record<'firstAt' | 'lastAt' | 'lastTx', number | null>>(
    await sql.raw(selects.join(' UNION ALL ')),
  )
  return found.map(({ place, firstAt, lastAt, lastTx }) => ({
    ...ranges[place]!,
    firstAt: firstAt ?? undefined,
    lastAt: lastAt ?? undefined,
    lastTx: lastTx ?? undefined,
  }))
}

/** The partitions of `events`, oldest first, with what they have inside. Empty while it is an ordinary table. */
export async function partsOf(sql: Sql): Promise<Part[]> {
  return insides(sql, await rangesOf(sql))
}

/** The time (ms) for which a partition takes events: a 24th of what events are kept, and a day at least. */
export const spanOf = (retentionMs: number): number => DAY_MS * Math.max(1, Math.ceil(retentionMs / DAY_MS / 24))

/**
 * Tells whether a partition has events of so long a time that its old ones are deleted row by row: a table that was ordinary for
 * years. Others wait until all of their events are old.
 */
export function isWide({ firstAt, lastAt }: Part, span: number): boolean {
  return firstAt !== undefined && lastAt !== undefined && lastAt - firstAt > 2 * span
}

/**
 * Tells whether all events of a partition were received before a time, by its first and its last event and the one behind them. Two of
 * the three decide: the clock of the node that received one of them may have been wrong, by years and in either direction.
 */
export function isOld(
  { firstAt, lastAt }: Pick<Part, 'firstAt' | 'lastAt'>,
  next: Pick<Part, 'firstAt'>,
  before: number,
) {
  const times = [firstAt ?? -Infinity, lastAt ?? -Infinity, next.firstAt ?? Infinity]
  return times.filter((at) => at < before).length > 1
}

/** The first ids from which a look into `events` has to begin. */
export interface Floors {
  /** For events with this uuid that were stored before: an event of the time `at` (ms, as its sender says). */
  ofTime(at: number): number
  /** For events behind this position of the log. */
  ofPosition(tx: number): number
}

/**
 * The time (ms) by which the clock of a device may be ahead. An event is looked for among those received since its own time and
 * this much before it.
 */
const AHEAD_MS = 2 * DAY_MS

export function floorsOf(parts: readonly Part[]): Floors {
  return {
    ofTime(at) {
      const found = parts.findLastIndex(({ firstAt }, place) => {
        const begun = Math.max(firstAt ?? Infinity, parts[place - 1]?.lastAt ?? 0)
        return begun <= at - AHEAD_MS
      })
      return found <= 0 ? 0 : parts[found]!.from
    },
    ofPosition(tx) {
      const found = parts.findIndex(({ to, lastTx }) => to === undefined || (lastTx !== undefined && lastTx >= tx))
      return found <= 0 ? 0 : parts[found]!.from
    },
  }
}

/** The time (ms) for which a process believes what it read. Older floors are lower, so they are right, and cost more. */
const BELIEVED_MS = 30_000

interface Believed {
  until: number
  /** The partitions that have an end, by their first id: no event comes into them any more. */
  closed: Map<number, Part>
  floors: Floors
}

/** The partitions that this process has read, by database. A transaction has the settings of its database, and a client of its own. */
const believed = new WeakMap<object, Believed>()

/** The floors of a database, at most half a minute old. */
export async function floors(sql: Sql): Promise<Floors> {
  const database = sql.client.config as object
  const known = believed.get(database)
  if (known && performance.now() < known.until) return known.floors
  const ranges = await rangesOf(sql)
  const fresh = await insides(
    sql,
    ranges.filter(({ from }) => !known?.closed.has(from)),
  )
  const parts = ranges.flatMap(({ from }) => known?.closed.get(from) ?? fresh.find((part) => part.from === from) ?? [])
  const closed = new Map(parts.filter(({ to }) => to !== undefined).map((part) => [part.from, part]))
  const found: Believed = { until: performance.now() + BELIEVED_MS, closed, floors: floorsOf(parts) }
  believed.set(database, found)
  return found.floors
}

/** Makes this process read the partitions anew. */
export function forgetFloors(sql: Sql): void {
  believed.delete(sql.client.config as object)
}
