import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import type { FollowersWire } from '../followers/wire.ts'
import { metricDaysRepository } from './days.repository.ts'
import { metricsRepository } from './repository.ts'
import { type MetricsParts, metricsService } from './service.ts'

export type MetricsWire = ReturnType<typeof wireMetrics>

interface Needs extends Pick<MetricsParts, 'namedBy'> {
  followers: () => FollowersWire
}

/** Metrics: counts for each user and day. */
export function wireMetrics({ sql, config, clock }: Base, { followers, namedBy }: Needs) {
  const repo = once(() => metricsRepository(sql))
  const metrics = once(() =>
    metricsService({
      sql,
      repo: repo(),
      days: metricDaysRepository(sql),
      log: followers().eventLog(),
      followers: followers().followers(),
      clock,
      most: config['limits.metrics'],
      keptDays: config['metrics.retentionDays'],
      namedBy,
    }),
  )
  const clearings = (): Clearing[] => [repo().clearApp]
  return { metrics, clearings }
}
