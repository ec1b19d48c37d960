import type { EventLog } from '../followers/log/service.ts'
import { readCursor, START, writeCursor } from '../followers/position.ts'
import type { FollowersService } from '../followers/service.ts'
import type { Follower, LoggedEvent } from '../followers/types.ts'
import type { MetricsRepository } from './repository.ts'
import type { Metric, MetricProgress } from './types.ts'

/** Followers that read what was stored before a metric was made: one for each such metric, until it is done. */
const PREFIX = 'backfill:'
/** Events that are counted at once: few, so that uploads do not wait for a long write. */
const MOST = 200

/** Name of the follower that reads what was stored before a metric was made. */
export const backfillerOf = ({ id }: Pick<Metric, 'id'>): string => `${PREFIX}${id}`

/** Tells whether a follower reads what is old: then it does not lag. */
export const isBackfiller = (name: string): boolean => name.startsWith(PREFIX)

export interface BackfillParts {
  repo: Pick<MetricsRepository, 'backfilling'>
  log: Pick<EventLog, 'receivedAfter'>
  followers: Pick<FollowersService, 'add' | 'find'>
}

/** Areas that a follower needs to count what is old. */
interface BackfillingAreas {
  metrics: {
    countStored(appId: number, id: number, events: readonly LoggedEvent[]): Promise<void>
    endBackfill(appId: number, id: number): Promise<void>
  }
}

/** The followers that read events from before their metric, and how far they are. */
export function backfills({ repo, log, followers }: BackfillParts) {
  return {
    /** The followers: one at a time for each app, those of older metrics first. */
    async follows<A extends BackfillingAreas>(): Promise<Follower<A>[]> {
      const first = new Map<number, Metric>()
      for (const metric of await repo.backfilling()) if (!first.has(metric.appId)) first.set(metric.appId, metric)
      return [...first.values()].map(({ id, appId, event, from }) => ({
        name: backfillerOf({ id }),
        appId,
        types: [event],
        most: MOST,
        until: { place: from, end: ({ metrics }: A) => metrics.endBackfill(appId, id) },
        effect: { apply: ({ metrics }, events) => metrics.countStored(appId, id, events) },
      }))
    },

    /** Lets events from before a metric be read, in the transaction that notes that in the metric. */
    begin: (metric: Pick<Metric, 'id' | 'appId'>): Promise<void> =>
      followers.add({ name: backfillerOf(metric), appId: metric.appId, cursor: writeCursor(START) }),

    /** A metric with the share of the events from before it that was read, by the times at which they were received. */
    async progress(metric: Metric): Promise<MetricProgress> {
      const { appId, createdAt, storedSince, backfilledAt } = metric
      if (storedSince === null) return { ...metric, backfilled: null }
      if (backfilledAt !== null) return { ...metric, backfilled: 1 }
      const follower = await followers.find(backfillerOf(metric))
      const place = follower && readCursor(follower.cursor)
      const at = place ? ((await log.receivedAfter(appId, place)) ?? createdAt) : storedSince
      const share = createdAt > storedSince ? (at - storedSince) / (createdAt - storedSince) : 0
      return { ...metric, backfilled: Math.floor(Math.min(0.99, Math.max(0, share)) * 100) / 100 }
    },

    /** The time at which the oldest stored event of an app was received (ms); undefined when there is none. */
    oldest: (appId: number): Promise<number | undefined> => log.receivedAfter(appId, START),
  }
}
