import { INCLUDES } from '../../domain/followers/types.ts'
import type { Attempt, WebhookReport } from '../../domain/webhooks/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  answer,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  time,
  told,
  url,
  within,
} from '../schema.ts'
import { APP_ID, CREATED_AT, ID, UPDATED_AT } from '../words.ts'

const timeOrNull = (ms: number | null) => (ms === null ? null : isoOffset(ms))

/** States of a webhook, one word each. */
export const WEBHOOK_STATES = ['on', 'failing', 'off'] as const

export function stateOfWebhook({ state, failingSince }: Pick<WebhookReport, 'state' | 'failingSince'>) {
  return state === 'off' ? 'off' : failingSince === null ? 'on' : 'failing'
}

const members = {
  id: told(integer, ID),
  appId: told(integer, APP_ID),
  url: told(url, 'Where the events go.', 'https://example.com/hooks'),
  types: told(nullable(list(string)), 'Types of the events that are sent. Null means all.', ['k.message.opened']),
  include: optional(
    told(
      list(oneOf(INCLUDES)),
      'What is sent besides events: `deliveries` are the pages of notifications as they close.',
      ['deliveries'],
      ({ deliveries }: WebhookReport) => (deliveries ? ['deliveries' as const] : undefined),
    ),
  ),
  batch: told(
    object('WebhookBatch', 'The size of a request.', {
      max: told(integer, 'Maximum number of events in one request. Above 1, every message is a batch.', 100),
      waitMs: told(integer, 'How long a batch that is not full waits for more events (ms).', 2000),
    }),
    'How many events one request has.',
    ({ batch }: WebhookReport) => ({ max: batch.max, waitMs: batch.waitMs }),
  ),
  enabled: told(boolean, 'Whether events are sent.', true, ({ state }: WebhookReport) => state === 'on'),
  state: told(
    oneOf(WEBHOOK_STATES),
    '`failing`: the last attempt failed, and the message comes again.',
    'on',
    (webhook: WebhookReport) => stateOfWebhook(webhook),
  ),
  offReason: told(nullable(string), 'Why it is off. Null while it is on.', null),
  failingSince: told(nullable(time), 'When the first of the failures that go on happened.', null),
  waitingSince: told(
    nullable(time),
    'When the oldest event was received that it has not got. Null: it has got all.',
    null,
  ),
  secretHint: told(string, 'The end of the secret.', '…jlA=', ({ hint }: WebhookReport) => hint),
  formerSecretUntil: told(
    nullable(time),
    'Until when the secret before signs as well.',
    null,
    ({ formerUntil }: WebhookReport) => formerUntil,
  ),
  replay: told(
    nullable(
      object('WebhookReplay', 'The replay that is under way.', {
        from: told(
          nullable(time),
          'The time from which it sends; null when it began behind an event.',
          '2026-11-20T00:00:00+0000',
        ),
        to: told(nullable(time), 'The time up to which it sends; null when it ends with an event.', null),
      }),
    ),
    'The replay that is under way; null when there is none.',
    null,
    ({ replay }: WebhookReport) => replay && { from: timeOrNull(replay.from), to: timeOrNull(replay.to) },
  ),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
}
/** A webhook, never with its secret. */
export const webhook = answer<WebhookReport>()('Webhook', 'An address to which events are sent.', members)
export const presentWebhook = webhook.present
export const webhooks = object('Webhooks', 'All webhooks of an app.', {
  webhooks: told(list(webhook), 'The webhooks.'),
})
interface NewWebhook {
  webhook: WebhookReport
  secret: string
}

/** The one answer that has the secret. */
export const newWebhook = answer<NewWebhook>()('CreatedWebhook', 'A webhook with its new secret.', {
  ...within(({ webhook }: NewWebhook) => webhook, members),
  secret: told(
    string,
    'The key for verifying signatures. It is not shown again.',
    'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA=',
  ),
})
export const presentNewWebhook = newWebhook.present

const webhookAttempt = answer<Attempt>()('WebhookAttempt', 'One request and what came of it.', {
  id: told(integer, ID),
  at: told(time, 'When it ended.', '2026-11-21T09:30:00+0000'),
  webhookId: told(
    string,
    'The header `webhook-id` of the message: the same for all its attempts.',
    'evt_7_2n-2r',
    ({ messageId }) => messageId,
  ),
  attempt: told(count, '1 is the first.', 1),
  events: told(count, 'How many events the message had.', 12),
  replay: told(boolean, 'Whether it was part of a replay.', false, ({ kind }) => kind === 'replay'),
  status: told(nullable(integer), 'Status of the answer. Null: there was none.', 200),
  reason: told(nullable(string), 'Why it failed. Null: it did not.', null),
  tookMs: told(count, 'How long the endpoint took (ms).', 81),
})
export const presentAttempt = webhookAttempt.present
export const attemptPage = pageOf(
  'attempts',
  'One page of attempts.',
  'The requests, the newest first.',
  webhookAttempt,
)
