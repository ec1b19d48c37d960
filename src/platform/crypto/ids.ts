import { randomBytes, randomUUID } from 'node:crypto'

/** A new key of 256 random bits after a prefix, such as `sk_8Zt…`; safe in URLs and in HTTP Basic (no colon). */
export function mintKey(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

export function newUuid(): string {
  return randomUUID()
}

/**
 * A UUID of version 7 (RFC 9562) for the time `now` (ms). Later ones sort after earlier ones, so that an index of them
 * grows at its end. Random UUIDs modify a different index page each, which doubled the cost of storing events.
 */
export function newOrderedUuid(now: number): string {
  const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${randomUUID().slice(15)}`
}
