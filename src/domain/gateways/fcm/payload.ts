import { buildAppData } from '../apns/payload.ts'
import type { PushContent, PushMessage, PushPreview } from '../gateway.ts'
import { FCM } from './limits.ts'

/** A message without its target, as FCM's HTTP v1 interface takes it. */
export interface FcmMessage {
  data: Record<string, string>
  android: { priority: 'high' | 'normal'; ttl: string; collapse_key?: string }
}

/**
 * Message -> FCM. Data only, no `notification` block: the client SDK draws the notification itself
 * (docs/reference/device-protocol.md section 10). The app's own data travels inside `custom`, so none of FCM's reserved
 * keys (`from`, `message_type`, `google.*`, `gcm.notification.*`) can come from a caller.
 *
 * Nothing replaces an earlier copy unless the caller gave a `collapseId`: `notification.tag` does not exist in a data
 * message, and at most four collapse keys may be live per device, so inventing one would drop other messages. The
 * client SDK identifies a notification by the time FCM sent it, or by the in-app message that it announces. So a
 * message that is resent after an uncertain answer shows twice, unless it announces an in-app message.
 */
export function buildFcmMessage({ content, expiresAt }: PushMessage, now: number): FcmMessage {
  return {
    data: buildAndroidData(content),
    android: {
      priority: content.android.highPriority ? 'high' : 'normal',
      ttl: `${secondsLeft(expiresAt, now)}s`,
      ...(content.collapseId && { collapse_key: content.collapseId }),
    },
  }
}

/**
 * The data that the Android client SDK reads from a push, whichever vendor delivers it
 * (docs/reference/device-protocol.md section 10). All values are texts; `custom` is JSON text.
 */
export function buildAndroidData(content: PushContent): Record<string, string> {
  const { sound, pictureUrl } = content.android
  const soundName = soundNameOf(sound)
  const custom = {
    a: { ...buildAppData(content), ...channelOf(content.android) },
    u: content.url || null,
    i: String(content.notificationId),
  }
  return {
    title: content.title,
    alert: content.message,
    custom: JSON.stringify(custom),
    ...(content.background && { bgn: '1' }),
    ...(pictureUrl && pictureUrl.length >= FCM.pictureMinCharacters && { bicon: pictureUrl }),
    ...(soundName && { sound: soundName }),
  }
}

/**
 * Names the notification channel for the SDK (`getChannel` of its PushMessage). It takes the channel that `k.channel` names if
 * the app has it; else, with `k.notificationType` "important", its own channel of high importance, which may appear on top of
 * the screen; else its general one.
 */
function channelOf({ channelId, importance }: PushContent['android']): Record<string, string> {
  return {
    ...(channelId && { 'k.channel': channelId }),
    ...(importance === 'high' && { 'k.notificationType': 'important' }),
  }
}

function secondsLeft(expiresAt: number, now: number): number {
  return Math.min(Math.max(Math.floor((expiresAt - now) / 1000), 0), FCM.ttlSeconds)
}

/**
 * Raw resources of an Android app are named without ending. The client cannot be asked for silence, so `none` says
 * nothing.
 */
function soundNameOf(sound: string | undefined): string | undefined {
  if (!sound || sound === 'none') return undefined
  return sound.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '') || undefined
}

/** The size that Google limits: the keys and values of `data`, in bytes of UTF-8. */
export function sizeOfData(message: FcmMessage): number {
  return Object.entries(message.data).reduce((sum, [key, value]) => sum + bytes(key) + bytes(value), 0)
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}

/** Headers of a send call, without `authorization`. */
export const CONTENT = { 'content-type': 'application/json' }

/** The request for one message, without the token (the recipient's) and `authorization` (the account's). */
export function previewFcm(message: PushMessage, now: number = Date.now()): PushPreview {
  const built = buildFcmMessage(message, now)
  return { headers: { ...CONTENT }, payload: { message: built }, bytes: sizeOfData(built), limit: FCM.payloadBytes }
}
