import { createHash } from 'node:crypto'
import type { PushContent, PushMessage, PushPreview } from '../gateway.ts'
import { APNS } from './limits.ts'

/** The JSON body of one push, as the client SDKs read it (docs/reference/device-protocol.md section 10). */
export interface ApnsPayload {
  aps: {
    alert?: { title: string; body: string }
    sound?: string
    badge?: number
    category?: string
    'mutable-content'?: 1
    'content-available'?: 1
  }
  custom: { a: Record<string, unknown>; u?: string; i: string; badge_inc?: number }
  attachments?: { pictureUrl: string }
}

/**
 * Whether nothing is to be seen: processed in the background, without any text. A push that announces an in-app message
 * and has no text only wakes the app to fetch it.
 */
export function isSilent(content: PushContent): boolean {
  const wakes = content.background || content.inAppMessageId !== undefined
  return wakes && content.title === '' && content.message === ''
}

/** Content -> body. Pure. */
export function buildApnsPayload(content: PushContent): ApnsPayload {
  return {
    aps: buildAps(content),
    custom: {
      a: buildAppData(content),
      ...(content.url && { u: content.url }),
      // Apps from before the k.message block (2018) read the id from here, as text.
      i: String(content.notificationId),
      ...(!isSilent(content) && incrementOf(content.ios.badge)),
    },
    ...(content.ios.pictureUrl && !isSilent(content) && { attachments: { pictureUrl: content.ios.pictureUrl } }),
  }
}

function buildAps(content: PushContent): ApnsPayload['aps'] {
  // Apple delays or drops a background push that also carries something to show or to hear.
  if (isSilent(content)) return { 'content-available': 1 }
  const { category, badge } = content.ios
  const sound = soundOf(content.ios.sound)
  return {
    alert: { title: content.title, body: content.message },
    ...(sound && { sound }),
    // For an increment the client SDK adds `badge_inc` to what it counted; it shows this where it counted nothing yet.
    ...(badge && { badge: Math.max(0, badge.count) }),
    ...(category && { category }),
    // Lets the app's service extension add buttons, the picture, badge arithmetic and delivery reports.
    'mutable-content': 1,
    ...((content.background || content.inAppMessageId !== undefined) && { 'content-available': 1 as const }),
  }
}

/**
 * What the client SDK adds to the badge that it counted. A count of 0 clears, whatever the type, and an increment of 0 would
 * clear nothing: without one the client shows `aps.badge` as it is and counts on from there.
 */
function incrementOf(badge: PushContent['ios']['badge']): { badge_inc?: number } {
  return badge?.type === 'incrementBy' && badge.count !== 0 ? { badge_inc: badge.count } : {}
}

/** `none` is the contract's word for silence and vibrates neither; saying nothing means the phone's own sound. */
function soundOf(sound: string | undefined): string | undefined {
  return sound === 'none' ? undefined : sound || 'default'
}

/**
 * The block `a`, the same on every platform: the app's own data, and what the SDK needs under the reserved prefix `k.`.
 * Without `k.message` and its integer id the client SDKs take the push for somebody else's (or crash).
 */
export function buildAppData(content: PushContent): Record<string, unknown> {
  const own = Object.entries(content.data ?? {}).filter(([key]) => !key.startsWith('k.'))
  return {
    ...Object.fromEntries(own),
    'k.message': { type: 1, data: { id: content.notificationId } },
    ...(content.inAppMessageId !== undefined && { 'k.deepLink': { type: 1, data: { id: content.inAppMessageId } } }),
    ...(content.buttons?.length && { 'k.buttons': content.buttons.map(({ id, text }) => ({ id, text })) }),
  }
}

/** The headers that are the same for every recipient. Pure. */
export function buildApnsHeaders(message: PushMessage): Record<string, string> {
  const silent = isSilent(message.content)
  return {
    'apns-push-type': silent ? 'background' : 'alert',
    // A background push with priority 10 is an error.
    'apns-priority': silent ? '5' : '10',
    'apns-expiration': String(Math.max(0, Math.floor(message.expiresAt / 1000))),
    'apns-collapse-id': collapseIdOf(message),
  }
}

/**
 * What replaces what on the device. For a push that announces an in-app message the client removes the shown
 * notification by exactly this name. Without a wish of the caller the replacement key makes a resend harmless.
 */
export function collapseIdOf({ content, replacementKey }: PushMessage): string {
  if (content.inAppMessageId !== undefined) return `k-in-app-message:${content.inAppMessageId}`
  const wanted = content.collapseId || replacementKey
  const fits = Buffer.byteLength(wanted) <= APNS.collapseIdBytes && /^[!-~](?:[ -~]*[!-~])?$/.test(wanted)
  return fits ? wanted : createHash('sha256').update(wanted).digest('hex').slice(0, APNS.collapseIdBytes)
}

/** What leaves the machine for one message; `apns-topic` and `authorization` come with the recipient and the credential. */
export function previewApns(message: PushMessage): PushPreview {
  const payload = buildApnsPayload(message.content)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildApnsHeaders(message), payload, bytes, limit: APNS.payloadBytes }
}
