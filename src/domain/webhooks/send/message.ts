import type { LoggedEvent } from '../../followers/types.ts'
import type { CursorKind } from '../types.ts'

/**
 * Data beyond this is left out of a webhook (bytes of JSON); the cursor always has it. Pages of notifications are whole:
 * their size is that of a page.
 */
const MAX_EVENT_BYTES = 64 * 1024

/** A batch ends before the event with which it would be longer than this. The first event is always in. */
const MAX_BODY_BYTES = 256 * 1024

/** Makes the JSON text of a message out of the JSON texts of its events. */
export interface Composing {
  /** Takes the next event; false when the message is full without it. */
  take(event: LoggedEvent): boolean
  readonly count: number
  readonly last: LoggedEvent | undefined
  /** The whole body. Call it when at least one event is in. */
  body(): string
}

/**
 * Composes a message: `{"type", "timestamp", "data"}` of one event where the webhook wants no batches, else
 * `{"type": "batch", "data": […]}`. `present` is the JSON of an event as the cursor API has it.
 */
export function composeMessage(
  { max, kind, maxBytes = MAX_BODY_BYTES }: { max: number; kind: CursorKind; maxBytes?: number },
  present: (event: LoggedEvent) => EventJson,
): Composing {
  const texts: string[] = []
  let bytes = 0
  let last: LoggedEvent | undefined
  const mark = kind === 'replay' ? ',"replay":true' : ''
  return {
    take(event) {
      if (texts.length >= max) return false
      const text = event.isPage ? JSON.stringify(present(event)) : textOf(present(event))
      const size = Buffer.byteLength(text)
      if (texts.length > 0 && bytes + size > maxBytes) return false
      texts.push(text)
      bytes += size
      last = event
      return true
    },
    get count() {
      return texts.length
    },
    get last() {
      return last
    },
    body() {
      if (max > 1) return `{"type":"batch","data":[${texts.join(',')}]${mark}}`
      const { type, timestamp } = present(last!)
      return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(timestamp)},"data":${texts[0]}${mark}}`
    },
  }
}

/** An event as callers see it. */
export interface EventJson {
  type: string
  timestamp: string
  data: unknown
}

function textOf(event: EventJson): string {
  const text = JSON.stringify(event)
  if (Buffer.byteLength(text) <= MAX_EVENT_BYTES) return text
  const { data: _, ...others } = event
  return JSON.stringify({ ...others, truncated: true })
}

/** The id of a message: the same for every attempt, and another one for each replay. */
export function messageId(webhookId: number, replay: number | undefined, first: string, last: string): string {
  const of = replay === undefined ? '' : `r${replay}`
  const short = (cursor: string) => cursor.replace(/^0+(?=.)/, '')
  return `evt_${webhookId}${of}_${short(first)}-${short(last)}`
}
