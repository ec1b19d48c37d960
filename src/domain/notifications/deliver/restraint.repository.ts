import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { isPostgres, jsonRows, whereAmong } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import { isZone, zoneOffset } from '../../../platform/time/zones.ts'
import { quietOf } from '../../apps/repository.ts'
import type { Restraint } from '../../apps/types.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { ConsentRules } from '../../consent/types.ts'
import { nextMinuteOfDay } from '../../schedules/schedule.ts'
import { SLOT } from '../record/page.ts'
import { reasonToLeaveOut, remember, takePermits, withdraw } from './restraint.ts'

/** The rules for one notification: those of its app, what its users allow, and its own rate limit. */
export interface Rules extends Restraint {
  /** Recipients per second; null means no limit. */
  perSecond: number | null
  /** The questions to ask about each user; undefined means none. */
  consent: ConsentRules | undefined
  /** When the notification expires for all recipients (ms). */
  expiresAt: number
}

/** Recipients to be judged. */
export interface Asked {
  /** Install rows that are about to be begun, ascending. */
  toBegin: readonly number[]
  /**
   * Install rows that were tried before. Quiet hours, cap and rate have judged them; what their users allow is asked
   * again.
   */
  again: readonly number[]
  /** The other waiting install rows of the pages of `toBegin`: those in quiet hours can be held together with them. */
  others(): readonly number[]
  /** Install rows that were counted at the given time (ms) but not sent to: their count is taken back. */
  withdrawn: ReadonlyMap<number, number>
}

/** Recipients that may be begun. */
export interface Admission {
  /** Install rows that may be sent to now. */
  admitted: Set<number>
  /** Install rows that are left out, with their outcome byte. All others wait, because the rate limit is used up. */
  leftOut: Map<number, number>
  /** Install rows in quiet hours that are held, and when these end (ms). */
  held: Map<number, number>
}

interface RulesRow {
  app_id: number
  rate_limit: number | null
  expires_at: number
  purpose: string | null
  transactional: boolean | number
  quiet_from: number | null
  quiet_to: number | null
  quiet_then: string | null
  cap_count: number | null
  cap_hours: number | null
  suppressing: boolean | number
}

const RULES_OF = prepared<{ notificationId: number }, RulesRow>(
  `SELECT n.app_id, n.rate_limit, n.expires_at, n.purpose, n.transactional,
     a.quiet_from, a.quiet_to, a.quiet_then, a.cap_count, a.cap_hours,
     (EXISTS (SELECT 1 FROM suppressions AS s WHERE s.app_id = n.app_id)) AS suppressing
   FROM notifications AS n JOIN apps AS a ON a.id = n.app_id WHERE n.id = :notificationId LIMIT 1`,
)

export type Restrainer = ReturnType<typeof restraintRepository>

const DAY_MINUTES = 1440

/**
 * Applies consent, quiet hours, frequency cap and rate limit in the transaction that begins recipients. Cap and rate limit are
 * exact across threads and nodes: the rows they depend on are locked until the commit, always in the same order
 * (docs/decisions/0016-cap-and-crashes.md).
 * Tables: docs/reference/schema.md#installs, #notifications, #send_history.
 */
