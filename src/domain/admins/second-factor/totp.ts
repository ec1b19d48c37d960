import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { base32, fromBase32 } from './base32.ts'

/**
 * Time-based one-time passwords (RFC 6238) as every authenticator app knows them: HMAC-SHA-1, 30 seconds, six digits.
 * Apps ignore other parameters silently, so there are none.
 */
const STEP_MS = 30_000
/** RFC 4226 section 4: at least 128 bits, 160 recommended. */
const SECRET_BYTES = 20
/** Clocks of phones differ, and people type slowly (RFC 6238 section 5.2). */
const DRIFT = 1

/** A new secret in Base32. */
export const mintTotpSecret = (): string => base32(randomBytes(SECRET_BYTES))

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, account: string): string {
  return `otpauth://totp/${encodeURIComponent(`appsvc:${account}`)}?secret=${secret}&issuer=appsvc`
}

/** The code of a time step (RFC 4226 section 5.3). */
export function codeOfStep(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.at(-1)! & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0')
}

/** The time step whose code this is, around `now` (ms); undefined when it is none of them. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const given = Buffer.from(code)
  const current = Math.floor(now / STEP_MS)
  let found: number | undefined
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    if (timingSafeEqual(Buffer.from(codeOfStep(fromBase32(secret), step)), given)) found = step
  }
  return found
}
