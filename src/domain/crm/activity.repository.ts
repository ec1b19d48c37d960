import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, jsonRows, rowLock, rowsOf, unindexed, whereIds } from '../../platform/db/dialect.ts'
import type { ActiveHours } from './active-hours.ts'

/** The stored activity of a user. */
export interface KnownActivity {
  installRow: number
  identifier: string
  userId: number
  /** Time zone of the install. */
  timezone: string | null
  preferredHour: number
  hours: ActiveHours | undefined
}

interface ActivityRow {
  install_row: number
  identifier: string
  user_id: number
  timezone: string | null
  period: number | null
  last_hour: number
  counts: string
  preferred_hour: number | null
}

export type ActivityRepository = ReturnType<typeof activityRepository>

export function activityRepository(sql: Sql) {
  /**
   * Stores the preferred hours with the installs of these users. Installs that another transaction has locked are
   * skipped: that transaction sets the hour, or the next event does. Each user is given once.
   */
  async function placeInstalls(
    appId: number,
    list: readonly { userId: number; preferredHour: number }[],
    now: number,
  ): Promise<void> {
    if (list.length === 0) return
    await sql.raw(
      `WITH given (user_id, hour) AS (${jsonRows(sql, ['bigint', 'bigint'], list.length)}),
       found AS MATERIALIZED (
         SELECT installs.id, given.hour FROM given CROSS JOIN installs
         WHERE ${unindexed('installs.app_id')} = ? AND installs.user_id = given.user_id AND installs.preferred_hour <> given.hour
         ${rowLock(sql, 'installs', 'skip locked')})
       UPDATE installs SET preferred_hour = found.hour, zone_changed_at = ? FROM found WHERE installs.id = found.id`,
      [JSON.stringify(list.map(({ userId, preferredHour }) => [userId, preferredHour])), appId, now],
    )
  }

  return {
    /** The activity of these users on these installs. Unknown users are left out. */
    async find(appId: number, list: readonly { installRow: number; identifier: string }[]): Promise<KnownActivity[]> {
      // CROSS JOIN fixes the join order in SQLite: it looks up each of the few given rows.
      const found = await sql.raw(
        `WITH given (install_row, identifier) AS (${jsonRows(sql, ['bigint', 'text'], list.length)})
         SELECT given.install_row, given.identifier, users.id AS user_id,
           (SELECT timezone FROM installs WHERE installs.id = given.install_row) AS timezone,
           hours.period, hours.last_hour, hours.counts, hours.preferred_hour
         FROM given CROSS JOIN users LEFT JOIN active_hours hours ON hours.user_id = users.id
         WHERE users.app_id = ? AND users.identifier = given.identifier`,
        [JSON.stringify(list.map(({ installRow, identifier }) => [installRow, identifier])), appId],
      )
      return rowsOf<ActivityRow>(found).map((row) => {
        const { period, last_hour: lastHour, counts } = row
        return {
          installRow: row.install_row,
          identifier: row.identifier,
          userId: row.user_id,
          timezone: row.timezone,
          preferredHour: row.preferred_hour ?? -1,
          hours: period === null ? undefined : { period, lastHour, counts: JSON.parse(counts) as number[][] },
        }
      })
    },

    /** Each user is given once. */
    async store(
      appId: number,
      list: readonly { userId: number; hours: ActiveHours; preferredHour: number }[],
    ): Promise<void> {
      if (list.length === 0) return
      const lines = list.map(({ userId, hours, preferredHour }) => [
        userId,
        appId,
        hours.period,
        hours.lastHour,
        JSON.stringify(hours.counts),
        preferredHour,
      ])
      await sql.raw(
        `INSERT INTO active_hours (user_id, app_id, period, last_hour, counts, preferred_hour)
         ${jsonRows(sql, ['bigint', 'bigint', 'bigint', 'bigint', 'text', 'bigint'])}
         ON CONFLICT (user_id) DO UPDATE SET period = excluded.period, last_hour = excluded.last_hour,
           counts = excluded.counts, preferred_hour = excluded.preferred_hour`,
        [JSON.stringify(lines)],
      )
    },

    placeInstalls,

    /** The hour that most users of the app prefer; undefined when none has a history. */
    async usualHour(appId: number): Promise<number | undefined> {
      const row: { preferred_hour: number } | undefined = await sql('active_hours')
        .where({ app_id: appId })
        .groupBy('preferred_hour')
        .orderByRaw('COUNT(*) DESC, preferred_hour')
        .first('preferred_hour')
      return row?.preferred_hour
    },

    /**
     * Deletes the activity of at most `limit` users who were inactive since the period `oldest`, the longest inactive
     * first. Rows that another transaction has locked are skipped. Returns how many were deleted.
     */
    async forget(oldest: number, limit: number, now: number): Promise<number> {
      const rows: { user_id: number; app_id: number }[] = await sql('active_hours')
        .where('period', '<', oldest)
        .orderBy('period')
        .limit(limit)
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate().skipLocked()
        })
        .select('user_id', 'app_id')
      for (const [appId, some] of Map.groupBy(rows, (row) => row.app_id)) {
        const users = some.map((row) => row.user_id)
        await placeInstalls(
          appId,
          users.map((userId) => ({ userId, preferredHour: -1 })),
          now,
        )
        await whereIds(sql('active_hours'), sql, appId, users, { column: 'user_id' }).delete()
      }
      return rows.length
    },
  }
}
