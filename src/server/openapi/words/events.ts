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
    EventPage: ['Events in the order in which they were stored.'],
    LogSettings: ['What enters the event log besides events.'],
    LogSettingsChange: ['What shall enter the event log besides events.'],
    LoggedEvent: ['An event of the log.'],
    ServerEventsAnswer: ['What became of the events of a server. Empty if all of them were taken.'],
    ServerEvent: ['An event about a user that a server reports.'],
  },
  fields: {
    events: ['The events, oldest first.'],
    'EventPage.next': ['The `after` of the next call.', CURSOR],
    '/v1/events.query.after': ['Begin behind this: a `next`, or the `id` of an event.', CURSOR],
    'query.types': ['Types of events, separated by commas. Without it, all.', 'order.paid,k.message.opened'],
    '/v1/events.query.limit': ['Maximum number of events; default 100. Large ones make a page shorter.', 100],
    '/v1/events.query.include': [
      'Adds `notification.page`, whatever `types` says: what became of the recipients of a page of a notification.',
      'deliveries',
    ],
    deliveries: ['Whether pages of notifications enter the log as they close.', true],
    'query.wait': ['Seconds to wait for an event when there is none.', 20],
    'LoggedEvent.id': ['Position in the log: can be sent as `after`.', CURSOR],
    'LoggedEvent.type': ['Type of the event. `k.…` are reported by SDKs.', 'order.paid'],
    'LoggedEvent.timestamp': ['When it happened.', '2026-03-01T12:00:00.000Z'],
    'LoggedEvent.receivedAt': ['When this server stored it.', '2026-03-01T12:00:01.250Z'],
    'LoggedEvent.userId': ['User of the event; null if none.', 'user-17'],
    'LoggedEvent.installId': [
      'Install that reported it; null if no device did.',
      '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
    ],
    'LoggedEvent.uuid': ['Id that the sender gave it.', '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f'],
    'LoggedEvent.data': [
      'What the sender said, and what this server added: `reportingMeta` and `userMeta` of a notification that was opened.',
      { amount: 49.9, currency: 'EUR' },
    ],
    'ServerEvent.userId': ['The user whom the event is about.', 'user-17'],
    'ServerEvent.type': ['Type of the event; must not begin with `k.`.', 'order.paid'],
    'ServerEvent.uuid': ['Unique id of the event: a repeat is stored once.', '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f'],
    'ServerEvent.timestamp': ['When it happened, milliseconds since 1970.', 1_772_366_400_000],
    'ServerEvent.data': ['What else is known of it.', { amount: 49.9, currency: 'EUR' }],
  },
}
