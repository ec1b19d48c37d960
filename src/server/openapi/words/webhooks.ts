import { of, type Words } from './types.ts'

/** Webhooks: addresses to which events are sent. */
export const WEBHOOKS: Words = {
  operations: {
    'post /v1/webhooks': {
      description:
        'The endpoint gets the events that are stored from now on. Messages follow Standard Webhooks. The address must be https, on ' +
        'port 443 and public, unless the operator allows others (`outbound.allowPrivate`). An `Idempotency-Key` has no effect here, ' +
        'because a stored answer would hold the secret.',
      takes: 'NewWebhook',
      sends: { url: 'https://example.com/hooks', types: ['k.message.opened'], batch: { max: 100, waitMs: 2000 } },
    },
    'get /v1/webhooks': { description: 'Returns all webhooks of the app.' },
    'get /v1/webhooks/:id': { description: 'Says whether it works, and since when it waits.' },
    'patch /v1/webhooks/:id': {
      description:
        'An absent field stays as it is. Switched on again, it goes on with the first event that it has not got, as far as the log ' +
        'still has it. A message that is being retried keeps its events.',
      takes: 'WebhookChange',
      sends: { enabled: true },
    },
    'delete /v1/webhooks/:id': { description: 'A request that is under way may still arrive.' },
    'post /v1/webhooks/:id/rotate': {
      description: 'For `overlapSeconds` each message carries two signatures, one of each secret.',
      takes: 'SecretRotation',
      sends: { overlapSeconds: 86_400 },
    },
    'post /v1/webhooks/:id/replay': {
      description:
        'Each edge is a time (of `receivedAt`) or the id of an event: sent is what came at or behind `from`, before or up to `to`. ' +
        'Messages have `"replay": true` and ids of their own. One replay at a time.',
      takes: 'EventReplay',
      sends: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
    },
    'delete /v1/webhooks/:id/replay': { description: 'Nothing more of it is sent.' },
    'get /v1/webhooks/:id/attempts': {
      description: 'At most a thousand are kept of each webhook. `next` is null on the last page.',
    },
  },
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
