import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { isPostgres, jsonRows, whereAmong } from '../../../platform/db/dialect.ts'
import { zoneOffset } from '../../../platform/zones.ts'
import type { Restraint } from '../../apps/types.ts'
import { remember, suppressionOf, takePermits, withdraw } from './restraint.ts'

/** The rules for one notification: those of its app, and its own rate limit. */
export interface Rules extends Restraint {
  /** Recipients per second; null means no limit. */
  perSecond: number | null
}

/** Recipients to be judged. */
export interface Asked {
  /** Install rows that are about to be begun, ascending. */
  toBegin: readonly number[]
  /** Install rows that were counted at the given time (ms) but not sent to: their count is taken back. */
  withdrawn: ReadonlyMap<number, number>
}

/** Which recipients may be begun. */
export interface Admission {
  /** Install rows that may be sent to now. */
  admitted: Set<number>
  /** Install rows that are suppressed, with their outcome byte. All others wait, because the rate limit is used up. */
  suppressed: Map<number, number>
}

export type Restrainer = ReturnType<typeof restraintRepository>

const DAY_MINUTES = 1440

/**
 * Applies quiet hours, frequency cap and rate limit in the transaction that begins recipients. Cap and rate limit are
 * exact across threads and nodes: the rows they depend on are locked until the commit, always in the same order
 * (docs/decisions/0016-cap-and-crashes.md).
 */
export function restraintRepository(sql: Sql, defaultZone: string) {
  async function rulesOf(notificationId: number): Promise<Rules | undefined> {
    const row = await sql('notifications as n')
      .join('apps as a', 'a.id', 'n.app_id')
      .where('n.id', notificationId)
      .first('n.rate_limit', 'a.quiet_from', 'a.quiet_to', 'a.cap_count', 'a.cap_hours')
    if (!row) return undefined
    const quiet = row.quiet_from === null ? null : { from: row.quiet_from as number, to: row.quiet_to as number }
    const cap = row.cap_count === null ? null : { count: row.cap_count as number, hours: row.cap_hours as number }
    const perSecond = row.rate_limit as number | null
    return quiet || cap || perSecond !== null ? { quiet, cap, perSecond } : undefined
  }

  async function zonesOf(rows: readonly number[]): Promise<Map<number, string | null>> {
    const found: { id: number; timezone: string | null }[] = await whereAmong(sql('installs'), sql, 'id', rows).select(
      'id',
      'timezone',
    )
    return new Map(found.map(({ id, timezone }) => [id, timezone]))
  }

  /**
   * When these installs got their latest notifications, locked until the commit. A missing row cannot be locked, so
   * missing rows are inserted first. Both statements lock rows in ascending order, so that two transactions cannot
   * deadlock. SQLite has one writer and needs no locks.
   */
  async function lockHistory(appId: number, rows: readonly number[]): Promise<Map<number, number[]>> {
    if (isPostgres(sql)) {
      await sql.raw(
        `INSERT INTO send_history (app_id, install_row, sent)
         SELECT ?, given.install_row, '[]' FROM (${jsonRows(sql, ['bigint'])}) AS given (install_row)
         ORDER BY given.install_row
         ON CONFLICT (app_id, install_row) DO NOTHING`,
        [appId, JSON.stringify(rows.map((row) => [row]))],
      )
    }
    const known = whereAmong(sql('send_history').where({ app_id: appId }), sql, 'install_row', rows)
    if (isPostgres(sql)) void known.orderBy('install_row').forNoKeyUpdate()
    const found: { install_row: number; sent: string }[] = await known.select('install_row', 'sent')
    return new Map(found.map(({ install_row, sent }) => [install_row, JSON.parse(sent) as number[]]))
  }

  async function saveHistory(appId: number, sent: ReadonlyMap<number, number[]>): Promise<void> {
    const rows = ascending([...sent.keys()]).map((row) => [row, JSON.stringify(sent.get(row))])
    await sql.raw(
      `INSERT INTO send_history (app_id, install_row, sent)
       SELECT ?, given.* FROM (${jsonRows(sql, ['bigint', 'text'])}) AS given WHERE true
       ON CONFLICT (app_id, install_row) DO UPDATE SET sent = excluded.sent`,
      [appId, JSON.stringify(rows)],
    )
  }

  /** The minute of the local day, computed once per time zone. */
  function minuteOf(now: number): (zone: string | null) => number {
    const minutes = new Map<string, number>()
    return (zone) => {
      const name = zone ?? defaultZone
      let minute = minutes.get(name)
      if (minute === undefined) {
        minute = Math.floor((now + zoneOffset(name, now)) / 60_000) % DAY_MINUTES
        minutes.set(name, minute)
      }
      return minute
    }
  }

  async function permits(notificationId: number, perSecond: number, wanted: number, now: number): Promise<number> {
    const row = await sql('notifications')
      .where({ id: notificationId })
      .modify((q) => {
        if (isPostgres(sql)) q.forNoKeyUpdate()
      })
      .first('rate_at')
    const { granted, usedUntil } = takePermits(perSecond, row.rate_at, wanted, now)
    if (granted > 0) await sql('notifications').where({ id: notificationId }).update({ rate_at: usedUntil })
    return granted
  }

  return {
    /** The rules for a notification; undefined when there are none. */
    rulesOf,

    /**
     * Judges these recipients by the rules that `rulesOf` returned, and counts those that it admits. With a rate limit
     * the caller must have locked the notification's row, which holds the state of the rate.
     */
    async admit(
      { appId, notificationId }: { appId: number; notificationId: number },
      rules: Rules,
      { toBegin: rows, withdrawn }: Asked,
      now: number,
    ): Promise<Admission> {
      const { cap, perSecond } = rules
      const localMinute = minuteOf(now)
      const zones = rules.quiet ? await zonesOf(rows) : new Map<number, string | null>()
      const suppressed = new Map<number, number>()
      const judge = (row: number, sent: readonly number[], by: Restraint) => {
        const slot = suppressionOf(by, { timezone: zones.get(row) ?? null, sent }, now, localMinute)
        if (slot !== undefined) suppressed.set(row, slot)
      }
      for (const row of rows) judge(row, [], { ...rules, cap: null })
      const awake = rows.filter((row) => !suppressed.has(row))

      const counted = cap ? ascending([...awake, ...withdrawn.keys()]) : []
      const history = counted.length > 0 ? await lockHistory(appId, counted) : new Map<number, number[]>()
      const changed = new Map<number, number[]>()
      const sentTo = (row: number) => changed.get(row) ?? history.get(row) ?? []
      if (cap) {
        for (const [row, at] of withdrawn) changed.set(row, withdraw(sentTo(row), at))
        for (const row of awake) judge(row, sentTo(row), { quiet: null, cap })
      }
      const wanted = awake.filter((row) => !suppressed.has(row))
      const granted = perSecond === null ? wanted.length : await permits(notificationId, perSecond, wanted.length, now)
      const admitted = wanted.slice(0, granted)
      if (cap) for (const row of admitted) changed.set(row, remember(sentTo(row), now, cap))
      if (changed.size > 0) await saveHistory(appId, changed)
      return { admitted: new Set(admitted), suppressed }
    },

    /** Deletes the history of at most `limit` installs of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('send_history').where({ app_id: appId }).orderBy('install_row').limit(limit)
      return deleteSome(sql, 'send_history', some)
    },
  }
}

const ascending = (rows: readonly number[]) => [...new Set(rows)].sort((a, b) => a - b)
