import type { Sql } from '../../platform/db/connect.ts'
import { skipLocked } from '../../platform/db/dialect.ts'
import type { ActiveHours } from './active-hours.ts'

/** What is known of a user's activity before one more. */
export interface KnownActivity {
  userId: number
  /** Zone of the install in question. */
  timezone: string | null
  preferredHour: number
  hours: ActiveHours | undefined
}

interface ActivityRow {
  user_id: number
  timezone: string | null
  period: number | null
  last_hour: number
  counts: string
  preferred_hour: number | null
}

export type ActivityRepository = ReturnType<typeof activityRepository>

export function activityRepository(sql: Sql) {
  /** Installs of users get their hour, but for those that another transaction has: it brings them its own, or their next event does. */
  async function placeInstalls(appId: number, userId: number, hour: number, now: number): Promise<void> {
    await sql.raw(
      `UPDATE installs SET preferred_hour = ?, zone_changed_at = ? WHERE id IN (
         SELECT id FROM installs WHERE app_id = ? AND user_id = ? AND preferred_hour <> ? ${skipLocked(sql)})`,
      [hour, now, appId, userId, hour],
    )
  }

  return {
    /** Undefined when the app has no such user, or no such install. */
    async find(appId: number, installRow: number, identifier: string): Promise<KnownActivity | undefined> {
      const row: ActivityRow | undefined = await sql('users')
        .where({ 'users.app_id': appId, 'users.identifier': identifier })
        .join('installs', (on) =>
          on.on('installs.id', sql.raw('?', [installRow])).on('installs.app_id', 'users.app_id'),
        )
        .leftJoin('active_hours', 'active_hours.user_id', 'users.id')
        .first(
          'users.id as user_id',
          'installs.timezone',
          'active_hours.period',
          'active_hours.last_hour',
          'active_hours.counts',
          'active_hours.preferred_hour',
        )
      if (!row) return undefined
      const { user_id: userId, timezone, period, last_hour: lastHour } = row
      const hours = period === null ? undefined : { period, lastHour, counts: JSON.parse(row.counts) as number[][] }
      return { userId, timezone, preferredHour: row.preferred_hour ?? -1, hours }
    },

    async store(appId: number, userId: number, hours: ActiveHours, preferredHour: number): Promise<void> {
      const row = {
        period: hours.period,
        last_hour: hours.lastHour,
        counts: JSON.stringify(hours.counts),
        preferred_hour: preferredHour,
      }
      await sql('active_hours')
        .insert({ user_id: userId, app_id: appId, ...row })
        .onConflict('user_id')
        .merge(row)
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

    /** Forgets users who were not active since the period `oldest`; returns how many, at most `limit`. */
    async forget(oldest: number, limit: number, now: number): Promise<number> {
      const rows: { user_id: number; app_id: number }[] = await sql('active_hours')
        .where('period', '<', oldest)
        .orderBy('period')
        .limit(limit)
        .select('user_id', 'app_id')
      for (const { user_id: userId, app_id: appId } of rows) {
        await placeInstalls(appId, userId, -1, now)
        await sql('active_hours').where({ user_id: userId }).delete()
      }
      return rows.length
    },
  }
}
