import { createCipheriv, createECDH, type ECDH, hash, randomBytes } from 'node:crypto'

/**
 * Encryption of one push for one browser (RFC 8291) as a single record of `aes128gcm` (RFC 8188). The order of the two
 * public keys in `info` is the browser's, then ours.
 */

const CURVE = 'prime256v1'
const RECORD_BYTES = 4096
/** Salt, record size, length of the key, key. */
const HEADER_BYTES = 16 + 4 + 1 + 65
const TAG_BYTES = 16
/** Delimiter octet after the text of the last record. */
const LAST = Buffer.of(2)
const CEK_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01', 'latin1')
const KEY_INFO = Buffer.from('WebPush: info\0', 'latin1')
const ONE = Buffer.of(1)
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01', 'latin1')

/** Longest text that fits a body of 4096 bytes, the size that every push service must accept (RFC 8030 section 7.2). */
export const MAX_TEXT_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - LAST.length

/** Keys of a browser's subscription: an uncompressed P-256 point, and 16 bytes. */
export interface SubscriptionKeys {
  p256dh: Buffer
  auth: Buffer
}

/** Random values of one message; tests pass their own. */
export interface Ephemeral {
  pair: ECDH
  salt: Buffer
}

/** The body of the request. Throws when `p256dh` is not a point of the curve, or the text too long. */
export function encryptPush(
  text: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  { pair, salt }: Ephemeral = drawEphemeral(),
): Buffer {
  if (text.length > MAX_TEXT_BYTES) throw new RangeError(`a push holds ${MAX_TEXT_BYTES} bytes, not ${text.length}`)
  const ours = pair.getPublicKey()
  const shared = pair.computeSecret(p256dh)
  const info = Buffer.concat([KEY_INFO, p256dh, ours, ONE])
  const keying = hmac(hmac(auth, shared), info)
  const pseudo = hmac(salt, keying)
  const key = hmac(pseudo, CEK_INFO).subarray(0, 16)
  const nonce = hmac(pseudo, NONCE_INFO).subarray(0, 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const record = cipher.update(text)
  const rest = cipher.update(LAST)
  cipher.final()
  const head = Buffer.allocUnsafe(5)
  head.writeUInt32BE(RECORD_BYTES, 0)
  head[4] = ours.length
  return Buffer.concat([salt, head, ours, record, rest, cipher.getAuthTag()])
}

/**
 * Shared by all messages; each generates its own keys in it. Creating the object costs a third of generating the keys.
 */
const pairs = createECDH(CURVE)

function drawEphemeral(): Ephemeral {
  pairs.generateKeys()
  return { pair: pairs, salt: randomBytes(16) }
}

const BLOCK_BYTES = 64

/**
 * HMAC-SHA-256 (RFC 2104) for keys of at most one block. Takes a third of the time of `createHmac`; a message needs
 * five.
 */
function hmac(key: Buffer, data: Buffer): Buffer {
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36)
  const outer = Buffer.alloc(BLOCK_BYTES, 0x5c)
  for (let i = 0; i < key.length; i++) {
    inner[i]! ^= key[i]!
    outer[i]! ^= key[i]!
  }
  return sha256(Buffer.concat([outer, sha256(Buffer.concat([inner, data]))]))
}

const sha256 = (data: Buffer): Buffer => hash('sha256', data, 'buffer')
