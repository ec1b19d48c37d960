import { createDecipheriv, createHmac, hash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import rc2 from 'node-forge/lib/rc2.js'
import util from 'node-forge/lib/util.js'
import { type Asn1, algorithmOf, bytesOf, children, integerOf } from './asn1.ts'
import { P12 } from './limits.ts'

/** Reasons for which a p12 file cannot be used; each has its own remedy. `incomplete`: it opens, but lacks the key or the certificate. */
export type P12FailureKind = 'not_p12' | 'password' | 'unsupported' | 'costly' | 'incomplete'

export class P12Failure extends Error {
  readonly kind: P12FailureKind

  constructor(kind: P12FailureKind, message: string) {
    super(message)
    this.name = 'P12Failure'
    this.kind = kind
  }
}

/**
 * Limits the work that one file may cause. A file states its own iteration counts, so a small upload could otherwise
 * keep the machine busy for hours.
 */
export class Budget {
  #left: number = P12.totalIterations

  spend(iterations: number, blocks: number): void {
    if (iterations < 1) throw new P12Failure('not_p12', 'an iteration count is not positive')
    this.#left -= iterations * blocks
    if (iterations > P12.iterations || this.#left < 0) {
      throw new P12Failure('costly', `asks for more than ${P12.iterations} iterations of key derivation`)
    }
  }
}

type Digest = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

const DIGESTS: Record<string, Digest> = {
  '1.2.840.113549.2.5': 'md5',
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const HMACS: Record<string, Digest> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

/** Ciphers of RFC 7292 appendix C that old tools write. */
const LEGACY: Record<string, { cipher: 'rc2' | 'des-ede3-cbc' | 'des-ede-cbc'; keyBytes: number }> = {
  '1.2.840.113549.1.12.1.3': { cipher: 'des-ede3-cbc', keyBytes: 24 },
  '1.2.840.113549.1.12.1.4': { cipher: 'des-ede-cbc', keyBytes: 16 },
  '1.2.840.113549.1.12.1.5': { cipher: 'rc2', keyBytes: 16 },
  '1.2.840.113549.1.12.1.6': { cipher: 'rc2', keyBytes: 5 },
}

const PBES2 = '1.2.840.113549.1.5.13'
const PBMAC1 = '1.2.840.113549.1.5.14'
const PBKDF2 = '1.2.840.113549.1.5.12'

/** The block ciphers of PBES2 (RFC 8018) that Node still has. */
const MODERN: Record<string, { cipher: string; keyBytes: number }> = {
  '2.16.840.1.101.3.4.1.2': { cipher: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { cipher: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { cipher: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': { cipher: 'des-ede3-cbc', keyBytes: 24 },
}

/** Names for error messages only. */
const UNSUPPORTED: Record<string, string> = {
  '1.2.840.113549.1.12.1.1': 'RC4 (128 bit)',
  '1.2.840.113549.1.12.1.2': 'RC4 (40 bit)',
  '1.2.840.113549.1.5.3': 'DES with MD5',
  '1.2.840.113549.1.5.10': 'DES with SHA-1',
  '1.2.840.113549.1.5.11': 'RC2 with SHA-1 (PKCS#5)',
  '1.2.840.113549.3.2': 'RC2 (PBES2)',
  '1.3.6.1.4.1.11591.4.11': 'scrypt',
}

/** A password in the two forms that PKCS#12 needs. `bmp` is UTF-16BE with a closing zero, or nothing at all. */
export interface P12Password {
  utf8: Buffer
  bmp: Buffer
}

/**
 * Decrypts by the AlgorithmIdentifier in front of the data. Throws `P12Failure`: 'password' when the padding is wrong.
 */
export async function decrypt(
  algorithm: Asn1 | undefined,
  data: Buffer,
  password: P12Password,
  budget: Budget,
): Promise<Buffer> {
  const { oid, parameters } = algorithmOf(algorithm)
  if (oid === PBES2) return decryptPbes2(parameters, data, password, budget)
  const legacy = LEGACY[oid]
  if (!legacy) throw unsupported(oid)
  const [saltNode, iterationNode] = children(parameters)
  const salt = bytesOf(saltNode)
  const iterations = integerOf(iterationNode)
  const derive = (id: 1 | 2, bytes: number) => deriveP12('sha1', id, password.bmp, salt, iterations, bytes, budget)
  const key = await derive(1, legacy.keyBytes)
  const iv = await derive(2, 8)
  if (legacy.cipher === 'rc2') return decryptRc2(key, iv, data)
  // Two-key triple DES uses the first key again as the third.
  const whole = legacy.cipher === 'des-ede-cbc' ? Buffer.concat([key, key.subarray(0, 8)]) : key
  return decipher('des-ede3-cbc', whole, iv, data)
}

async function decryptPbes2(parameters: Asn1 | undefined, data: Buffer, password: P12Password, budget: Budget) {
  const [kdf, scheme] = children(parameters)
  const { oid, parameters: ivNode } = algorithmOf(scheme)
  const modern = MODERN[oid]
  if (!modern) throw unsupported(oid)
  const key = await derivePbkdf2(kdf, modern.keyBytes, password, budget)
  return decipher(modern.cipher, key, bytesOf(ivNode), data)
}

/** The MAC over the contents, by the DigestInfo's algorithm: the original scheme, or PBMAC1 (RFC 9579). */
export async function macOf(
  algorithm: Asn1 | undefined,
  salt: Buffer,
  iterations: number,
  data: Buffer,
  password: P12Password,
  budget: Budget,
): Promise<Buffer> {
  const { oid, parameters } = algorithmOf(algorithm)
  if (oid === PBMAC1) {
    const [kdf, scheme] = children(parameters)
    const digest = HMACS[algorithmOf(scheme).oid]
    if (!digest) throw unsupported(algorithmOf(scheme).oid)
    const key = await derivePbkdf2(kdf, hash(digest, '', 'buffer').length, password, budget)
    return createHmac(digest, key).update(data).digest()
  }
  const digest = DIGESTS[oid]
  if (!digest) throw unsupported(oid)
  const bytes = hash(digest, '', 'buffer').length
  const key = await deriveP12(digest, 3, password.bmp, salt, iterations, bytes, budget)
  return createHmac(digest, key).update(data).digest()
}

const runPbkdf2 = promisify(pbkdf2)

async function derivePbkdf2(kdf: Asn1 | undefined, bytes: number, password: P12Password, budget: Budget) {
  const { oid, parameters } = algorithmOf(kdf)
  if (oid !== PBKDF2) throw unsupported(oid)
  const [saltNode, iterationNode, ...rest] = children(parameters)
  const prf = rest.find((node) => Array.isArray(node.value))
  const digest = prf ? HMACS[algorithmOf(prf).oid] : 'sha1'
  if (!digest) throw unsupported(algorithmOf(prf).oid)
  const iterations = integerOf(iterationNode)
  budget.spend(iterations, Math.ceil(bytes / hash(digest, '', 'buffer').length))
  return runPbkdf2(password.utf8, bytesOf(saltNode), iterations, bytes, digest)
}

/** Iterations between two pauses: about 5 ms, so that a long derivation does not block other work. */
const SLICE = 5_000

/** Key derivation of RFC 7292 appendix B.2. `id`: 1 key, 2 initialisation vector, 3 MAC key. */
async function deriveP12(
  digest: Digest,
  id: 1 | 2 | 3,
  password: Buffer,
  salt: Buffer,
  iterations: number,
  bytes: number,
  budget: Budget,
): Promise<Buffer> {
  const u = hash(digest, '', 'buffer').length
  const v = digest === 'sha384' || digest === 'sha512' ? 128 : 64
  const blocks = Math.ceil(bytes / u)
  budget.spend(iterations, blocks)
  const diversifier = Buffer.alloc(v, id)
  const input = Buffer.concat([stretch(salt, v), stretch(password, v)])
  const result: Buffer[] = []
  for (let block = 0; block < blocks; block++) {
    let a: Buffer = hash(digest, Buffer.concat([diversifier, input]), 'buffer')
    for (let i = 1; i < iterations; i++) {
      a = hash(digest, a, 'buffer')
      if (i % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    result.push(a)
    addToBlocks(input, stretch(a, v), v)
  }
  return Buffer.concat(result).subarray(0, bytes)
}

/** Repeats `bytes` up to the next multiple of `v`; empty stays empty. */
function stretch(bytes: Buffer, v: number): Buffer {
  return Buffer.alloc(v * Math.ceil(bytes.length / v), bytes)
}

/** Each v-byte block of `input` becomes (block + b + 1) mod 2^(8v). */
function addToBlocks(input: Buffer, b: Buffer, v: number): void {
  for (let start = 0; start < input.length; start += v) {
    for (let i = v - 1, carry = 1; i >= 0; i--) {
      const sum = input[start + i]! + b[i]! + carry
      input[start + i] = sum & 0xff
      carry = sum >> 8
    }
  }
}

function decipher(cipher: string, key: Buffer, iv: Buffer, data: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(cipher, key, iv)
    return Buffer.concat([decipher.update(data), decipher.final()])
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_INVALID_IV') {
      throw new P12Failure('not_p12', 'an initialisation vector has the wrong length')
    }
    throw new P12Failure('password', 'the contents do not decrypt')
  }
}

/** OpenSSL 3 no longer has RC2 by default, and half of all certificates exported from a keychain use it. */
function decryptRc2(key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const cipher = rc2.createDecryptionCipher(key.toString('binary'), key.length * 8)
  cipher.start(iv.toString('binary'))
  cipher.update(util.createBuffer(data.toString('binary')))
  if (!cipher.finish()) throw new P12Failure('password', 'the contents do not decrypt')
  return Buffer.from(cipher.output.getBytes(), 'binary')
}

function unsupported(oid: string): P12Failure {
  return new P12Failure('unsupported', `is encrypted with ${UNSUPPORTED[oid] ?? `an unknown method (${oid})`}`)
}
