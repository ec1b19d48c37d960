import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, jsonRows, unindexed, whereIds } from '../../../platform/db/dialect.ts'
import { prepared, preparedLookUp } from '../../../platform/db/prepared.ts'
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

/**
 * The statements for SQLite, where a short one for each user takes less time than one for all of them. Joins would be planned again
 * each time, because of their bound values (25 µs), so the user is a sub-select.
 */
const LOOK_AT = prepared<{ appId: number; installRow: number; identifier: string }, ActivityRow>(
  `SELECT :installRow AS install_row, :identifier AS identifier, user_id,
     (SELECT timezone FROM installs WHERE installs.id = :installRow) AS timezone,
     period, last_hour, counts, preferred_hour
   FROM active_hours
   WHERE user_id = (SELECT id FROM users WHERE app_id = :appId AND identifier = :identifier)`,
)
/** The statement for users whose first activity this is. */
const LOOK_AT_NEW = prepared<{ appId: number; installRow: number; identifier: string }, ActivityRow>(
  `SELECT :installRow AS install_row, :identifier AS identifier, id AS user_id,
     (SELECT timezone FROM installs WHERE installs.id = :installRow) AS timezone,
     NULL AS period, NULL AS preferred_hour
   FROM users WHERE app_id = :appId AND identifier = :identifier`,
)
const STORE = prepared<{ appId: number; userId: number; preferredHour: number; counts: string } & HourMarks>(
  `INSERT INTO active_hours (user_id, app_id, period, last_hour, counts, preferred_hour)
   VALUES (:userId, :appId, :period, :lastHour, :counts, :preferredHour)
   ON CONFLICT (user_id) DO UPDATE SET period = excluded.period, last_hour = excluded.last_hour,
     counts = excluded.counts, preferred_hour = excluded.preferred_hour`,
)
/**
 * The installs of a user that have another hour, and an update of one of them. SQLite undoes a statement that changes several rows
 * from copies of their pages, which it makes for every one; a change of a single row needs none.
 */
const ELSEWHERE = prepared<{ appId: number; userId: number; preferredHour: number }, { id: number }>(
  `SELECT id FROM installs
   WHERE ${unindexed('app_id')} = :appId AND user_id = :userId AND preferred_hour <> :preferredHour`,
)
const PLACE = prepared<{ appId: number; id: number; preferredHour: number; now: number }>(
  `UPDATE installs SET preferred_hour = :preferredHour, zone_changed_at = :now
   WHERE id = :id AND ${unindexed('app_id')} = :appId`,
)
/** The statement for PostgreSQL. */
const LOOK_AT_ALL = preparedLookUp<{ appId: number }, ActivityRow>(
  ['bigint', 'text'],
  (given) =>
    `WITH given (install_row, identifier) AS (${given})
     SELECT given.install_row, given.identifier, users.id AS user_id,
       (SELECT timezone FROM installs WHERE installs.id = given.install_row) AS timezone,
       hours.period, hours.last_hour, hours.counts, hours.preferred_hour
     FROM given CROSS JOIN users LEFT JOIN active_hours hours ON hours.user_id = users.id
     WHERE users.app_id = :appId AND users.identifier = given.identifier`,
)
const PLACE_ALL = preparedLookUp<{ appId: number; now: number }>(
  ['bigint', 'bigint'],
  (given, kind) =>
    `WITH given (user_id, hour) AS (${given}),
     found AS MATERIALIZED (
       SELECT installs.id, given.hour FROM given CROSS JOIN installs
       WHERE ${unindexed('installs.app_id')} = :appId AND installs.user_id = given.user_id AND installs.preferred_hour <> given.hour
       ${kind === 'postgres' ? 'FOR NO KEY UPDATE OF installs SKIP LOCKED' : ''})
     UPDATE installs SET preferred_hour = found.hour, zone_changed_at = :now FROM found WHERE installs.id = found.id`,
)
type HourMarks = Pick<ActiveHours, 'period' | 'lastHour'>

export type ActivityRepository = ReturnType<typeof activityRepository>

/** Tables: docs/reference/schema.md#installs, #active_hours, #active_hour_counts. */
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
    const lines = JSON.stringify(list.map(({ userId, preferredHour }) => [userId, preferredHour]))
    await PLACE_ALL.run(sql, { appId, lines, now })
  }

  return {
    /** The activity of these users on these installs. Unknown users are left out. */
    async find(appId: number, list: readonly { installRow: number; identifier: string }[]): Promise<KnownActivity[]> {
      if (!isPostgres(sql)) {
        const found: KnownActivity[] = []
        for (const { installRow, identifier } of list) {
          const values = { appId, installRow, identifier }
          const row = (await LOOK_AT.first(sql, values)) ?? (await LOOK_AT_NEW.first(sql, values))
          if (row) found.push(toActivity(row))
        }
        return found
      }
      const lines = JSON.stringify(list.map(({ installRow, identifier }) => [installRow, identifier]))
      return (await LOOK_AT_ALL.all(sql, { appId, lines })).map(toActivity)
    },

    /** Stores activity. Each user is given once. */
    async store(
      appId: number,
      list: readonly { userId: number; hours: ActiveHours; preferredHour: number }[],
    ): Promise<void> {
      if (!isPostgres(sql)) {
        for (const { userId, hours, preferredHour } of list) {
          const { period, lastHour } = hours
          const counts = JSON.stringify(hours.counts)
          await STORE.run(sql, { appId, userId, period, lastHour, counts, preferredHour })
        }
        return
      }
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

    /** `placeInstalls`; on SQLite install by install, without a copy of the pages that change. */
    async placeInstalls(
      appId: number,
      list: readonly { userId: number; preferredHour: number }[],
      now: number,
    ): Promise<void> {
      if (isPostgres(sql)) return placeInstalls(appId, list, now)
      for (const { userId, preferredHour } of list) {
        for (const { id } of await ELSEWHERE.all(sql, { appId, userId, preferredHour })) {
          await PLACE.run(sql, { appId, id, preferredHour, now })
        }
      }
    },

    /**
     * The hour that most users of the app prefer; undefined when none has a history. The users of each hour are counted
     * as they change (by triggers, docs/reference/schema.md#active_hour_counts).
     */
    async usualHour(appId: number): Promise<number | undefined> {
      const row: { preferred_hour: number } | undefined = await sql('active_hour_counts')
        .where({ app_id: appId })
        .groupBy('preferred_hour')
        .havingRaw('SUM(users) > 0')
        .orderByRaw('SUM(users) DESC, preferred_hour')
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

function toActivity(row: ActivityRow): KnownActivity {
  const { period, last_hour: lastHour, counts } = row
  return {
    installRow: row.install_row,
    identifier: row.identifier,
    userId: row.user_id,
    timezone: row.timezone,
    preferredHour: row.preferred_hour ?? -1,
    hours:
      period === null
        ? undefined
        : {
            period,
            lastHour,
            // Most uploads come in the hour that was counted last, and then nobody asks.
            get counts() {
              return JSON.parse(counts) as number[][]
            },
          },
  }
}
