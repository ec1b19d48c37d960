import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { among, isPostgres, jsonRows, type List, listOf, unindexed, whereAmong } from '../../../platform/db/dialect.ts'
import { preparedPlan } from '../../../platform/db/prepared.ts'
import { isZone, zoneOffset } from '../../../platform/time/zones.ts'
import { quietOf } from '../../apps/repository.ts'
import type { Restraint } from '../../apps/types.ts'
import { ascending } from '../../audience/target.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { ConsentRules } from '../../consent/types.ts'
import { nextMinuteOfDay } from '../../schedules/schedule.ts'
import { lockFor, type StatusLock, statusLock } from '../record/messages.repository.ts'
import { SLOT } from '../record/page.ts'
import { reasonToLeaveOut, remember, takePermits, withdraw } from './restraint.ts'

/** The rules for one notification: those of its app, what its users allow, and its own rate limit. */
export interface Rules extends Restraint {
  /** Recipients per second; null means no limit. */
  perSecond: number | null
  /** The questions to ask about each user; undefined means none. */
  consent: ConsentRules | undefined
  /** Time at which the notification expires for all recipients (ms). */
  expiresAt: number
}

/** Recipients of a notification to be judged, by the rules that `rulesOf` returned for it. */
export interface Asked {
  notificationId: number
  rules: Rules
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
  id: number
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
}

/**
 * Asks for the order of the key: without it PostgreSQL takes a table that was small when this was planned for one to scan. With a lock,
 * it also tells the status, and locks as `statusesOf` does.
 */
const rulesWith = (lock?: StatusLock) =>
  preparedPlan<{ appId: number; ids: List }, RulesRow & { status: number }>(
    (kind) =>
      `SELECT n.id, n.app_id, n.rate_limit, n.expires_at, n.purpose, n.transactional,
         a.quiet_from, a.quiet_to, a.quiet_then, a.cap_count, a.cap_hours${lock === undefined ? '' : ', n.status'}
       FROM notifications AS n JOIN apps AS a ON a.id = n.app_id
       WHERE ${among(kind, 'n.id', 'ids')} AND ${unindexed('n.app_id')} = :appId ORDER BY n.id ${statusLock(lock, 'n')}`,
  )
