import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { readJsonPath } from '../../platform/json/path.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { EventLog } from '../followers/log/service.ts'
import { writeCursor } from '../followers/position.ts'
import type { FollowersService } from '../followers/service.ts'
import type { Follower, LoggedEvent } from '../followers/types.ts'
import { backfillerOf, backfills } from './backfill.ts'
import { additionsOf, firstDay, type ReadMetric } from './day-counts.ts'
import { comparisonSql, type MetricDaysRepository } from './days.repository.ts'
import type { MetricsRepository } from './repository.ts'
import { isMetricName, METRIC_NAME_RULE } from './schema.ts'
import type { Metric, MetricComparison, MetricDefinition, MetricProgress } from './types.ts'
import { DATA, readWhere } from './where.ts'

/** Followers of the log that count: one for each app that has metrics. */
const PREFIX = 'metrics:'
const followerOf = (appId: number) => `${PREFIX}${appId}`

export interface MetricsParts {
  sql: Sql
  repo: MetricsRepository
  days: MetricDaysRepository
  log: Pick<EventLog, 'end' | 'receivedAfter'>
  followers: Pick<FollowersService, 'add' | 'find' | 'recall' | 'remove' | 'namesOf'>
  clock: Clock
  /** Maximum number of metrics of an app. */
  most: number
  /** The number of days that are kept. */
  keptDays: number
  /** A segment that names the metric (`segment 12`), if any; the metric cannot be deleted then. */
  namedBy(appId: number, name: string): Promise<string | undefined>
}

/** Areas that followers need to count. */
interface CountingAreas {
  metrics: Pick<MetricsService, 'count' | 'countStored' | 'endBackfill'>
}

export type MetricsService = ReturnType<typeof metricsService>

