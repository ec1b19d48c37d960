import type { Words } from './types.ts'

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA='

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
    Webhook: ['An address to which events are sent.'],
    Webhooks: ['All webhooks of an app.'],
    CreatedWebhook: ['A webhook with its new secret.'],
    NewWebhook: ['A webhook to create.'],
    WebhookChange: ['What to change.'],
    WebhookBatch: ['How many events one request has.'],
    WebhookReplay: ['The replay that is under way.'],
    SecretRotation: ['How to change over.'],
    EventReplay: ['Which events to send once more.'],
    WebhookAttempt: ['One request and what came of it.'],
    WebhookAttemptPage: ['One page of attempts.'],
  },
  fields: {
    'Webhook.url': ['Where the events go.', 'https://example.com/hooks'],
    'CreatedWebhook.url': ['Where the events go.', 'https://example.com/hooks'],
    'NewWebhook.url': ['Where the events go: https.', 'https://example.com/hooks'],
    'WebhookChange.url': ['Where the events go: https.', 'https://example.com/hooks'],
    types: ['Types of the events that are sent. Null means all.', ['k.message.opened']],
    include: [
      'What is sent besides events: `deliveries` are the pages of notifications as they close.',
      ['deliveries'],
    ],
    batch: ['How many events one request has.'],
    max: ['Maximum number of events in one request. Above 1, every message is a batch.', 100],
    waitMs: ['How long a batch that is not full waits for more events (ms).', 2000],
    enabled: ['Whether events are sent.', true],
    'Webhook.state': ['`failing`: the last attempt failed, and the message comes again.', 'on'],
    'CreatedWebhook.state': ['`failing`: the last attempt failed, and the message comes again.', 'on'],
    offReason: ['Why it is off. Null while it is on.', null],
    failingSince: ['When the first of the failures that go on happened.', null],
    waitingSince: ['When the oldest event was received that it has not got. Null: it has got all.', null],
    secretHint: ['The end of the secret.', '…jlA='],
    formerSecretUntil: ['Until when the secret before signs as well.', null],
    secret: ['The key for verifying signatures. It is not shown again.', SECRET],
    'Webhook.replay': ['The replay that is under way; null when there is none.', null],
    'CreatedWebhook.replay': ['The replay that is under way; null when there is none.', null],
    'WebhookReplay.from': [
      'The time from which it sends; null when it began behind an event.',
      '2026-11-20T00:00:00+0000',
    ],
    'WebhookReplay.to': ['The time up to which it sends; null when it ends with an event.', null],
    'EventReplay.from': ['A time, or the id of an event behind which it begins.', '2026-11-20T00:00:00Z'],
    'EventReplay.to': ['A time, or the id of the last event. Absent: up to now.', '2026-11-21T00:00:00Z'],
    overlapSeconds: ['How long the secret before signs as well.', 86_400],
    attempts: ['The requests, the newest first.'],
    webhooks: ['The webhooks.'],
    'WebhookAttempt.at': ['When it ended.', '2026-11-21T09:30:00+0000'],
    webhookId: ['The header `webhook-id` of the message: the same for all its attempts.', 'evt_7_2n-2r'],
    attempt: ['1 is the first.', 1],
    'WebhookAttempt.events': ['How many events the message had.', 12],
    'WebhookAttempt.replay': ['Whether it was part of a replay.', false],
    'WebhookAttempt.status': ['Status of the answer. Null: there was none.', 200],
    'WebhookAttempt.reason': ['Why it failed. Null: it did not.', null],
    tookMs: ['How long the endpoint took (ms).', 81],
  },
}
