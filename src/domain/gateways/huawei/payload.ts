import { createHash } from 'node:crypto'
import { buildAndroidData } from '../fcm/payload.ts'
import type { PushMessage, PushPreview } from '../gateway.ts'
import { HCM } from './limits.ts'

/** A message without its tokens, as Push Kit's v1 interface takes it. */
export interface HcmMessage {
  /** One JSON object as text: Push Kit hands the text to the app as it is. */
  data: string
  android: { urgency: 'HIGH' | 'NORMAL'; ttl: string; bi_tag: string; collapse_key?: number }
}

/**
 * Message -> Push Kit. Data only, no `notification` block: the client SDK draws the notification itself, from the same
 * keys as with FCM (docs/reference/device-protocol.md section 10).
 *
 * `collapse_key` is set only for a caller's `collapseId`: there are only a hundred groups, so an invented one would
 * replace other messages to offline devices. Without it, a message that is resent after an uncertain answer shows
 * twice.
 */
export function buildHcmMessage({ content, expiresAt, replacementKey }: PushMessage, now: number): HcmMessage {
  return {
    data: JSON.stringify(buildAndroidData(content)),
    android: {
      urgency: content.android.highPriority ? 'HIGH' : 'NORMAL',
      ttl: `${secondsLeft(expiresAt, now)}s`,
      // Returned in receipts, if the operator registered for them.
      bi_tag: replacementKey,
      ...(content.collapseId && { collapse_key: collapseGroupOf(content.collapseId) }),
    },
  }
}

/** A text `collapseId` -> one of the groups 1 to 100, always the same one. Two texts may share a group. */
export function collapseGroupOf(collapseId: string): number {
  return (createHash('sha256').update(collapseId).digest().readUInt32BE(0) % HCM.collapseGroups) + 1
}

function secondsLeft(expiresAt: number, now: number): number {
  return Math.min(Math.max(Math.floor((expiresAt - now) / 1000), 1), HCM.ttlSeconds)
}

/** The request without its tokens, of which Huawei limits the size. */
export function hcmBody(message: HcmMessage, tokens: readonly string[], validateOnly = false): string {
  return JSON.stringify({ validate_only: validateOnly, message: { ...message, token: tokens } })
}

/** The size that Huawei limits, in bytes of UTF-8: the whole body except the tokens. */
export function sizeOfHcm(message: HcmMessage): number {
  // Measured with NORMAL, the longer word: a refused HIGH is resent as NORMAL.
  return Buffer.byteLength(hcmBody({ ...message, android: { ...message.android, urgency: 'NORMAL' } }, []))
}

/** Headers of a send call, without `authorization`. */
export const CONTENT = { 'content-type': 'application/json;charset=UTF-8' }

/** The request for one message, without tokens (the recipients') and `authorization` (the app's). */
export function previewHcm(message: PushMessage, now: number = Date.now()): PushPreview {
  const built = buildHcmMessage(message, now)
  return {
    headers: { ...CONTENT },
    payload: { validate_only: false, message: built },
    bytes: sizeOfHcm(built),
    limit: HCM.payloadBytes,
  }
}
