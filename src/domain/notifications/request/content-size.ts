import type { Gateway, PushPreview } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import type { StoredContent } from '../types.ts'

/** The part of a gateway that the size check needs. */
export type Previewer = Pick<Gateway<Platform>, 'platform' | 'preview'>

/**
 * The id is part of the payload, but the check runs before there is one. It assumes an id longer than is likely, so
 * that content that passes here never fails at the gateway.
 */
export const LONG_ID = 9_999_999_999

/**
 * Content whose JSON has at most so many bytes is within the limit of every gateway: no payload has more than five times as many, and
 * the limits are about 4000. To write the payloads of all of them takes longer than to accept the send. A test holds it.
 */
export const SURELY_FITS = 700

/** A platform whose limit the content exceeds, and a sentence about it. */
export interface TooLarge {
  platform: Platform
  what: string
}

/** The platforms whose limit the content exceeds. Pure. */
export function judgeSize(content: StoredContent, previewers: readonly Previewer[], expiresAt: number): TooLarge[] {
  if (Buffer.byteLength(JSON.stringify(content)) <= SURELY_FITS) return []
  return judgePayloads(content, previewers, expiresAt)
}

/** `judgeSize` by the payloads of the gateways. Pure. */
export function judgePayloads(content: StoredContent, previewers: readonly Previewer[], expiresAt: number): TooLarge[] {
  const message = { content: { ...content, notificationId: LONG_ID }, expiresAt, replacementKey: `n${LONG_ID}` }
  return previewers
    .map(({ platform, preview }) => ({ platform, ...preview(message) }))
    .filter(({ bytes, limit }) => bytes > limit)
    .map((found) => ({ platform: found.platform, what: describe(content, found) }))
}

/** The platforms that an app without any gateway will most likely have. */
const USUAL_PLATFORMS: readonly Platform[] = ['ios', 'android']

/** The sentences that concern an app with these gateways. Pure. */
export function concerning(tooLarge: readonly TooLarge[], configured: readonly Platform[]): string[] {
  const platforms = configured.length > 0 ? configured : USUAL_PLATFORMS
  return tooLarge.filter(({ platform }) => platforms.includes(platform)).map(({ what }) => what)
}

function describe(
  content: StoredContent,
  { platform, bytes, limit }: PushPreview & Pick<Previewer, 'platform'>,
): string {
  const { title, message, url, data, buttons } = content
  const sizes = Object.entries({ title, message, url, data, buttons, ...deviceParts(content, platform) })
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => ({ name, size: Buffer.byteLength(JSON.stringify(part)) }))
    .sort((a, b) => b.size - a.size)
  const largest = sizes.slice(0, 2).map(({ name, size }) => `${name} (${size} bytes)`)
  return `is too large for ${platform}: the payload has ${bytes} bytes, ${limit} are allowed; shorten ${largest.join(' or ')}`
}

/** The long parts of the blocks `ios` and `android`, as the forms name them: those that this payload contains. */
function deviceParts({ ios, android }: StoredContent, platform: Platform): Record<string, unknown> {
  const { category, sound, subtitle, threadId, targetContentId } = ios
  const pictures = { 'ios.media.pictureUrl': ios.pictureUrl, 'android.pictureUrl': android.pictureUrl }
  switch (platform) {
    case 'ios':
      return {
        'ios.category': category,
        'ios.sound': sound,
        'ios.subtitle': subtitle,
        'ios.threadId': threadId,
        'ios.targetContentId': targetContentId,
        'ios.media.pictureUrl': ios.pictureUrl,
      }
    case 'web':
      return pictures
    case 'safari':
      return {}
    default:
      return {
        'android.sound': android.sound,
        'android.channelId': android.channelId,
        'android.pictureUrl': android.pictureUrl,
      }
  }
}
