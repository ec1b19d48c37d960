import type { Words } from './types.ts'

const WHERE = { field: 'data.currency', op: 'equals', value: 'EUR' }

/** What is counted of the events of each user. */
export const METRICS: Words = {
  operations: {
    'get /v1/metrics': { description: 'Returns them in the order of their names.' },
    'get /v1/metrics/:name': { description: 'Says what the metric counts, and since when.' },
    'put /v1/metrics/:name': {
      description:
        'A new metric counts the events that are stored from now on, for each user and day (UTC). With another definition it ' +
        'begins anew; with the same it stays as it is. Segments use it as the field `metrics.NAME`.',
      takes: 'MetricRequest',
      sends: { event: 'order.paid', where: WHERE, value: 'data.amount' },
    },
    'delete /v1/metrics/:name': { description: 'What it counted is deleted, too.' },
  },
  schemas: {
    Metric: ['What is counted of the events of each user: events, or the sum of a number in them.'],
    Metrics: ['The metrics of an app.'],
    MetricRequest: ['What a metric counts.'],
  },
  fields: {
    metrics: ['The metrics.'],
    '/v1/metrics/:name.path.name': ['Name of the metric.', 'purchase'],
    'Metric.id': ['Changes when the metric begins anew.', 7],
    'Metric.name': ['Name of the metric, as in the field `metrics.NAME` of segments.', 'purchase'],
    'Metric.event': ['Type of the events that count.', 'order.paid'],
    'Metric.where': ['Which of them count; null: all.', WHERE],
    'Metric.value': ['The number in the data of an event that is summed; null: events are counted.', 'data.amount'],
    'Metric.since': ['Events that were stored from then on count.', '2026-03-01T12:00:00+0000'],
    'MetricRequest.event': ['Type of the events that count.', 'order.paid'],
    'MetricRequest.where': [
      'Which of them count: a filter as of segments over `data.NAME`. Without it all of them.',
      WHERE,
    ],
    'MetricRequest.value': [
      'The number in the data of an event that is summed. Without it, events are counted.',
      'data.amount',
    ],
  },
}
