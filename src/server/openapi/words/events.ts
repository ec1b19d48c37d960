import type { Words } from './types.ts'

const CURSOR = '00000000000000000000q8'

/** The event log, and events that servers report. */
export const EVENTS: Words = {
  operations: {
    'get /v1/events': {
      description:
        'The events of devices, of servers and of this server, each once, in the order in which they were committed. Keep `next` and send ' +
        'it as `after` of the next call. It moves on also when no event was found. With `wait` the call waits for an event; it ' +
        'may answer earlier, without one. With `Accept: application/x-ndjson` the answer is one event a line, and `next` is in the ' +
        'header `Next-After`. Without `after` it begins with the oldest event that is kept.',
    },
    'get /v1/events/settings': { description: 'Without a setting, only events enter the log.' },
    'put /v1/events/settings': {
      description:
        'With `deliveries` each page of a notification enters the log as it closes, for readers that ask with `include=deliveries`. ' +
        'A webhook that includes deliveries has the same effect.',
      takes: 'LogSettingsChange',
      sends: { deliveries: true },
    },
    'post /v1/events': {
      description:
        'An event is stored once, however often it is sent: by `uuid`. Events that cannot be used are listed in `refused`; the others are ' +
        'accepted. An unknown user is created. What a server reports is no activity of the user.',
      sends: [
        {
          userId: 'user-17',
          type: 'order.paid',
          uuid: '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f',
          timestamp: 1_772_366_400_000,
          data: { amount: 49.9, currency: 'EUR' },
        },
      ],
    },
  },
  schemas: {
    LogSettingsChange: ['What shall enter the event log besides events.'],
    ServerEvent: ['An event about a user that a server reports.'],
  },
  fields: {
    'LogSettingsChange.deliveries': ['Whether pages of notifications enter the log as they close.', true],
    'ServerEvent.userId': ['The user whom the event is about.', 'user-17'],
    'ServerEvent.type': ['Type of the event; must not begin with `k.`.', 'order.paid'],
    'ServerEvent.uuid': ['Unique id of the event: a repeat is stored once.', '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f'],
    'ServerEvent.timestamp': ['When it happened, milliseconds since 1970.', 1_772_366_400_000],
    'ServerEvent.data': ['What else is known of it.', { amount: 49.9, currency: 'EUR' }],
  },
  parameters: {
    '/v1/events.query.after': ['Begin behind this: a `next`, or the `id` of an event.', CURSOR],
    'query.types': ['Types of events, separated by commas. Without it, all.', 'order.paid,k.message.opened'],
    '/v1/events.query.limit': ['Maximum number of events; default 100. Large ones make a page shorter.', 100],
    '/v1/events.query.include': [
      'Adds `notification.page`, whatever `types` says: what became of the recipients of a page of a notification.',
      'deliveries',
    ],
    'query.wait': ['Seconds to wait for an event when there is none.', 20],
  },
}
