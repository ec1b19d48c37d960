import { randomBytes } from 'node:crypto'
import { atMost, IS_EMPTY } from '../../../platform/values/reader.ts'

/**
 * The path of a short link. A given slug may contain `/` between segments, and otherwise only characters that nothing
 * on the web escapes. Browsers and SDKs resolve the segments `.` and `..` and drop slashes at the ends, so a slug with
 * those could not be found.
 */

export const MAX_SLUG_LENGTH = 255

/**
 * First segments that are not links: the SDK's look-up by fingerprint, and the files that operating systems fetch (RFC
 * 8615).
 */
export const RESERVED_SEGMENTS = ['_taps', '.well-known'] as const

/** Generates a slug that cannot be guessed: 96 random bits in 16 characters of base64url. */
export function newSlug(): string {
  return randomBytes(12).toString('base64url')
}

/** A slug as it is stored: people copy it from an address together with the slash before it. */
export function withoutSlash(slug: string): string {
  return slug.replace(/^\//, '')
}

/** The problem of a given slug, if any. */
export function slugProblem(slug: string): string | undefined {
  if (slug === '') return IS_EMPTY
  if (slug.length > MAX_SLUG_LENGTH) return atMost(MAX_SLUG_LENGTH, 'characters')
  if (!/^[\w.~/-]+$/.test(slug)) return 'may contain only the characters a-z A-Z 0-9 - _ . ~ /'
  const segments = slug.split('/')
  if (segments.includes('')) return 'must not begin or end with / or have two of them in a row'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'must not contain . or .. as a segment'
  const reserved = RESERVED_SEGMENTS.find((name) => name === segments[0])
  return reserved && `must not begin with the reserved ${reserved}`
}

/**
 * The slug in a request path or an SDK's look-up: the text without slashes at its ends. Undefined when no link can have
 * this slug.
 */
export function readSlug(path: string): string | undefined {
  const slug = path.replace(/^\/+|\/+$/g, '')
  return slugProblem(slug) === undefined ? slug : undefined
}