/** Metrics of an app: counts for each user and day. Every function that writes runs in the caller's transaction. */
export function metricsService({ sql, repo, days, log, followers, clock, most, keptDays, namedBy }: MetricsParts) {
  const backfill = backfills({ repo, log, followers })

  function known(name: string, metric: Metric | undefined): Metric {
    if (!metric) throw new AppError('not_found', `there is no metric ${JSON.stringify(name)}`)
    return metric
  }

  /** Lets a metric count what was stored before it: a follower reads that. */
  async function begin(metric: Metric): Promise<Metric> {
    const storedSince = await backfill.oldest(metric.appId)
    const begun =
      storedSince === undefined
        ? { ...metric, storedSince: metric.createdAt, backfilledAt: clock.now() }
        : { ...metric, storedSince: Math.min(storedSince, metric.createdAt) }
    if (storedSince !== undefined) await backfill.begin(metric)
    await repo.setBackfill(begun)
    return begun
  }

  /** Locks a metric until the commit, after its follower, which who counts locks first, too. */
  async function hold(metric: Metric): Promise<void> {
    await followers.remove(backfillerOf(metric))
    await repo.lock(metric.appId, metric.name)
  }

  async function add(appId: number, metrics: readonly ReadMetric[], events: readonly LoggedEvent[]): Promise<void> {
    const additions = additionsOf(events, metrics, firstDay(clock.now(), keptDays))
    if (additions.length === 0) return
    const users = await days.holdUsers(appId, [...new Set(additions.map(({ identifier }) => identifier))])
    const counted = additions.flatMap(({ identifier, ...addition }) => {
      const userId = users.get(identifier)
      return userId === undefined ? [] : [{ userId, ...addition }]
    })
    // In the order of the key: two followers may add to the same days.
    counted.sort((a, b) => a.userId - b.userId || a.metricId - b.metricId || a.day - b.day)
    await days.add(appId, counted)
  }

  return {
    /** Metrics in the order of their names. */
    async list(appId: number): Promise<MetricProgress[]> {
      const found: MetricProgress[] = []
      for (const metric of await repo.list(appId)) found.push(await backfill.progress(metric))
      return found
    },

    /** Locks the metrics of an app until the commit, as a change of one of them does first. */
    lock: (appId: number) => repo.lockAll(appId),

    /** Throws `not_found`. */
    async get(appId: number, name: string): Promise<MetricProgress> {
      return backfill.progress(known(name, isMetricName(name) ? await repo.find(appId, name) : undefined))
    },

    /**
     * Creates the metric, which counts events that are stored from now on; with `isBackfilled` also those that are stored already. With
     * another definition an existing one begins anew; with the same it goes on, and may come to count what is older. `created`: there
     * was none of that name. Throws `invalid` for a name that cannot be stored, and `conflict` when the app has as many as it may have.
     */
    async put(
      appId: number,
      name: string,
      definition: MetricDefinition,
      { isBackfilled = false } = {},
    ): Promise<{ metric: MetricProgress; created: boolean }> {
      if (!isMetricName(name)) throw invalid({ name: [METRIC_NAME_RULE] })
      await repo.lockAll(appId)
      const before = await repo.find(appId, name)
      if (before && isDeepStrictEqual({ event: before.event, where: before.where, value: before.value }, definition)) {
        const metric = isBackfilled && before.storedSince === null ? await begin(before) : before
        return { metric: await backfill.progress(metric), created: false }
      }
      if (!before && (await repo.list(appId)).length >= most) {
        const remedy = 'delete one first, or raise limits.metrics'
        throw new AppError('conflict', `the app has ${most} metrics, as many as it may have: ${remedy}`)
      }
      // Before the end of the log is asked for: who counts may be reading behind it meanwhile, without this metric. And before the
      // metric: who counts locks the follower first, too.
      await followers.recall(followerOf(appId))
      if (before) {
        await hold(before)
        await repo.delete(appId, before.id)
      }
      const from = await log.end()
      const fresh = { appId, name, ...definition, from, createdAt: clock.now(), storedSince: null, backfilledAt: null }
      const made = await repo.insert(fresh)
      const metric = await backfill.progress(isBackfilled ? await begin(made) : made)
      // Here, not when a worker first runs it: what happens until then counts.
      await followers.add({ name: followerOf(appId), appId, cursor: writeCursor(from) })
      return { metric, created: !before }
    },

    /** Throws `not_found`, and `conflict` while a segment names it. */
    async delete(appId: number, name: string): Promise<void> {
      await repo.lockAll(appId)
      const others = (await repo.list(appId)).filter((one) => one.name !== name)
      // Before the metric: who counts locks the follower first, too.
      if (others.length === 0) await followers.remove(followerOf(appId))
      const metric = known(name, isMetricName(name) ? await repo.find(appId, name) : undefined)
      await hold(metric)
      const user = await namedBy(appId, name)
      if (user !== undefined) {
        throw new AppError(
          'conflict',
          `metric ${JSON.stringify(name)} is named by ${user}: change or delete that first`,
        )
      }
      await repo.delete(appId, metric.id)
    },

    /**
     * The metrics with these names, by name; unknown ones are left out. With `keep` they are not deleted until the
     * commit.
     */
    async named(appId: number, names: readonly string[], options?: { keep: boolean }): Promise<Map<string, Metric>> {
      const found = await repo.named(appId, names, options)
      return new Map(found.map((metric) => [metric.name, metric]))
    },

    /** SQL over `installs` that compares the counts of a metric for the user of an install at `now` (ms). */
    comparison(metric: Metric, asked: MetricComparison, now: number): Knex.Raw {
      const first = asked.withinDays === null ? 0 : firstDay(now, asked.withinDays)
      return comparisonSql(sql, metric, asked, first)
    },

    /** The followers that count: one for each app that has metrics, and one for each app where a metric reads what is older. */
    async follows<A extends CountingAreas>(): Promise<Follower<A>[]> {
      const apps = await followers.namesOf(PREFIX)
      const counting = apps.flatMap(({ name, appId }): Follower<A>[] => {
        if (appId === null) return []
        const types = () => repo.types(appId)
        return [{ name, appId, types, effect: { apply: ({ metrics }, events) => metrics.count(appId, events) } }]
      })
      return [...counting, ...(await backfill.follows<A>())]
    },

    /** Counts events of an app, in the transaction that moves the cursor of the follower. */
    async count(appId: number, events: readonly LoggedEvent[]): Promise<void> {
      // One that cannot be read counts nothing, and keeps no other one from counting.
      await add(
        appId,
        (await repo.list(appId, { keep: true })).flatMap((metric) => readyToCount(metric) ?? []),
        events,
      )
    },

    /** Counts events from before a metric was made, in the transaction that moves the cursor of the follower. */
    async countStored(appId: number, id: number, events: readonly LoggedEvent[]): Promise<void> {
      const metric = await repo.hold(appId, id)
      const ready = metric && readyToCount(metric)
      if (ready) await add(appId, [{ ...ready, isBackfill: true }], events)
    },

    /** Notes that all events from before a metric have been read. */
    async endBackfill(appId: number, id: number): Promise<void> {
      await followers.remove(backfillerOf({ id }))
      const metric = await repo.hold(appId, id)
      if (metric) await repo.setBackfill({ ...metric, backfilledAt: clock.now() })
    },

    /** Deletes some counts that are too old, or of metrics that are gone; returns how many rows. */
    async forget(limit: number): Promise<number> {
      const gone = await days.forgetDeleted(limit)
      if (gone >= limit) return gone
      return gone + (await days.forgetBefore(firstDay(clock.now(), keptDays), limit - gone))
    },
  }
}

/** The definition of a metric, which was checked when it was stored; undefined when it cannot be read. */
function readyToCount({ id, event, from, where, value }: Metric): ReadMetric | undefined {
  const path = value === null ? null : readJsonPath(DATA, value)
  const read = where === null ? null : readWhere(where)
  // A cursor that cannot be read has no position.
  if (path === undefined || read?.errors || (from as Metric['from'] | undefined) === undefined) return undefined
  return { id, event, from, path, where: read?.condition ?? null }
}
