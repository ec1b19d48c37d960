/** An address to which the events of an app are sent. */
export interface Webhook {
  id: number
  appId: number
  url: string
  /** Null: events of all types. */
  types: string[] | null
  /** It also gets the pages of notifications as they close, whatever `types` says. */
  deliveries: boolean
  batch: BatchRule
  /** The end of the secret, to tell secrets apart. */
  hint: string
  /** Until when the secret before the last rotation signs as well (ms); null: it does not. */
  formerUntil: number | null
  state: 'on' | 'off'
  /** Why it is off, in words; null while it is on. */
  offReason: string | null
  /** When the first of the failures that go on happened (ms); null: the last attempt succeeded. */
  failingSince: number | null
  createdAt: number
  updatedAt: number
}

/** How many events one request has at most, and how long a batch that is not full waits for more (ms). */
export interface BatchRule {
  max: number
  waitMs: number
}

/** A webhook beside its position in the log, for people. */
export interface WebhookReport extends Webhook {
  /** When the oldest event was received that it has not got (ms); null: it has got all. */
  waitingSince: number | null
  replay: { from: number | null; to: number | null } | null
}

/** What happens now, or events that are sent once more. */
export type CursorKind = 'live' | 'replay'

/** How far an endpoint has got. */
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
  /** Of a replay: what it was to send cannot be read. */
  isLost?: true
}

/** What a replay sends: events up to the cursor `until` that were received from `from` to before `to` (ms). */
export interface ReplaySpan {
  until: string
  from: number | null
  to: number | null
  /** How many replays this webhook has had, with this one: their messages have ids of their own. */
  number: number
}

/** A message under way. Its first attempt and every retry send the same events under the same id. */
export interface Batch {
  id: string
  /** The cursor of its last event. */
  until: string
  /** What the webhook wanted when the bounds were chosen. */
  types: string[] | null
  /** Absent: without pages of notifications. */
  deliveries?: true
  max: number
}

/** One request to an endpoint and what came of it. */
export interface Attempt {
  id: number
  kind: CursorKind
  messageId: string
  /** 1 is the first. */
  attempt: number
  events: number
  /** Of the answer; null: there was none. */
  status: number | null
  /** Null: it succeeded. */
  reason: string | null
  tookMs: number
  at: number
}
