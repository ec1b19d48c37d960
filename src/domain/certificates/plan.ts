import type { NamedCertificate } from './types.ts'

/** Times of orders, renewals and new attempts. Pure; in milliseconds. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The interval at which the authority is asked about renewal; it may change its mind, and RFC 9773 4.3.2 advises six hours. */
const ASK_MS = 6 * HOUR_MS

/** A certificate is renewed when a third of its time is left, a little earlier by chance, so that not all are at once. */
export function renewalTime(
  { notBefore, notAfter }: { notBefore: number; notAfter: number },
  random: () => number,
): number {
  const lifetime = notAfter - notBefore
  return Math.round(notAfter - lifetime / 3 - random() * (lifetime / 50))
}

/** A time within the window that the authority suggests, but never after our own. */
export function renewalIn(window: { from: number; to: number }, own: number, random: () => number): number {
  return Math.round(Math.min(own, window.from + random() * (window.to - window.from)))
}

export const nextAsk = (now: number) => now + ASK_MS

/** The first wait when an authority cannot be reached: asking again costs nobody anything. */
const AWAY_MS = MINUTE_MS
const LONGEST_AWAY_MS = HOUR_MS
/** The first wait after a failed validation: Let's Encrypt allows five of a name an hour. */
const FAILED_MS = 15 * MINUTE_MS
const LONGEST_MS = 12 * HOUR_MS
/** The delay after a limit without `Retry-After`; the limits of Let's Encrypt count hours. */
const LIMITED_MS = HOUR_MS

/** The delay after the `attempts`th failure in a row. `type` is of an `AcmeError`. */
export function retryDelay(type: string, attempts: number, askedMs: number | undefined): number {
  const grown = (first: number, most: number) => Math.min(most, first * 2 ** Math.min(attempts - 1, 20))
  if (type === 'rateLimited') return Math.max(askedMs ?? LIMITED_MS, MINUTE_MS)
  if (type === 'away') return Math.max(askedMs ?? 0, grown(AWAY_MS, LONGEST_AWAY_MS))
  return Math.max(askedMs ?? 0, grown(FAILED_MS, LONGEST_MS))
}

/** The state of a certificate. One so near its end, although it should have been renewed, is worth an alarm. */
export type CertificateState = 'valid' | 'waiting' | 'failing' | 'expired'

export function stateOf(
  { notAfter, lastError }: Pick<NamedCertificate, 'notAfter' | 'lastError'>,
  now: number,
): CertificateState {
  if (notAfter !== null && notAfter <= now) return 'expired'
  if (lastError !== null) return 'failing'
  return notAfter === null ? 'waiting' : 'valid'
}
