import type { Metric } from '../../domain/metrics/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, free, integer, list, nullable, string, time } from '../schema.ts'

/** A metric. Its id changes when it begins to count anew. */
export function presentMetric({ id, name, event, where, value, createdAt }: Metric) {
  return { id, name, event, where, value, since: isoOffset(createdAt) }
}

export function presentMetrics(metrics: readonly Metric[]) {
  return { metrics: metrics.map(presentMetric) }
}

export const metric = answerOf<typeof presentMetric>('Metric', {
  id: integer,
  name: string,
  event: string,
  where: nullable(free),
  value: nullable(string),
  since: time,
})
export const metrics = answerOf<typeof presentMetrics>('Metrics', { metrics: list(metric) })
