import { createECDH, createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/**
 * A key pair that identifies an app to push services (RFC 8292): raw forms in base64url, as browsers and other tools
 * use them.
 */
export interface VapidKey {
  /** Short name of the public key. */
  id: string
  /** The uncompressed point, 65 bytes, with which a page subscribes (`applicationServerKey`). */
  publicKey: string
  /** The scalar, 32 bytes. */
  privateKey: string
  /** The time at which it was made or imported (ms). */
  createdAt: number
}

const CURVE = 'prime256v1'
const POINT_BYTES = 65
const SCALAR_BYTES = 32
/** One key in four billion has more leading zero bytes than this, so more means that the value was cut off. */
const MAX_LEADING_ZEROS = 3
/** Short enough, with `vapid:` in front, for the column of `installs` that remembers a subscription's key. */
const ID_CHARACTERS = 10

/** A new pair. `now` in ms. */
export function makeVapidKey(now: number): VapidKey {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  return vapidKeyOf(pair.getPublicKey(), pair.getPrivateKey(), now)
}

/**
 * Imports a pair that another tool made. Each half is PEM, or base64url (or base64) of its raw form; the private half may
 * also be base64 of PKCS#8. A missing public key is computed. For a wrong half, returns the reason instead of throwing.
 */
export function importVapidKey(
  given: { publicKey?: string | undefined; privateKey: string },
  now: number,
): { key: VapidKey } | { wrong: 'publicKey' | 'privateKey'; why: string } {
  const scalar = readPrivate(given.privateKey)
  if (!scalar) {
    return { wrong: 'privateKey', why: 'must be a private P-256 key: 32 bytes in base64url, or PEM' }
  }
  const pair = createECDH(CURVE)
  try {
    pair.setPrivateKey(scalar)
  } catch {
    return { wrong: 'privateKey', why: 'is not a private key of P-256' }
  }
  const point = pair.getPublicKey()
  if (given.publicKey !== undefined) {
    const public_ = readPublic(given.publicKey)
    if (!public_) return { wrong: 'publicKey', why: 'must be a P-256 point: 65 bytes in base64url, or PEM' }
    if (!public_.equals(point)) return { wrong: 'publicKey', why: 'does not belong to the private key' }
  }
  return { key: vapidKeyOf(point, pair.getPrivateKey(), now) }
}

/** The key as a KeyObject for signing. */
export function signingKeyOf({ publicKey, privateKey }: VapidKey): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const key = { kty: 'EC', crv: 'P-256', x, y, d: privateKey } as JsonWebKey
  return createPrivateKey({ format: 'jwk', key })
}

function vapidKeyOf(point: Buffer, scalar: Buffer, createdAt: number): VapidKey {
  return {
    id: createHash('sha256').update(point).digest('hex').slice(0, ID_CHARACTERS),
    publicKey: point.toString('base64url'),
    privateKey: padded(scalar).toString('base64url'),
    createdAt,
  }
}

/** OpenSSL omits leading zeros, and so do tools that copy its scalars. */
function padded(scalar: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(SCALAR_BYTES - scalar.length), scalar])
}

function readPrivate(text: string): Buffer | undefined {
  const raw = rawBytes(text)
  if (raw && raw.length <= SCALAR_BYTES && raw.length >= SCALAR_BYTES - MAX_LEADING_ZEROS) return padded(raw)
  return scalarOf(() =>
    raw
      ? createPrivateKey({ key: raw, format: 'der', type: 'pkcs8' })
      : createPrivateKey(text.replaceAll('\\n', '\n').trim()),
  )
}

function scalarOf(read: () => KeyObject): Buffer | undefined {
  try {
    const { crv, d } = read().export({ format: 'jwk' })
    return crv === 'P-256' && d !== undefined ? Buffer.from(d, 'base64url') : undefined
  } catch {
    return undefined
  }
}

function readPublic(text: string): Buffer | undefined {
  const raw = rawBytes(text)
  if (raw?.length === POINT_BYTES) return raw
  try {
    const key = raw
      ? createPublicKey({ key: raw, format: 'der', type: 'spki' })
      : createPublicKey(text.replaceAll('\\n', '\n').trim())
    const { crv, x = '', y = '' } = key.export({ format: 'jwk' })
    return crv === 'P-256'
      ? Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
      : undefined
  } catch {
    return undefined
  }
}

/** The bytes of a text; undefined if it is not base64. PEM is excluded first because its dashes look like base64url. */
function rawBytes(text: string): Buffer | undefined {
  if (text.includes('-----BEGIN')) return undefined
  const compact = text.replace(/\s+/g, '')
  return /^[\w+/-]+={0,2}$/.test(compact) ? Buffer.from(compact, 'base64') : undefined
}
