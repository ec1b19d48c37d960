import type { Gateway, PushPreview } from '../gateways/gateway.ts'
import type { StoredContent } from './types.ts'

/** What the check needs of a gateway. */
export type Previewer = Pick<Gateway, 'platform' | 'preview'>

/**
 * Ids are part of the payload and the check comes before there is one: it takes an id longer than any that is likely, so
 * that what passes here never fails at the gateway.
 */
const LONG_ID = 9_999_999_999

/** One sentence for each platform whose limit the content exceeds. Pure. */
export function judgeSize(content: StoredContent, previewers: readonly Previewer[], expiresAt: number): string[] {
  const message = { content: { ...content, notificationId: LONG_ID }, expiresAt, replacementKey: `n${LONG_ID}` }
  return previewers
    .map(({ platform, preview }) => ({ platform, ...preview(message) }))
    .filter(({ bytes, limit }) => bytes > limit)
    .map((found) => describe(content, found))
}

function describe(
  content: StoredContent,
  { platform, bytes, limit }: PushPreview & Pick<Previewer, 'platform'>,
): string {
  const { title, message, url, data, buttons } = content
  const sizes = Object.entries({ title, message, url, data, buttons })
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => ({ name, size: Buffer.byteLength(JSON.stringify(part)) }))
    .sort((a, b) => b.size - a.size)
  const largest = sizes.slice(0, 2).map(({ name, size }) => `${name} (${size} bytes)`)
  return `is too large for ${platform}: the payload has ${bytes} bytes, ${limit} are allowed; shorten ${largest.join(' or ')}`
}
