import { INCLUDES } from '../../domain/followers/types.ts'
import type { Attempt, WebhookReport } from '../../domain/webhooks/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  answerOf,
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
  url,
} from '../schema.ts'

const timeOrNull = (ms: number | null) => (ms === null ? null : isoOffset(ms))

/** What a webhook is doing, in a word. */
export const WEBHOOK_STATES = ['on', 'failing', 'off'] as const

export function stateOfWebhook({ state, failingSince }: Pick<WebhookReport, 'state' | 'failingSince'>) {
  return state === 'off' ? 'off' : failingSince === null ? 'on' : 'failing'
}

/** A webhook, never with its secret. */
export function presentWebhook(webhook: WebhookReport) {
  const { id, appId, url, types, deliveries, batch, state, offReason, hint, replay } = webhook
  return {
    id,
    appId,
    url,
    types,
    // Absent unless it was asked for: the answers of others stay as they were.
    ...(deliveries && { include: ['deliveries' as const] }),
    batch: { max: batch.max, waitMs: batch.waitMs },
    enabled: state === 'on',
    state: stateOfWebhook(webhook),
    offReason,
    failingSince: timeOrNull(webhook.failingSince),
    waitingSince: timeOrNull(webhook.waitingSince),
    secretHint: hint,
    formerSecretUntil: timeOrNull(webhook.formerUntil),
    replay: replay && { from: timeOrNull(replay.from), to: timeOrNull(replay.to) },
    createdAt: isoOffset(webhook.createdAt),
    updatedAt: isoOffset(webhook.updatedAt),
  }
}

/** The one answer that has the secret. */
export function presentNewWebhook({ webhook, secret }: { webhook: WebhookReport; secret: string }) {
  return { ...presentWebhook(webhook), secret }
}

export function presentAttempt({ id, kind, messageId, attempt, events, status, reason, tookMs, at }: Attempt) {
  return {
    id,
    at: isoOffset(at),
    webhookId: messageId,
    attempt,
    events,
    replay: kind === 'replay',
    status,
    reason,
    tookMs,
  }
}

const members = {
  id: integer,
  appId: integer,
  url,
  types: nullable(list(string)),
  include: optional(list(oneOf(INCLUDES))),
  batch: object({ max: integer, waitMs: integer }, 'WebhookBatch'),
  enabled: boolean,
  state: oneOf(WEBHOOK_STATES),
  offReason: nullable(string),
  failingSince: nullable(time),
  waitingSince: nullable(time),
  secretHint: string,
  formerSecretUntil: nullable(time),
  replay: nullable(object({ from: nullable(time), to: nullable(time) }, 'WebhookReplay')),
  createdAt: time,
  updatedAt: time,
}
export const webhook = answerOf<typeof presentWebhook>('Webhook', members)
export const webhooks = object({ webhooks: list(webhook) }, 'Webhooks')
export const newWebhook = answerOf<typeof presentNewWebhook>('CreatedWebhook', { ...members, secret: string })

export const attemptPage = pageOf(
  'attempts',
  answerOf<typeof presentAttempt>('WebhookAttempt', {
    id: integer,
    at: time,
    webhookId: string,
    attempt: count,
    events: count,
    replay: boolean,
    status: nullable(integer),
    reason: nullable(string),
    tookMs: count,
  }),
)