const RULES_OF = rulesWith()
const RULES_AND_STATUSES = {
  plain: rulesWith('plain'),
  shared: rulesWith('shared'),
  closing: rulesWith('closing'),
}

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
  function toRules(row: RulesRow, consent: ConsentRules | undefined): Rules | undefined {
    const transactional = Boolean(row.transactional)
    const hasCap = row.cap_count !== null && !transactional
    const cap = hasCap ? { count: row.cap_count!, hours: row.cap_hours! } : null
    const quiet = transactional ? null : quietOf(row)
    const perSecond = row.rate_limit
    if (!quiet && !cap && perSecond === null && !consent) return undefined
    return { quiet, cap, perSecond, consent, expiresAt: row.expires_at }
  }

  /** The rules of notifications of an app, by id; those without any are missing. */
  const rulesOf = async (appId: number, ids: readonly number[]): Promise<Map<number, Rules>> =>
    rulesFrom(await RULES_OF.all(sql, { appId, ids: listOf(sql, ids) }))

  /** `rulesOf` and `statusesOf` of the ledger in one statement. Those that were deleted meanwhile are missing in both. */
  async function rulesAndStatusesOf(
    appId: number,
    ids: readonly number[],
    closing: boolean,
  ): Promise<{ rules: Map<number, Rules>; statuses: Map<number, number> }> {
    const rows = await RULES_AND_STATUSES[lockFor(sql, closing)].all(sql, { appId, ids: listOf(sql, ids) })
    return { rules: await rulesFrom(rows), statuses: new Map(rows.map(({ id, status }) => [id, status])) }
  }

  async function rulesFrom(rows: readonly RulesRow[]): Promise<Map<number, Rules>> {
    const found = new Map<number, Rules>()
    /** The questions to users, by purpose: most notifications of a list have the same. */
    const asked = new Map<string, ConsentRules | undefined>()
    for (const row of rows) {
      const send = { purpose: row.purpose, transactional: Boolean(row.transactional) }
      const key = JSON.stringify([row.app_id, send])
      if (!asked.has(key)) asked.set(key, await refusals.rulesOf(row.app_id, send))
      const rules = toRules(row, asked.get(key))
      if (rules) found.set(row.id, rules)
    }
    return found
  }

  async function zonesOf(rows: readonly number[]): Promise<Map<number, string | null>> {
    const found: { id: number; timezone: string | null }[] = await whereAmong(sql('installs'), sql, 'id', rows).select(
      'id',
      'timezone',
    )
    return new Map(found.map(({ id, timezone }) => [id, timezone]))
  }

  /**
   * Times at which these installs got their latest notifications, locked until the commit. A missing row cannot be locked, so
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

  /** Finds the recipients of each notification whose users do not allow it, with their outcome bytes. */
  async function refusing(appId: number, asked: readonly Asked[]): Promise<Map<number, number>[]> {
    /** Notifications that ask their users the same are looked up together. */
    const groups = Map.groupBy(asked, ({ rules }) => rules.consent && JSON.stringify(rules.consent))
    const refused = new Map<string, Map<number, number>>()
    for (const [key, some] of groups) {
      if (key === undefined) continue
      const rows = ascending(some.flatMap(({ toBegin, again }) => [...toBegin, ...again]))
      const found = await refusals.installs(appId, some[0]!.rules.consent!, rows)
      refused.set(key, new Map([...found].map(([row, why]) => [row, SLOT[why]])))
    }
    return asked.map(({ rules: { consent }, toBegin, again }) => {
      const found = consent && refused.get(JSON.stringify(consent))
      if (!found || found.size === 0) return new Map()
      return new Map([...toBegin, ...again].flatMap((row) => (found.has(row) ? [[row, found.get(row)!]] : [])))
    })
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

  /**
   * Times at which the recipients of capped notifications got their latest ones: read and locked for all of them at once, in the order of
   * their rows, and brought up to date notification by notification.
   */
  async function countsOf(
    appId: number,
    asked: readonly Asked[],
    left: readonly (readonly number[])[],
    resting: ReadonlyMap<number, number>,
  ) {
    const counted = ascending(
      asked.flatMap(({ rules, withdrawn }, i) => {
        if (!rules.cap) return []
        const awake = rules.quiet ? left[i]!.filter((row) => !resting.has(row)) : left[i]!
        return [...awake, ...withdrawn.keys()]
      }),
    )
    const history = counted.length > 0 ? await lockHistory(appId, counted) : new Map<number, number[]>()
    const changed = new Map<number, number[]>()
    const sentTo = (row: number) => changed.get(row) ?? history.get(row) ?? []
    for (const { rules, withdrawn } of asked) {
      if (rules.cap) for (const [row, at] of withdrawn) changed.set(row, withdraw(sentTo(row), at))
    }
    return {
      /** Returns the rows that have not had their share; the others are left out. */
      judge(cap: Rules['cap'], rows: readonly number[], leftOut: Map<number, number>, now: number): readonly number[] {
        if (!cap) return rows
        return rows.filter((row) => {
          const slot = reasonToLeaveOut({ quiet: null, cap }, { timezone: null, sent: sentTo(row) }, now, () => 0)
          if (slot !== undefined) leftOut.set(row, slot)
          return slot === undefined
        })
      },
      add(cap: Rules['cap'], rows: readonly number[], now: number): void {
        if (cap) for (const row of rows) changed.set(row, remember(sentTo(row), now, cap))
      },
      save: async () => {
        if (changed.size > 0) await saveHistory(appId, changed)
      },
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

  /** Finds recipients in quiet hours. The rules of an app are the same for all of its notifications that keep them. */
  async function resting(asked: readonly Asked[], left: readonly (readonly number[])[], now: number) {
    const quiet = asked.find(({ rules }) => rules.quiet)?.rules.quiet ?? null
    const rows = ascending(asked.flatMap(({ rules }, i) => (rules.quiet ? left[i]! : [])))
    const found = await inQuietHours(quiet, rows, now)
    const others =
      quiet?.hold && found.size > 0 ? ascending(asked.flatMap((one) => (one.rules.quiet ? one.others() : []))) : []
    return { quiet, found, others: await inQuietHours(quiet, others, now) }
  }

  return {
    rulesOf,
    rulesAndStatusesOf,

    /**
     * Judges recipients of an app's notifications, and counts those that it admits: an admission for each notification, in their
     * order. With a rate limit the caller must have locked the notification's row, which holds the state of the rate.
     */
    async admit(appId: number, asked: readonly Asked[], now: number): Promise<Admission[]> {
      const leftOut = await refusing(appId, asked)
      const left = asked.map(({ toBegin }, i) => toBegin.filter((row) => !leftOut[i]!.has(row)))
      const { quiet, found, others } = await resting(asked, left, now)
      const counts = await countsOf(appId, asked, left, found)
      const admissions: Admission[] = []
      for (const [i, one] of asked.entries()) {
        const { rules, again } = one
        const isQuiet = rules.quiet !== null
        const held = new Map<number, number>()
        if (isQuiet && quiet!.hold) {
          for (const row of [...left[i]!, ...(others.size > 0 ? one.others() : [])]) {
            const until = found.get(row) ?? others.get(row)
            if (until !== undefined) held.set(row, until)
          }
        } else if (isQuiet) for (const row of left[i]!) if (found.has(row)) leftOut[i]!.set(row, SLOT.quiet_hours)
        const awake = isQuiet ? left[i]!.filter((row) => !found.has(row)) : left[i]!
        const wanted = counts.judge(rules.cap, awake, leftOut[i]!, now)
        const granted =
          rules.perSecond === null
            ? wanted.length
            : await permits(one.notificationId, rules.perSecond, wanted.length, now)
        const admitted = wanted.slice(0, granted)
        counts.add(rules.cap, admitted, now)
        const tried = again.filter((row) => !leftOut[i]!.has(row))
        admissions.push({ admitted: new Set([...admitted, ...tried]), leftOut: leftOut[i]!, held })
      }
      await counts.save()
      return admissions
    },

    /** Deletes the history of at most `limit` installs of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('send_history').where({ app_id: appId }).orderBy('install_row').limit(limit)
      return deleteSome(sql, 'send_history', some)
    },
  }
}
