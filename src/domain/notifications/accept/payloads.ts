import type { PushPreview } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import { LONG_ID, type Previewer } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'

/** What a gateway would be sent. */
export interface Payload {
  platform: Platform
  /** Whether the app has a gateway that can send to this platform. */
  configured: boolean
  request: PushPreview
}

/** When vendors stop trying to deliver what is sent now with a time to live in seconds (ms); 0: they try once. */
export function expiryOf(ttl: number, now: number): number {
  return ttl === 0 ? 0 : now + ttl * 1000
}

/**
 * What each kind of gateway would be sent with this content: the requests of a send preview, for every platform and without
 * counting anybody. `expiresAt` is in ms. Pure.
 */
export function payloadsOf(
  previewers: readonly Previewer[],
  able: readonly Platform[],
  content: StoredContent,
  expiresAt: number,
): Payload[] {
  const message = { content: { ...content, notificationId: LONG_ID }, expiresAt, replacementKey: `n${LONG_ID}` }
  return previewers.map(({ platform, preview }) => {
    return { platform, configured: able.includes(platform), request: preview(message) }
  })
}
