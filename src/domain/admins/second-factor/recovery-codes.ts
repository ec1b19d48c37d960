import { randomBytes } from 'node:crypto'
import { base32 } from './base32.ts'

/** Each code has 80 random bits: it is typed rarely, and a digest of it is stored. */
const BYTES = 10
const COUNT = 10

/** Ten codes such as `abcd-efgh-ijkl-mnop`; each works once. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () =>
    base32(randomBytes(BYTES))
      .toLowerCase()
      .replace(/.{4}(?=.)/g, '$&-'),
  )
}

/** A code as it is compared: people type spaces, dashes and capitals. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()