export function restraintRepository(
  sql: Sql,
  defaultZone: string,
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'installs'>,
) {
  async function rulesOf(notificationId: number): Promise<Rules | undefined> {
    const row = await RULES_OF.first(sql, { notificationId })
    if (!row) return undefined
    const transactional = Boolean(row.transactional)
    const send = { purpose: row.purpose, transactional }
    const consent = await refusals.rulesOf(row.app_id, send, Boolean(row.suppressing))
    const hasCap = row.cap_count !== null && !transactional
    const cap = hasCap ? { count: row.cap_count!, hours: row.cap_hours! } : null
    const quiet = transactional ? null : quietOf(row)
    const perSecond = row.rate_limit
    if (!quiet && !cap && perSecond === null && !consent) return undefined
    return { quiet, cap, perSecond, consent, expiresAt: row.expires_at }
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

  /** The default zone stands in for none, and for one that this server has no rules for. */
  const nameOf = (zone: string | null) => (zone !== null && isZone(zone) ? zone : defaultZone)

  /** The minute of the local day, computed once per time zone. */
  function minuteOf(now: number): (zone: string | null) => number {
    const minutes = new Map<string, number>()
    return (zone) => {
      const name = nameOf(zone)
      let minute = minutes.get(name)
      if (minute === undefined) {
        minute = Math.floor((now + zoneOffset(name, now)) / 60_000) % DAY_MINUTES
        minutes.set(name, minute)
      }
      return minute
    }
  }

  /** Of these recipients those whose users do not allow it, with their outcome bytes. */
  async function refusing(appId: number, { consent }: Rules, rows: readonly number[]): Promise<Map<number, number>> {
    if (!consent) return new Map()
    const refused = await refusals.installs(appId, consent, rows)
    return new Map([...refused].map(([row, why]) => [row, SLOT[why]]))
  }

  /**
   * The recipients of these who are in quiet hours, and when these end (ms), in the time zones where the installs are
   * now.
   */
  async function inQuietHours(
    quiet: Rules['quiet'],
    rows: readonly number[],
    now: number,
  ): Promise<Map<number, number>> {
    const found = new Map<number, number>()
    if (!quiet || rows.length === 0) return found
    const localMinute = minuteOf(now)
    const ends = new Map<string, number>()
    for (const [row, timezone] of await zonesOf(rows)) {
      if (reasonToLeaveOut({ quiet, cap: null }, { timezone, sent: [] }, now, localMinute) === undefined) continue
      const zone = nameOf(timezone)
      if (!ends.has(zone)) ends.set(zone, nextMinuteOfDay(quiet.to, zone, now))
      found.set(row, ends.get(zone)!)
    }
    return found
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
      { toBegin: rows, again, others, withdrawn }: Asked,
      now: number,
    ): Promise<Admission> {
      const { cap, quiet, perSecond } = rules
      const leftOut = await refusing(appId, rules, [...rows, ...again])
      const left = rows.filter((row) => !leftOut.has(row))
      const resting = await inQuietHours(quiet, left, now)
      const held = new Map<number, number>()
      if (quiet?.hold) {
        const all = resting.size > 0 ? [resting, await inQuietHours(quiet, others(), now)] : []
        for (const some of all) for (const [row, until] of some) held.set(row, until)
      } else for (const row of resting.keys()) leftOut.set(row, SLOT.quiet_hours)
      const awake = left.filter((row) => !resting.has(row))

      const counted = cap ? ascending([...awake, ...withdrawn.keys()]) : []
      const history = counted.length > 0 ? await lockHistory(appId, counted) : new Map<number, number[]>()
      const changed = new Map<number, number[]>()
      const sentTo = (row: number) => changed.get(row) ?? history.get(row) ?? []
      if (cap) {
        for (const [row, at] of withdrawn) changed.set(row, withdraw(sentTo(row), at))
        for (const row of awake) {
          const slot = reasonToLeaveOut({ quiet: null, cap }, { timezone: null, sent: sentTo(row) }, now, () => 0)
          if (slot !== undefined) leftOut.set(row, slot)
        }
      }
      const wanted = awake.filter((row) => !leftOut.has(row))
      const granted = perSecond === null ? wanted.length : await permits(notificationId, perSecond, wanted.length, now)
      const admitted = wanted.slice(0, granted)
      if (cap) for (const row of admitted) changed.set(row, remember(sentTo(row), now, cap))
      if (changed.size > 0) await saveHistory(appId, changed)
      const tried = again.filter((row) => !leftOut.has(row))
      return { admitted: new Set([...admitted, ...tried]), leftOut, held }
    },

    /** Deletes the history of at most `limit` installs of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('send_history').where({ app_id: appId }).orderBy('install_row').limit(limit)
      return deleteSome(sql, 'send_history', some)
    },
  }
}

const ascending = (rows: readonly number[]) => [...new Set(rows)].sort((a, b) => a - b)
