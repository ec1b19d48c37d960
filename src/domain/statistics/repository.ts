import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { countShard, dialectOf, isPostgres, jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { PlatformType } from '../gateways/registry.ts'
import {
  type CountedReport,
  type InstallChanges,
  type LinkCounts,
  type LinkVisit,
  PUSH_COUNTS,
  type PushCounts,
} from './types.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
/** The number under which all notifications, or all links, of an app are counted. */
const ALL = 0

/** Tests count for themselves only. */
const IS_NO_TEST = 'NOT EXISTS (SELECT 1 FROM notifications WHERE notifications.id = found.id AND is_test)'

/** Counts of an hour (since 1970) and a platform; 0: none. */
export interface HourRow extends PushCounts {
  hour: number
  platform: PlatformType | 0
}

/** Counts of a UTC day (since 1970). */
export interface DayRow extends LinkCounts {
  day: number
  platform: string
  route: string
}

/** Installs of a platform (0: none) in a state: 1 reachable, 2 off, 3 without a token. */
export interface StateRow {
  platform: PlatformType | 0
  state: 1 | 2 | 3
  installs: number
}

/** Changes of installs on a UTC day (since 1970). */
export interface ChangeRow extends InstallChanges {
  day: number
}

/** A line of link_days, for SQLite, which has one shard: one by one (docs/decisions/measurements.md). */
const ADD_DAY = prepared<{
  appId: number
  linkId: number
  day: number
  platform: string
  route: string
  clicks: number
  matches: number
}>(
  `INSERT INTO link_days (app_id, link_id, day, platform, route, shard, clicks, matches)
   VALUES (:appId, :linkId, :day, :platform, :route, 0, :clicks, :matches)
   ON CONFLICT (app_id, link_id, day, platform, route, shard) DO UPDATE
     SET clicks = link_days.clicks + excluded.clicks, matches = link_days.matches + excluded.matches`,
)

export type StatisticsRepository = ReturnType<typeof statisticsRepository>

/**
 * Counted tables. Triggers add what becomes of pages and installs (docs/reference/schema.md#push_hours), and this the rest.
 * Tables: docs/reference/schema.md#push_hours, #link_days, #install_counts, #install_days.
 */
export function statisticsRepository(sql: Sql) {
  const shard = countShard(dialectOf(sql))

  return {
    /** Adds first reports of devices to the hours of their notifications and of the app. */
    async addReports(appId: number, reports: readonly CountedReport[]): Promise<void> {
      if (reports.length === 0) return
      const kinds = ['delivered', 'opened', 'dismissed'] as const
      const lines = reports.map(({ kind, notificationId, installRow, at }) => [
        notificationId,
        installRow,
        Math.floor(at / HOUR_MS),
        ...kinds.map((one) => (one === kind ? 1 : 0)),
      ])
      const types = ['bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'] as const
      const sums = kinds.map((kind) => `SUM(${kind}) AS ${kind}`).join(', ')
      // In the order of the key, so that two connections that share a shard cannot deadlock.
      await sql.raw(
        `WITH given (id, install_row, hour, delivered, opened, dismissed) AS (${jsonRows(sql, types, lines.length)}),
         found AS (SELECT given.id, hour, COALESCE(installs.platform, 0) AS platform, ${sums}
           FROM given CROSS JOIN installs WHERE installs.id = given.install_row GROUP BY 1, 2, 3)
         INSERT INTO push_hours (app_id, notification_id, hour, platform, shard, ${kinds.join(', ')})
         SELECT CAST(? AS bigint), id, hour, platform, ${shard}, delivered, opened, dismissed FROM (
           SELECT CAST(${ALL} AS bigint) AS id, hour, platform, ${sums} FROM found WHERE ${IS_NO_TEST} GROUP BY hour, platform
           UNION ALL SELECT id, hour, platform, delivered, opened, dismissed FROM found) AS counted
         WHERE true ORDER BY id, hour, platform
         ON CONFLICT (app_id, notification_id, hour, platform, shard) DO UPDATE
           SET ${kinds.map((kind) => `${kind} = push_hours.${kind} + excluded.${kind}`).join(', ')}`,
        [JSON.stringify(lines), appId],
      )
    },

    /** Hours of a notification, or of the whole app, from `from` to `to` (hours since 1970, `to` excluded). */
    async hours(
      appId: number,
      { notificationId = ALL, from = 0, to = 2 ** 31 - 1 }: { notificationId?: number; from?: number; to?: number },
    ): Promise<HourRow[]> {
      const rows = sql('push_hours').where({ app_id: appId, notification_id: notificationId })
      return rows
        .where('hour', '>=', from)
        .where('hour', '<', to)
        .groupBy('hour', 'platform')
        .orderBy(['hour', 'platform'])
        .select('hour', 'platform')
        .sum<HourRow[]>(Object.fromEntries(PUSH_COUNTS.map((name) => [name, name])))
    },

    /** Accepted recipients of notifications whose hours are kept, by id. */
    async accepted(appId: number, ids: readonly number[]): Promise<Map<number, number>> {
      const of = sql('push_hours').where({ app_id: appId })
      const rows = await whereAmong(of, sql, 'notification_id', ids)
        .groupBy('notification_id')
        .select('notification_id')
        .sum<{ notification_id: number; accepted: number | string }[]>({ accepted: 'accepted' })
      return new Map(rows.map(({ notification_id: id, accepted }) => [id, Number(accepted)]))
    },

    /** Adds visits to the days of their links and of the app. */
    async addVisits(appId: number, visits: readonly LinkVisit[]): Promise<void> {
      if (visits.length === 0) return
      const lines = new Map<string, [number, number, string, string, number, number]>()
      for (const { linkId, at, platform = 'unknown', route = 'unknown', clicks = 0, matches = 0 } of visits) {
        const day = Math.floor(at / DAY_MS)
        for (const id of [ALL, linkId]) {
          const key = `${id} ${day} ${platform} ${route}`
          const line = lines.get(key)
          if (line) {
            line[4] += clicks
            line[5] += matches
          } else lines.set(key, [id, day, platform, route, clicks, matches])
        }
      }
      if (!isPostgres(sql)) {
        // Neighbouring rows are written together.
        const sorted = [...lines.values()].sort(([a], [b]) => a - b)
        for (const [linkId, day, platform, route, clicks, matches] of sorted) {
          await ADD_DAY.run(sql, { appId, linkId, day, platform, route, clicks, matches })
        }
        return
      }
      const types = ['bigint', 'bigint', 'text', 'text', 'bigint', 'bigint'] as const
      await sql.raw(
        `WITH given (link_id, day, platform, route, clicks, matches) AS (${jsonRows(sql, types)})
         INSERT INTO link_days (app_id, link_id, day, platform, route, shard, clicks, matches)
         SELECT CAST(? AS bigint), link_id, day, platform, route, ${shard}, clicks, matches FROM given
         WHERE true ORDER BY link_id, day, platform, route
         ON CONFLICT (app_id, link_id, day, platform, route, shard) DO UPDATE
           SET clicks = link_days.clicks + excluded.clicks, matches = link_days.matches + excluded.matches`,
        [JSON.stringify([...lines.values()]), appId],
      )
    },

    /** Days of a link, or of all links, from `from` on (days since 1970). */
    async days(appId: number, linkId: number | undefined, from: number): Promise<DayRow[]> {
      return sql('link_days')
        .where({ app_id: appId, link_id: linkId ?? ALL })
        .where('day', '>=', from)
        .groupBy('day', 'platform', 'route')
        .orderBy(['day', 'platform', 'route'])
        .select('day', 'platform', 'route')
        .sum<DayRow[]>({ clicks: 'clicks', matches: 'matches' })
    },

    async installs(appId: number): Promise<StateRow[]> {
      return sql('install_counts')
        .where({ app_id: appId })
        .groupBy('platform', 'state')
        .orderBy(['platform', 'state'])
        .select('platform', 'state')
        .sum<StateRow[]>({ installs: 'installs' })
    },

    /** Days with changes of installs, oldest first, from `from` on (days since 1970). */
    async changes(appId: number, from: number): Promise<ChangeRow[]> {
      return sql('install_days')
        .where({ app_id: appId })
        .where('day', '>=', from)
        .groupBy('day')
        .orderBy('day')
        .select('day')
        .sum<ChangeRow[]>({ added: 'added', gained: 'gained', lost: 'lost', optedOut: 'opted_out' })
    },

    /** The first day of which changes of installs are kept (days since 1970). */
    async firstChange(appId: number): Promise<number | undefined> {
      const row = await sql('install_days').where({ app_id: appId }).orderBy('day').first('day')
      return row?.day
    },

    /** Deletes at most `limit` rows of before these; returns how many. */
    async forget(before: { hour: number; day: number; changesDay: number }, limit: number): Promise<number> {
      // The fewest come first.
      const changes = sql('install_days').where('day', '<', before.changesDay).orderBy('day').limit(limit)
      let gone = await deleteSome(sql, 'install_days', changes)
      if (gone >= limit) return gone
      const hours = sql('push_hours')
        .where('hour', '<', before.hour)
        .orderBy('hour')
        .limit(limit - gone)
      gone += await deleteSome(sql, 'push_hours', hours)
      if (gone >= limit) return gone
      const days = sql('link_days')
        .where('day', '<', before.day)
        .orderBy('day')
        .limit(limit - gone)
      return gone + (await deleteSome(sql, 'link_days', days))
    },

    /** Deletes at most `limit` rows of an app; returns how many. */
    async clearApp(appId: number, limit: number): Promise<number> {
      const hours = sql('push_hours').where({ app_id: appId }).orderBy('notification_id').limit(limit)
      let gone = await deleteSome(sql, 'push_hours', hours)
      if (gone >= limit) return gone
      const days = sql('link_days')
        .where({ app_id: appId })
        .orderBy('link_id')
        .limit(limit - gone)
      gone += await deleteSome(sql, 'link_days', days)
      if (gone >= limit) return gone
      const changes = sql('install_days')
        .where({ app_id: appId })
        .orderBy('day')
        .limit(limit - gone)
      return gone + (await deleteSome(sql, 'install_days', changes))
    },
  }
}
