import type { Words } from './types.ts'

const CURSOR = '00000000000000000000q8'

/** The event log, and events that servers report. */
export const EVENTS: Words = {
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
    '/v1/events/latest.query.before': ['Begin before this: a `next`, or the `id` of an event.', CURSOR],
    '/v1/events/latest.query.userId': ['Only events of this user, by its whole identifier.', 'user-17'],
    '/v1/events/latest.query.installId': [
      'Only events that this install reported.',
      '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
    ],
    '/v1/events/latest.query.q': ['A part of the uuid, the user or the install of an event.', 'order-17'],
    '/v1/events/latest.query.limit': ['Maximum number of events; default 50.', 50],
    'query.wait': ['Seconds to wait for an event when there is none.', 20],
  },
}
