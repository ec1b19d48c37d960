import type { Database, Sql } from '../../../platform/db/connect.ts'
import { rowsOf } from '../../../platform/db/dialect.ts'
import { isAppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log/log.ts'
import { failpoint } from '../../../platform/process/failpoints.ts'
import { closeFurther } from './close.ts'
import { forgetFloors, isOld, type Part, partsOf, spanOf } from './parts.ts'

/** The time (ms) for which a step waits for a lock, and others behind it. A step that gets none is tried again. */
const LOCK_MS = 200
/** Number of tries of a step, and the pause between two of them. Then the next round tries. */
const TRIES = 20
const PAUSE_MS = 300
/** A table with fewer events is not divided: deleting them costs less than looking into several tables. */
const FEWEST_EVENTS = 1_000_000
/** An arbitrary key: nodes take turns. */
const ADVISORY_LOCK = 0x65767473

export interface Tending {
  db: Database
  log: Log
  /** The current time (ms). */
  now: number
  /** The time (ms) for which events are kept. */
  retentionMs: number
  /** The number of events from which on a partition is closed (default `FEWEST_EVENTS`). */
  fewest?: number
  /** Number of tries of a step (default `TRIES`). */
  tries?: number
  signal?: AbortSignal | undefined
  sleep(ms: number): Promise<void>
}

/**
 * Drops partitions of `events` whose events are all old, and closes the newest when it has taken events for its time, with
 * the next one behind it. Does nothing on SQLite. What it does is in steps that are whole by themselves; it goes on where it was.
 */
export async function tendPartitions(tending: Tending): Promise<void> {
  const { db, log, now, retentionMs, signal } = tending
  if (db.kind === 'sqlite') return
  for (const part of await oldParts(db.read, now - retentionMs)) {
    if (signal?.aborted) return
    const done = await shortly(tending, async (trx) => {
      // Another node may have come first.
      const [first] = await oldParts(trx, now - retentionMs)
      if (first?.name !== part.name) return
      await noteForgotten(trx, first)
      await trx.raw('DROP TABLE ??', [first.name])
    })
    if (!done) return
    log.info({ partition: part.name, events: Math.max(Math.round(part.rows), 0) }, 'old events were dropped')
  }
  if (!(await isDue(tending, db.read))) return
  let closed: boolean | 'elsewhere' | undefined = false
  while (!closed && !signal?.aborted) {
    closed = await shortly(tending, async (trx) =>
      // Another node may have come first: what is newest then has nothing to be closed for.
      (await isDue(tending, trx)) ? closeFurther(trx) : 'elsewhere',
    )
    // Nobody got out of the way, or another node does it.
    if (closed === undefined) return
    failpoint('events.partition')
  }
  forgetFloors(db.read)
  if (closed === true) log.info({}, 'a partition of events was closed, and the next one was begun')
}

/** The oldest partitions, of which all events were received before a time. */
async function oldParts(sql: Sql, before: number): Promise<Part[]> {
  const parts = await partsOf(sql)
  const fresh = parts.findIndex((part, place) => !parts[place + 1] || !isOld(part, parts[place + 1]!, before))
  return parts.slice(0, fresh)
}

/** Notes the last event of each app in a partition as forgotten. */
async function noteForgotten(sql: Sql, { from, to }: Part): Promise<void> {
  await sql.raw(
    `INSERT INTO forgotten_events (app_id, tx, event_id)
     SELECT apps.id, last.tx, last.id FROM apps CROSS JOIN LATERAL (
       SELECT tx, id FROM events WHERE app_id = apps.id AND id >= ${from} AND id < ${to} ORDER BY tx DESC, id DESC LIMIT 1) AS last
     ORDER BY apps.id
     ON CONFLICT (app_id) DO UPDATE SET tx = excluded.tx, event_id = excluded.event_id
     WHERE (forgotten_events.tx, forgotten_events.event_id) < (excluded.tx, excluded.event_id)`,
  )
}

/** Tells whether the newest partition, or the whole table, has taken events for its time. */
async function isDue({ now, retentionMs, fewest = FEWEST_EVENTS }: Tending, sql: Sql): Promise<boolean> {
  const newest = (await partsOf(sql)).at(-1) ?? (await wholeOf(sql))
  return newest.rows >= fewest && newest.firstAt !== undefined && newest.firstAt < now - spanOf(retentionMs)
}

/** The ordinary table, as if it were the only partition. */
async function wholeOf(sql: Sql): Promise<Pick<Part, 'rows' | 'firstAt'>> {
  const [found] = rowsOf<{ rows: number; firstAt: number | null }>(
    await sql.raw(
      `SELECT reltuples::float AS rows, (SELECT received_at FROM events ORDER BY id LIMIT 1) AS "firstAt"
       FROM pg_class WHERE oid = to_regclass('events')`,
    ),
  )
  return { rows: found!.rows, firstAt: found!.firstAt ?? undefined }
}

/**
 * Runs `work` in a transaction that waits only shortly for locks, again and again until it got them. Returns what `work` does;
 * undefined when there were always others, or another node is at it.
 */
async function shortly<T>(
  { db, sleep, signal, tries = TRIES }: Tending,
  work: (trx: Sql) => Promise<T>,
): Promise<T | true | undefined> {
  for (let left = tries; left > 0 && !signal?.aborted; left--) {
    try {
      return await db.write(async (trx) => {
        const mine = await trx.raw(`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS mine`)
        if (!rowsOf<{ mine: boolean }>(mine)[0]!.mine) return undefined
        await trx.raw(`SET LOCAL lock_timeout = ${LOCK_MS}`)
        return (await work(trx)) ?? true
      })
    } catch (error) {
      if (!isAppError(error) || error.code !== 'unavailable') throw error
    }
    await sleep(PAUSE_MS)
  }
  return undefined
}
