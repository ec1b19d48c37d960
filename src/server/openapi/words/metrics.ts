import type { Words } from './types.ts'

export const WHERE = { field: 'data.currency', op: 'equals', value: 'EUR' }

/** Words for metrics: definitions of what is counted of the events of each user. */
export const METRICS: Words = {
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
    'MetricRequest.backfill': [
      'Also counts the events that are stored already, as far back as they are kept. They are read by and by.',
      true,
    ],
  },
  parameters: {
    '/v1/metrics/:name.path.name': ['Name of the metric.', 'purchase'],
  },
}
