import { randomBytes, randomUUID } from 'node:crypto'

/** A new key of 256 random bits with a typed prefix, e.g. `sk_8Zt…`; safe in URLs and in HTTP Basic (no colon). */
export function mintKey(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

export function newUuid(): string {
  return randomUUID()
}
