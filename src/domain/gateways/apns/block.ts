import type { FieldErrors } from '../../../platform/errors.ts'
import { checked, documented, flag, oneOf, shape, text } from '../../../platform/values/parse.ts'
import { APNS, P12 } from './limits.ts'

const TOPIC = /^[A-Za-z0-9._-]{1,255}$/

/** Fields of every block with a certificate. */
export const p12Fields = {
  p12: documented(checked<string>(checkBase64), { type: 'string', contentEncoding: 'base64' }),
  password: text({ max: 1024, empty: true }),
}

/** Fields of an `ios` block. */
export const apnsBlock = shape({
  mode: oneOf(['sandbox', 'production']).required(),
  ...p12Fields,
  p8: text({ max: 16_384 }),
  keyId: text().matches(APNS.identifierPattern, 'must be the key id: ten capital letters and digits'),
  teamId: text().matches(APNS.identifierPattern, 'must be the team id: ten capital letters and digits'),
  topic: text().matches(TOPIC, 'must be a bundle id such as com.example.app'),
  critical: flag(),
})

export const TOO_LARGE = 'is larger than 64 KiB: not a push certificate'
export const PEM_TEXT = 'must be the base64 of a .p12 file, not PEM text'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function checkBase64(value: unknown): FieldErrors {
  if (typeof value !== 'string') return { '': ['must be a string'] }
  if (value.includes('-----BEGIN')) return { '': [PEM_TEXT] }
  const compact = value.replace(/\s+/g, '')
  if (compact === '') return { '': ['must not be empty'] }
  if (compact.length > Math.ceil(P12.fileBytes / 3) * 4) return { '': [TOO_LARGE] }
  return BASE64.test(compact) ? {} : { '': ['must be base64'] }
}
