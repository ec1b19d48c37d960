import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { zoneOffset } from '../../platform/zones.ts'
import { remember, suppressionOf, takePermits } from './restraint.ts'

/** What restraint says of recipients that are about to be begun. */
export interface Admission {
  /** Rows that may be sent to now. */
  admitted: Set<number>
  /** Rows that are left out, with their outcome byte. The rest waits: the rate limit is used up. */
  suppressed: Map<number, number>
}

export type Restrainer = ReturnType<typeof restraintRepository>

const DAY_MINUTES = 1440

/** Quiet hours, frequency cap and rate limit at work, inside the transaction that begins recipients: exact over threads and nodes. */
export function restraintRepository(sql: Sql, defaultZone: string) {
  async function rulesOf(notificationId: number) {
    const row = await sql('notifications as n')
      .join('apps as a', 'a.id', 'n.app_id')
      .where('n.id', notificationId)
      .first('n.rate_limit', 'a.quiet_from', 'a.quiet_to', 'a.cap_count', 'a.cap_hours')
    if (!row) return undefined
    const quiet = row.quiet_from === null ? null : { from: row.quiet_from as number, to: row.quiet_to as number }
    const cap = row.cap_count === null ? null : { count: row.cap_count as number, hours: row.cap_hours as number }
    return { quiet, cap, perSecond: row.rate_limit as number | null }
  }

  async function zonesOf(rows: readonly number[]): Promise<Map<number, string | null>> {
    const found: { id: number; timezone: string | null }[] = await whereAmong(sql('installs'), sql, 'id', rows).select(
      'id',
      'timezone',
    )
    return new Map(found.map(({ id, timezone }) => [id, timezone]))
  }

  async function historyOf(appId: number, rows: readonly number[]): Promise<Map<number, number[]>> {
    const found: { install_row: number; sent: string }[] = await whereAmong(
      sql('send_history').where({ app_id: appId }),
      sql,
      'install_row',
      rows,
    ).select('install_row', 'sent')
    return new Map(found.map(({ install_row, sent }) => [install_row, JSON.parse(sent) as number[]]))
  }

  async function saveHistory(appId: number, sent: readonly (readonly [row: number, times: number[]])[]): Promise<void> {
    const rows = sent.map(([row, times]) => [row, JSON.stringify(times)])
    await sql.raw(
      `INSERT INTO send_history (app_id, install_row, sent)
       SELECT ?, given.* FROM (${jsonRows(sql, ['bigint', 'text'])}) AS given WHERE true
       ON CONFLICT (app_id, install_row) DO UPDATE SET sent = excluded.sent`,
      [appId, JSON.stringify(rows)],
    )
  }

  async function permits(notificationId: number, perSecond: number, wanted: number, now: number): Promise<number> {
    const row = await sql('notifications')
      .where({ id: notificationId })
      .modify((q) => {
        if (isPostgres(sql)) q.forUpdate()
      })
      .first('rate_at')
    const { granted, usedUntil } = takePermits(perSecond, row.rate_at, wanted, now)
    if (granted > 0) await sql('notifications').where({ id: notificationId }).update({ rate_at: usedUntil })
    return granted
  }

  return {
    /** Decides about these recipients, and counts those it lets through. `rows` ascending; undefined when nothing is set. */
    async admit(
      appId: number,
      notificationId: number,
      rows: readonly number[],
      now: number,
    ): Promise<Admission | undefined> {
      const rules = await rulesOf(notificationId)
      if (!rules || (!rules.quiet && !rules.cap && rules.perSecond === null)) return undefined
      const zones = rules.quiet ? await zonesOf(rows) : new Map<number, string | null>()
      const history = rules.cap ? await historyOf(appId, rows) : new Map<number, number[]>()
      const minutes = new Map<string, number>()
      const localMinute = (zone: string | null) => {
        const name = zone ?? defaultZone
        if (!minutes.has(name)) {
          minutes.set(name, Math.floor((now + zoneOffset(name, now)) / 60_000) % DAY_MINUTES)
        }
        return minutes.get(name)!
      }

      const suppressed = new Map<number, number>()
      for (const row of rows) {
        const recipient = { timezone: zones.get(row) ?? null, sent: history.get(row) ?? [] }
        const slot = suppressionOf(rules, recipient, now, localMinute)
        if (slot !== undefined) suppressed.set(row, slot)
      }
      const wanted = rows.filter((row) => !suppressed.has(row))
      const granted =
        rules.perSecond === null ? wanted.length : await permits(notificationId, rules.perSecond, wanted.length, now)
      const admitted = wanted.slice(0, granted)
      const { cap } = rules
      if (cap && admitted.length > 0) {
        await saveHistory(
          appId,
          admitted.map((row) => [row, remember(history.get(row) ?? [], now, cap)] as const),
        )
      }
      return { admitted: new Set(admitted), suppressed }
    },

    /** Deletes what at most `limit` installs of an app were sent lately; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('send_history').where({ app_id: appId }).orderBy('install_row').limit(limit)
      return deleteSome(sql, 'send_history', some)
    },
  }
}
