import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'
import type { BrowserKeys } from './subscriptions.ts'

/**
 * Reads a push as a browser does: RFC 8188 (`aes128gcm`) with the keys of RFC 8291. It shares no code with the
 * encryption: it is written from the RFCs, with HKDF as one call, record by record. Returns the text, or why there is
 * none.
 */
export function decryptPush(body: Buffer, browser: BrowserKeys): { text: Buffer } | { broken: string } {
  if (body.length < 21) return { broken: 'the header is cut short' }
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const keyLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + keyLength)
  if (recordSize < 18) return { broken: `a record size of ${recordSize} is too small` }
  if (keyLength !== 65 || sender.length !== 65) return { broken: 'the keyid is not an uncompressed P-256 point' }
  const receiver = createECDH('prime256v1')
  receiver.setPrivateKey(browser.privateKey)
  let shared: Buffer
  try {
    shared = receiver.computeSecret(sender)
  } catch {
    return { broken: 'the keyid is not a point of P-256' }
  }
  const context = Buffer.concat([Buffer.from('WebPush: info\0', 'ascii'), browser.publicKey, sender])
  const input = hkdf(shared, browser.auth, context, 32)
  const key = hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0', 'ascii'), 16)
  const base = hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0', 'ascii'), 12)

  const texts: Buffer[] = []
  const records = body.subarray(21 + keyLength)
  for (let at = 0, number = 0; at < records.length; at += recordSize, number++) {
    const record = records.subarray(at, at + recordSize)
    const isLast = at + recordSize >= records.length
    const plain = open(record, key, nonceOf(base, number))
    if (!plain) return { broken: 'a record does not authenticate: wrong keys, or changed on the way' }
    const end = plain.findLastIndex((byte) => byte !== 0)
    if (end < 0 || plain[end] !== (isLast ? 2 : 1)) return { broken: 'a record has no right end' }
    texts.push(plain.subarray(0, end))
  }
  return texts.length === 0 ? { broken: 'there is no record' } : { text: Buffer.concat(texts) }
}

function hkdf(input: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, bytes))
}

/** RFC 8188 section 2.3: the number of the record over the end of the nonce. */
function nonceOf(base: Buffer, number: number): Buffer {
  const nonce = Buffer.from(base)
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8)
  return nonce
}

function open(record: Buffer, key: Buffer, nonce: Buffer): Buffer | undefined {
  if (record.length < 17) return undefined
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  try {
    return Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  } catch {
    return undefined
  }
}
