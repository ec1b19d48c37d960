import { createHash } from 'node:crypto'
import { buildAppData } from '../apns/payload.ts'
import type { PushContent, PushMessage, PushPreview } from '../gateway.ts'
import { MAX_TEXT_BYTES } from './encrypt.ts'
import { WEB } from './limits.ts'

/** The payload that the service worker of the web SDK reads (docs/reference/device-protocol.md section 10). */
export interface WebPayload {
  title: string
  msg: string
  /** The block `a`; without `k.message` in it the worker ignores the push. */
  data: Record<string, unknown>
  /** Opened on click; the worker treats `/` as null. */
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

/** Tells whether there is no text. Browsers show every push, even an empty one. */
export function hasNothingToShow({ title, message }: PushContent): boolean {
  return title === '' && message === ''
}

/** Browsers cannot resolve a path of a media server. */
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
 * The `Topic` header: a message replaces a waiting one with the same topic, so a resend after an uncertain answer
 * replaces the first copy. At most 32 characters; letters and digits only, because Mozilla accepts no others.
 */
export function topicOf({ content, replacementKey }: PushMessage): string {
  const wanted =
    content.inAppMessageId === undefined
      ? content.collapseId || replacementKey
      : `k-in-app-message:${content.inAppMessageId}`
  return /^[A-Za-z0-9]{1,32}$/.test(wanted) ? wanted : createHash('sha256').update(wanted).digest('hex').slice(0, 32)
}

/** The text that is encrypted for each browser; sending adds the app's icon. `now` in ms. */
export function previewWeb(message: PushMessage, now: number = Date.now()): PushPreview {
  const payload = buildWebPayload(message.content, undefined)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildWebHeaders(message, now), payload, bytes, limit: MAX_TEXT_BYTES }
}
