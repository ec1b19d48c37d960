import { createHash } from 'node:crypto'
import { buildAppData } from '../apns/payload.ts'
import type { PushContent, PushMessage, PushPreview } from '../gateway.ts'
import { LONGEST_TEXT } from './encrypt.ts'
import { WEB } from './limits.ts'

/** What the service worker of the web SDK reads (docs/reference/device-protocol.md section 10). */
export interface WebPayload {
  title: string
  msg: string
  /** The block `a`; without `k.message` in it the worker ignores the push. */
  data: Record<string, unknown>
  /** Opened by a click; the worker takes `/` for null. */
  url: string | null
  image: string | null
  icon: string | null
}

/** Content -> the text that is encrypted. Pure. */
export function buildWebPayload(content: PushContent, iconUrl: string | undefined): WebPayload {
  return {
    title: content.title,
    msg: content.message,
    data: buildAppData(content),
    url: content.url || null,
    image: absolute(content.android.pictureUrl) ?? absolute(content.ios.pictureUrl) ?? null,
    icon: iconUrl ?? null,
  }
}

/** Browsers show every push, whether there is something to read or not. */
export function hasNothingToShow({ title, message }: PushContent): boolean {
  return title === '' && message === ''
}

/** A path of a media server means nothing to a browser. */
function absolute(picture: string | undefined): string | undefined {
  return picture !== undefined && /^https?:\/\//i.test(picture) ? picture : undefined
}

/** The headers that are the same for every recipient. `now` in ms. Pure. */
export function buildWebHeaders(message: PushMessage, now: number): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(Math.min(Math.max(Math.floor((message.expiresAt - now) / 1000), 0), WEB.ttlSeconds)),
    urgency: message.content.android.highPriority ? 'high' : 'normal',
    topic: topicOf(message),
  }
}

/**
 * What replaces what while a browser is away: a message that is sent again after an uncertain answer takes the place of the first.
 * At most 32 characters; letters and digits only, since Mozilla takes no others.
 */
export function topicOf({ content, replacementKey }: PushMessage): string {
  const wanted =
    content.inAppMessageId === undefined
      ? content.collapseId || replacementKey
      : `k-in-app-message:${content.inAppMessageId}`
  return /^[A-Za-z0-9]{1,32}$/.test(wanted) ? wanted : createHash('sha256').update(wanted).digest('hex').slice(0, 32)
}

/** What is encrypted for each browser; the icon of the app is added when it is sent. `now` in ms. */
export function previewWeb(message: PushMessage, now: number = Date.now()): PushPreview {
  const payload = buildWebPayload(message.content, undefined)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildWebHeaders(message, now), payload, bytes, limit: LONGEST_TEXT }
}
