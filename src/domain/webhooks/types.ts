import { integer, table, text, type Value } from '../../platform/db/table.ts'

/** An address to which the events of an app are sent. */
export interface Webhook {
  id: number
  appId: number
  url: string
  /** Types of the events that are sent; null: all. */
  types: string[] | null
  /** True when it also gets the pages of notifications as they close, whatever `types` says. */
  deliveries: boolean
  batch: BatchRule
  /** The end of the secret, to tell secrets apart. */
  hint: string
  /** The time until which the secret before the last rotation signs as well (ms); null: it does not. */
  formerUntil: number | null
  state: 'on' | 'off'
  /** The reason why it is off, in words; null while it is on. */
  offReason: string | null
  /** The time of the first of the failures that go on (ms); null: the last attempt succeeded. */
  failingSince: number | null
  createdAt: number
  updatedAt: number
}

/** Maximum number of events in one request, and the time for which a batch that is not full waits for more (ms). */
export interface BatchRule {
  max: number
  waitMs: number
}

/** A webhook beside its position in the log, for people. */
export interface WebhookReport extends Webhook {
  /** The time at which the oldest event was received that it has not got (ms); null: it has got all. */
  waitingSince: number | null
  replay: { from: number | null; to: number | null } | null
}

/** New events, or events that are sent once more. */
export type CursorKind = 'live' | 'replay'

/** The place of an endpoint in the log. */
export interface WebhookCursor {
  webhookId: number
  kind: CursorKind
  appId: number
  /** The cursor behind the last event that it has got. */
  cursor: string
  span: ReplaySpan | null
  batch: Batch | null
  /** Failed attempts for `batch`. */
  attempt: number
  fence: number
  /** Set when the span of a replay cannot be read. */
  isLost?: true
}

/** The span of a replay: events up to the cursor `until` that were received from `from` to before `to` (ms). */
export interface ReplaySpan {
  until: string
  from: number | null
  to: number | null
  /** The number of replays of this webhook, with this one: their messages have ids of their own. */
  number: number
}

/** A message under way. Its first attempt and every retry send the same events under the same id. */
export interface Batch {
  id: string
  /** The cursor of its last event. */
  until: string
  /** The types that the webhook wanted when the bounds were chosen. */
  types: string[] | null
  /** Set when the message includes pages of notifications. */
  deliveries?: true
  max: number
}

export const ATTEMPTS = table('webhook_attempts', {
  id: integer('id'),
  webhookId: integer('webhook_id'),
  appId: integer('app_id'),
  kind: text('kind').as<CursorKind>(),
  messageId: text('message_id'),
  /** 1 is the first. */
  attempt: integer('attempt'),
  events: integer('events'),
  /** Status of the answer; null: there was none. */
  status: integer('status').orNull,
  /** Reason of the failure; null: it succeeded. */
  reason: text('reason').orNull,
  tookMs: integer('took_ms'),
  at: integer('happened_at'),
})

/** One request to an endpoint and its result. */
export type Attempt = Omit<Value<typeof ATTEMPTS>, 'webhookId' | 'appId'>
