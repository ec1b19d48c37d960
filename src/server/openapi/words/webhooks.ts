import { of, type Words } from './types.ts'

/** Webhooks: addresses to which events are sent. */
export const WEBHOOKS: Words = {
  schemas: {
    NewWebhook: ['A webhook to create.'],
    WebhookChange: ['What to change.'],
    SecretRotation: ['How to change over.'],
    EventReplay: ['Which events to send once more.'],
  },
  fields: {
    ...of(['NewWebhook', 'WebhookChange'], {
      url: ['Where the events go: https.', 'https://example.com/hooks'],
      types: ['Types of the events that are sent. Null means all.', ['k.message.opened']],
      include: [
        'What is sent besides events: `deliveries` are the pages of notifications as they close. Null: nothing.',
        ['deliveries'],
      ],
      'batch.max': ['Maximum number of events in one request. Above 1, every message is a batch.', 100],
      'batch.waitMs': ['How long a batch that is not full waits for more events (ms).', 2000],
    }),
    'NewWebhook.batch': ['How many events one request has. Without it, one.'],
    'WebhookChange.batch': ['How many events one request has. An absent member stays as it is.'],
    'WebhookChange.enabled': ['Whether events are sent.', true],
    'EventReplay.from': ['A time, or the id of an event behind which it begins.', '2026-11-20T00:00:00Z'],
    'EventReplay.to': ['A time, or the id of the last event. Absent: up to now.', '2026-11-21T00:00:00Z'],
    'SecretRotation.overlapSeconds': ['How long the secret before signs as well.', 86_400],
  },
}
