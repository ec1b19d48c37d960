import { createHash } from 'node:crypto'
import type {
  ApplePriority,
  Button,
  CriticalSound,
  InterruptionLevel,
  PushContent,
  PushMessage,
  PushPreview,
} from '../gateway.ts'
import { APNS } from './limits.ts'

/**
 * The JSON body of one push, as the client SDKs read it (docs/reference/device-protocol.md section 10). The names
 * inside `aps` are Apple's: "Generating a remote notification" (developer.apple.com, User Notifications), in the tables
 * of keys for `aps`, `alert` and `sound`.
 */
export interface ApnsPayload {
  aps: {
    alert?: { title: string; subtitle?: string; body: string }
    sound?: string | { critical: 1; name: string; volume?: number }
    badge?: number
    category?: string
    'thread-id'?: string
    'interruption-level'?: InterruptionLevel
    'relevance-score'?: number
    'target-content-id'?: string
    'mutable-content'?: 1
    'content-available'?: 1
  }
  custom: { a: Record<string, unknown>; u?: string; i: string; badge_inc?: number }
  attachments?: { pictureUrl: string }
}

/**
 * Tells whether the push shows nothing: background processing without text. A push without text that announces an
 * in-app message only wakes the app to fetch it.
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
      // Apps older than the k.message block (2018) read the id here, as text.
      i: String(content.notificationId),
      ...(!isSilent(content) && incrementOf(content.ios.badge)),
    },
    ...(content.ios.pictureUrl && !isSilent(content) && { attachments: { pictureUrl: content.ios.pictureUrl } }),
  }
}

function buildAps(content: PushContent): ApnsPayload['aps'] {
  // Apple delays or drops a background push that also has an alert or a sound.
  if (isSilent(content)) return { 'content-available': 1 }
  const { category, badge, subtitle, threadId, interruptionLevel, relevanceScore, targetContentId } = content.ios
  const sound = soundOf(content.ios.sound)
  return {
    alert: { title: content.title, ...(subtitle && { subtitle }), body: content.message },
    ...(sound && { sound }),
    // For an increment the client SDK adds `badge_inc` to its own count, and shows this value if it has no count yet.
    ...(badge && { badge: Math.max(0, badge.count) }),
    ...(category && { category }),
    ...(threadId && { 'thread-id': threadId }),
    ...(interruptionLevel && { 'interruption-level': interruptionLevel }),
    ...(relevanceScore !== undefined && { 'relevance-score': relevanceScore }),
    ...(targetContentId && { 'target-content-id': targetContentId }),
    // Lets the app's service extension add buttons, the picture, badge arithmetic and delivery reports.
    'mutable-content': 1,
    ...((content.background || content.inAppMessageId !== undefined) && { 'content-available': 1 as const }),
  }
}

/**
 * The number that the client SDK adds to its badge count. A count of 0 clears the badge, whatever the type. An increment
 * of 0 would clear nothing, so it is omitted: then the client shows `aps.badge` as it is and counts from there.
 */
function incrementOf(badge: PushContent['ios']['badge']): { badge_inc?: number } {
  return badge?.type === 'incrementBy' && badge.count !== 0 ? { badge_inc: badge.count } : {}
}

/**
 * `none` is the contract's word for silence (no vibration either); absent means the phone's default sound. A critical
 * sound is a dictionary, and its flag a number.
 */
function soundOf(sound: string | CriticalSound | undefined): ApnsPayload['aps']['sound'] {
  if (typeof sound === 'object') {
    const { name = 'default', volume } = sound
    return { critical: 1, name, ...(volume !== undefined && { volume }) }
  }
  return sound === 'none' ? undefined : sound || 'default'
}

/**
 * The block `a`, the same on every platform: the app's own data, and the SDK's under the reserved prefix `k.`. Without
 * `k.message` and its integer id the client SDKs ignore the push as foreign (or crash). An `icon` of a button has two
 * texts, `type` and `id`: the SDK for iOS drops one with anything else in it.
 */
export function buildAppData(content: PushContent): Record<string, unknown> {
  const own = Object.entries(content.data ?? {}).filter(([key]) => !key.startsWith('k.'))
  return {
    ...Object.fromEntries(own),
    'k.message': { type: 1, data: { id: content.notificationId } },
    ...(content.inAppMessageId !== undefined && { 'k.deepLink': { type: 1, data: { id: content.inAppMessageId } } }),
    ...(content.buttons?.length && { 'k.buttons': content.buttons.map(buttonOf) }),
  }
}

function buttonOf({ id, text, icon }: Button): Button {
  return { id, text, ...(icon && { icon: { type: icon.type, id: icon.id } }) }
}

/** The headers that are the same for every recipient. Pure. */
export function buildApnsHeaders(message: PushMessage): Record<string, string> {
  return buildAppleHeaders(message, message.content.ios.priority ?? 10)
}

/**
 * The headers of a push to Apple, for iOS or Safari. `priority` as Apple means it ("Sending notification requests to
 * APNs"): 10 at once, 5 when it suits the battery, 1 without waking the device. Pure.
 */
export function buildAppleHeaders(message: PushMessage, priority: ApplePriority): Record<string, string> {
  const silent = isSilent(message.content)
  return {
    'apns-push-type': silent ? 'background' : 'alert',
    // A background push with priority 10 is an error.
    'apns-priority': silent ? '5' : String(priority),
    'apns-expiration': String(Math.max(0, Math.floor(message.expiresAt / 1000))),
    'apns-collapse-id': collapseIdOf(message),
  }
}

/**
 * The collapse id: a push replaces an earlier one with the same id. The client removes the notification that announces
 * an in-app message by exactly this name. Without a caller's `collapseId`, the replacement key makes a resend harmless.
 */
export function collapseIdOf({ content, replacementKey }: PushMessage): string {
  if (content.inAppMessageId !== undefined) return `k-in-app-message:${content.inAppMessageId}`
  const wanted = content.collapseId || replacementKey
  const fits = Buffer.byteLength(wanted) <= APNS.collapseIdBytes && /^[!-~](?:[ -~]*[!-~])?$/.test(wanted)
  return fits ? wanted : createHash('sha256').update(wanted).digest('hex').slice(0, APNS.collapseIdBytes)
}

/** The request for one message, without `apns-topic` (the recipient's) and `authorization` (the credential's). */
export function previewApns(message: PushMessage): PushPreview {
  const payload = buildApnsPayload(message.content)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildApnsHeaders(message), payload, bytes, limit: APNS.payloadBytes }
}
