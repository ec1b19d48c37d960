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
const LAST = 2
const POINT_BYTES = 65
const SALT_BYTES = 16
const CEK_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01', 'latin1')
const KEY_INFO = Buffer.from('WebPush: info\0', 'latin1')
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01', 'latin1')

/** Longest text that fits a body of 4096 bytes, the size that every push service must accept (RFC 8030 section 7.2). */
export const MAX_TEXT_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1

/** Keys of a browser's subscription: an uncompressed P-256 point, and 16 bytes. */
export interface SubscriptionKeys {
  p256dh: Buffer
  auth: Buffer
}

/** Random values of one message; tests pass their own. */
export interface Ephemeral {
  pair: ECDH
  /** The public key of `pair`. */
  ours: Buffer
  salt: Buffer
}

/** The body of the request. Throws when `p256dh` is not a point of the curve, or the text too long. */
export function encryptPush(
  text: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  { pair, ours, salt }: Ephemeral = drawEphemeral(),
): Buffer {
  if (text.length > MAX_TEXT_BYTES) throw new RangeError(`a push holds ${MAX_TEXT_BYTES} bytes, not ${text.length}`)
  keyInfo.set(p256dh, KEY_INFO.length)
  keyInfo.set(ours, KEY_INFO.length + POINT_BYTES)
  const shared = pair.computeSecret(p256dh)
  const keying = hmac.withKey(hmac.withKey(auth).of(shared)).of(keyInfo)
  const pseudo = hmac.withKey(hmac.withKey(salt).of(keying))
  const key = pseudo.of(CEK_INFO).subarray(0, 16)
  const nonce = pseudo.of(NONCE_INFO).subarray(0, 12)

  plain.set(text)
  plain[text.length] = LAST
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const record = cipher.update(plain.subarray(0, text.length + 1))
  cipher.final()
  const body = Buffer.allocUnsafe(HEADER_BYTES + record.length + TAG_BYTES)
  body.set(salt)
  body.writeUInt32BE(RECORD_BYTES, SALT_BYTES)
  body[SALT_BYTES + 4] = POINT_BYTES
  body.set(ours, HEADER_BYTES - POINT_BYTES)
  body.set(record, HEADER_BYTES)
  body.set(cipher.getAuthTag(), HEADER_BYTES + record.length)
  return body
}

/**
 * Shared by all messages; each generates its own keys in it. Creating the object costs a third of generating the keys.
 */
const pairs = createECDH(CURVE)

/** Salts for the next messages, drawn together. They are public, so nothing is lost if they lie here for a while. */
let salts = Buffer.alloc(0)
const SALTS_AT_ONCE = 256

function drawEphemeral(): Ephemeral {
  if (salts.length === 0) salts = randomBytes(SALTS_AT_ONCE * SALT_BYTES)
  const salt = salts.subarray(0, SALT_BYTES)
  salts = salts.subarray(SALT_BYTES)
  return { pair: pairs, ours: pairs.generateKeys(), salt }
}

/** Buffers that every message uses again: encryption runs to its end before the next begins. */
const plain = Buffer.alloc(MAX_TEXT_BYTES + 1)
/** The info of the key: the browser's public key, ours, and the octet 1. */
const keyInfo = Buffer.concat([KEY_INFO, Buffer.alloc(2 * POINT_BYTES), Buffer.of(1)])

const BLOCK_BYTES = 64
const HASH_BYTES = 32

/**
 * HMAC-SHA-256 (RFC 2104) for keys of at most one block and data as short as here. Takes a fifth of the time of
 * `createHmac`; a message needs five.
 */
class Hmac {
  readonly #inner = Buffer.alloc(BLOCK_BYTES + keyInfo.length)
  readonly #outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES)

  withKey(key: Buffer): this {
    for (let i = 0; i < BLOCK_BYTES; i++) {
      const octet = i < key.length ? key[i]! : 0
      this.#inner[i] = octet ^ 0x36
      this.#outer[i] = octet ^ 0x5c
    }
    return this
  }

  of(data: Buffer): Buffer {
    this.#inner.set(data, BLOCK_BYTES)
    this.#outer.set(sha256(this.#inner.subarray(0, BLOCK_BYTES + data.length)), BLOCK_BYTES)
    return sha256(this.#outer)
  }
}

const sha256 = (data: Buffer): Buffer => hash('sha256', data, 'buffer')
const hmac = new Hmac()
