import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, jsonRows, unindexed, whereAmong } from '../../platform/db/dialect.ts'
import { MAX_SUM, UNIT } from './day-counts.ts'
import type { DayCount, Metric, MetricComparison } from './types.ts'

export type MetricDaysRepository = ReturnType<typeof metricDaysRepository>

/**
 * Counts of metrics: a row for each user, metric and day on which something happened.
 * Tables: docs/reference/schema.md#users, #metrics, #metric_days, #deleted_metrics. /.
 */
export function metricDaysRepository(sql: Sql) {
  /** Deletes at most `limit` rows of one metric, the oldest days first; with `before` only those of earlier days. */
  function deleteOf(metricId: number, limit: number, before?: number): Promise<number> {
    const some = sql('metric_days').where({ metric_id: metricId }).orderBy('day').limit(limit)
    if (before !== undefined) void some.where('day', '<', before)
    return deleteSome(sql, 'metric_days', some)
  }

  return {
    /** Ids of the users with these identifiers, who are not deleted until the commit. */
    async holdUsers(appId: number, identifiers: readonly string[]): Promise<Map<string, number>> {
      const found: { id: number; identifier: string }[] = await whereAmong(
        sql('users').where({ app_id: appId }),
        sql,
        'identifier',
        identifiers,
      )
        .modify((query) => {
          // In the order of their rows, so that two transactions cannot deadlock.
          if (isPostgres(sql)) void query.orderBy('id').forKeyShare()
        })
        .select('id', 'identifier')
      return new Map(found.map(({ identifier, id }) => [identifier, id]))
    },

    /** Adds to the days of users. Each user, metric and day is given once. */
    async add(appId: number, list: readonly DayCount[]): Promise<void> {
      if (list.length === 0) return
      const total = 'metric_days.sum_millionths + excluded.sum_millionths'
      const lines = list.map(({ userId, metricId, day, count, sum }) => [userId, metricId, day, appId, count, sum])
      await sql.raw(
        `INSERT INTO metric_days (user_id, metric_id, day, app_id, count, sum_millionths)
         ${jsonRows(sql, ['bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'])}
         ON CONFLICT (user_id, metric_id, day) DO UPDATE SET count = metric_days.count + excluded.count,
           sum_millionths = CASE WHEN ${total} > ${MAX_SUM} THEN ${MAX_SUM}
             WHEN ${total} < -${MAX_SUM} THEN -${MAX_SUM} ELSE ${total} END`,
        [JSON.stringify(lines)],
      )
    },

    /** Deletes at most `limit` rows of metrics that are gone; returns how many. Fewer than the limit when none are left. */
    async forgetDeleted(limit: number): Promise<number> {
      let left = limit
      while (left > 0) {
        const gone: { metric_id: number } | undefined = await sql('deleted_metrics')
          .orderBy('metric_id')
          .first('metric_id')
        if (!gone) break
        const deleted = await deleteOf(gone.metric_id, left)
        if (deleted < left) await sql('deleted_metrics').where({ metric_id: gone.metric_id }).delete()
        left -= deleted
      }
      return limit - left
    },

    /** Deletes at most `limit` rows of days before `before` of all apps; returns how many. */
    async forgetBefore(before: number, limit: number): Promise<number> {
      let left = limit
      while (left > 0) {
        const metric: { id: number } | undefined = await sql('metrics')
          // The first day of each metric is one look at an index.
          .whereRaw('(SELECT day FROM metric_days WHERE metric_days.metric_id = metrics.id ORDER BY day LIMIT 1) < ?', [
            before,
          ])
          .first('id')
        if (!metric) break
        left -= await deleteOf(metric.id, left, before)
      }
      return limit - left
    },
  }
}

/**
 * SQL over `installs` that compares the counts of a metric for the user of an install, from the day `first` on. A user
 * without counts has 0. It reads the user's own days, by the key of the table.
 */
export function comparisonSql(
  sql: Sql,
  { appId, id, value: path }: Pick<Metric, 'appId' | 'id' | 'value'>,
  { op, value }: Pick<MetricComparison, 'op' | 'value'>,
  first: number,
): Knex.Raw {
  const [counted, wanted] = path === null ? ['count', value] : ['sum_millionths', Math.round(value * UNIT)]
  const bound = isPostgres(sql) ? 'CAST(? AS numeric)' : '?'
  return sql.raw(
    `(SELECT COALESCE(SUM(${counted}), 0) FROM metric_days WHERE metric_days.user_id = installs.user_id
       AND metric_days.metric_id = ? AND metric_days.day >= ? AND ${unindexed('metric_days.app_id')} = ?) ${op} ${bound}`,
    [id, first, appId, wanted],
  )
}
