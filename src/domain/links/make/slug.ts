import { randomBytes } from 'node:crypto'

/**
 * The path of a short link. A given one may hold the characters that no part of the web escapes, `/` between segments
 * included; browsers and SDKs resolve `.`, `..` and drop slashes at the ends, so a slug with those would never be found again.
 */

export const LONGEST_SLUG = 255

/** First segments that are not links: the SDK's look-up by fingerprint, and what operating systems ask for (RFC 8615). */
export const RESERVED_SEGMENTS = ['_taps', '.well-known'] as const

/** 96 random bits in 16 characters of the URL-safe alphabet: not to be guessed. */
export function newSlug(): string {
  return randomBytes(12).toString('base64url')
}

/** What is wrong with a given slug, as a sentence about it; undefined when it can be one. */
export function slugProblem(slug: string): string | undefined {
  if (slug === '') return 'must not be empty'
  if (slug.length > LONGEST_SLUG) return `must have at most ${LONGEST_SLUG} characters`
  if (!/^[\w.~/-]+$/.test(slug)) return 'may hold only the characters a-z A-Z 0-9 - _ . ~ /'
  const segments = slug.split('/')
  if (segments.includes('')) return 'must not begin or end with / or have two of them in a row'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'must not hold . or .. as a segment'
  const reserved = RESERVED_SEGMENTS.find((name) => name === segments[0])
  return reserved && `must not begin with the reserved ${reserved}`
}

/**
 * The slug that a request path or an SDK's look-up means: without slashes at the ends. Undefined when no link can have it; then
 * there is nothing to look for.
 */
export function readSlug(path: string): string | undefined {
  const slug = path.replace(/^\/+|\/+$/g, '')
  return slugProblem(slug) === undefined ? slug : undefined
}
