import type { MetricProgress } from '../../domain/metrics/types.ts'
import { answer, free, integer, list, nullable, string, time, told } from '../schema.ts'

/** A metric. Its id changes when it begins to count anew. */
export const metric = answer<MetricProgress>()(
  'Metric',
  'What is counted of the events of each user: events, or the sum of a number in them.',
  {
    id: told(integer, 'Changes when the metric begins anew.', 7),
    name: told(string, 'Name of the metric, as in the field `metrics.NAME` of segments.', 'purchase'),
    event: told(string, 'Type of the events that count.', 'order.paid'),
    where: told(nullable(free), 'Which of them count; null: all.', {
      field: 'data.currency',
      op: 'equals',
      value: 'EUR',
    }),
    value: told(
      nullable(string),
      'The number in the data of an event that is summed; null: events are counted.',
      'data.amount',
    ),
    since: told(
      time,
      'Events that were stored from then on count.',
      '2026-03-01T12:00:00+0000',
      ({ createdAt, storedSince }) => storedSince ?? createdAt,
    ),
    backfilled: told(
      nullable({ type: 'number', minimum: 0, maximum: 1 }),
      'The share of the events from before the metric was made that has been read; 1: all of them. Null: they do not count.',
      0.4,
    ),
  },
)
export const presentMetric = metric.present
export const metrics = answer<readonly MetricProgress[]>()('Metrics', 'The metrics of an app.', {
  metrics: told(list(metric), 'The metrics.', (metrics) => metrics),
})
export const presentMetrics = metrics.present
