import type { Words } from './types.ts'

const WHERE = { field: 'data.currency', op: 'equals', value: 'EUR' }

/** Words for metrics: definitions of what is counted of the events of each user. */
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
    MetricRequest: ['What a metric counts.'],
  },
  fields: {
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
  parameters: {
    '/v1/metrics/:name.path.name': ['Name of the metric.', 'purchase'],
  },
}
