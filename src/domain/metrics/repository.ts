import type { Sql } from '../../platform/db/connect.ts'
import { deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { isPostgres, whereAmong } from '../../platform/db/dialect.ts'
import { definition, integer, table, text } from '../../platform/db/table.ts'
import { lockApp } from '../apps/repository.ts'
import { type Position, readCursor, writeCursor } from '../followers/position.ts'
import type { Metric } from './types.ts'

const METRICS = table('metrics', {
  id: integer('id'),
  appId: integer('app_id'),
  name: text('name'),
  event: text('event'),
  where: definition('filter').as<Record<string, unknown>>().orNull,
  value: text('value_path').orNull,
  from: text('from_cursor').through<Position>((cursor) => readCursor(cursor)!, writeCursor),
  createdAt: integer('created_at'),
  storedSince: integer('stored_since').orNull,
  backfilledAt: integer('backfilled_at').orNull,
})
const NEW = METRICS.omit('id')

export type MetricsRepository = ReturnType<typeof metricsRepository>

/** The metrics of apps. Tables: docs/reference/schema.md#metrics, #deleted_metrics. */
export function metricsRepository(sql: Sql) {
  const metrics = () => METRICS.in(sql)

  return {
    /**
     * The metrics of an app in the order of their names; with `keep` locked until the commit against deletion, so that
     * nothing is stored for one that is going.
     */
    async list(appId: number, { keep = false } = {}): Promise<Metric[]> {
      const listed = metrics().where({ app_id: appId }).orderBy('name')
      if (keep && isPostgres(sql)) void listed.forKeyShare()
      return (await listed).map(METRICS.fromRow)
    },

    /** The types of events that the metrics of an app count, each once, sorted. */
    types: (appId: number): Promise<string[]> =>
      sql('metrics').where({ app_id: appId }).distinct().orderBy('event').pluck('event'),

    async find(appId: number, name: string): Promise<Metric | undefined> {
      const row = await metrics().where({ app_id: appId, name }).first()
      return row && METRICS.fromRow(row)
    },

    /** Metrics with these names; `keep` as of `list`. */
    async named(appId: number, names: readonly string[], { keep = false } = {}): Promise<Metric[]> {
      const found = whereAmong(metrics().where({ app_id: appId }), sql, 'name', names)
      if (keep && isPostgres(sql)) void found.forKeyShare()
      return (await found).map(METRICS.fromRow)
    },

    /** Locks the app until the commit, so that its metrics are counted right. */
    async lockAll(appId: number): Promise<void> {
      await lockApp(sql, appId)
    },

    /** Locks the metric until the commit: nobody holds it, and nobody comes to hold it. */
    async lock(appId: number, name: string): Promise<Metric | undefined> {
      const row = await metrics()
        .where({ app_id: appId, name })
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate()
        })
        .first()
      return row && METRICS.fromRow(row)
    },

    async insert(given: Omit<Metric, 'id'>): Promise<Metric> {
      const [row] = await metrics().insert(NEW.toRow(given)).returning('*')
      return METRICS.fromRow(row!)
    },

    /** The metrics of all apps that still read events from before, in the order in which they were made. */
    async backfilling(): Promise<Metric[]> {
      const found = metrics().whereNotNull('stored_since').whereNull('backfilled_at').orderBy('id')
      return (await found).map(METRICS.fromRow)
    },

    /** Finds a metric by its id; with the lock of `list({ keep: true })`. */
    async hold(appId: number, id: number): Promise<Metric | undefined> {
      const row = await metrics()
        .where({ app_id: appId, id })
        .modify((query) => {
          if (isPostgres(sql)) void query.forKeyShare()
        })
        .first()
      return row && METRICS.fromRow(row)
    },

    /** Stores since when, and until when, the events from before a metric were read. */
    async setBackfill({ appId, id, storedSince, backfilledAt }: Metric): Promise<void> {
      await metrics().where({ app_id: appId, id }).update({ stored_since: storedSince, backfilled_at: backfilledAt })
    },

    /** Deletes a metric. Its counts have no effect any more and are deleted later. */
    async delete(appId: number, id: number): Promise<void> {
      await metrics().where({ app_id: appId, id }).delete()
      await sql('deleted_metrics').insert({ metric_id: id, app_id: appId })
    },

    /** Deletes at most `limit` rows of an app: the counts of its metrics, then the metrics; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('metrics').where({ app_id: appId }).orderBy('name')
      const counted = { table: 'metric_days', owner: 'metric_id', along: 'day' }
      return deleteWithBelongings(sql, 'metrics', some, [counted], limit)
    },
  }
}
