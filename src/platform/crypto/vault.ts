import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { makeDirectories } from '../files/directories.ts'

/** Operations with the master key, which never leaves this closure. */
export interface Vault {
  /** Identifies this master key without revealing it: a constant under a derived key. Hex. */
  keyCheck(): string
  /** HMAC-SHA-256 with the pepper; access keys are stored and looked up by it. Hex. */
  digest(value: string): string
  /**
   * The pepper, sealed by another vault. It is derived from the first master key of a database and outlives it, because nothing is
   * stored of what digests are made from.
   */
  sealPepper(by: Pick<Vault, 'seal'>): string
  /** Takes the pepper that `sealPepper` sealed. Throws as `open` does. */
  usePepper(sealed: string): void
  /**
   * AES-256-GCM under a fresh key that is itself wrapped by the master key, so that the master key can be changed
   * without re-encrypting the secrets. `context` (app, platform, field) is authenticated: a sealed value moved
   * elsewhere cannot be opened.
   */
  seal(plain: string, context: string): string
  /**
   * Throws `AppError('config')` when the value was sealed with another master key, for another context, or was altered.
   */
  open(sealed: string, context: string): string
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A vault over 32 bytes of master key. */
export function createVault(master: Buffer): Vault {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', `appsvc ${purpose}`, KEY_BYTES))
  // A key object: importing raw bytes for every digest costs several times the digest itself.
  let pepper = createSecretKey(derive('access keys'))
  const wrapping = derive('sealed secrets')

  const vault: Vault = {
    keyCheck: () => createHmac('sha256', derive('key check')).update('appsvc').digest('hex'),
    digest: (value) => createHmac('sha256', pepper).update(value).digest('hex'),
    sealPepper: (by) => by.seal(pepper.export().toString('base64'), PEPPER),
    usePepper(sealed) {
      pepper = createSecretKey(Buffer.from(vault.open(sealed, PEPPER), 'base64'))
    },
    seal(plain, context) {
      const key = randomBytes(KEY_BYTES)
      const wrapped = encrypt(wrapping, key, `key ${context}`)
      const body = encrypt(key, Buffer.from(plain), context)
      return `v1.${wrapped.toString('base64url')}.${body.toString('base64url')}`
    },
    open(sealed, context) {
      const [version, wrapped, body] = sealed.split('.')
      try {
        if (version !== 'v1' || !wrapped || !body) throw new Error('unknown format')
        const key = decrypt(wrapping, Buffer.from(wrapped, 'base64url'), `key ${context}`)
        return decrypt(key, Buffer.from(body, 'base64url'), context).toString()
      } catch (cause) {
        throw new AppError(
          'config',
          `the stored secret of ${context} cannot be opened: use the master key file it was stored with, or configure it again`,
          { body: cause instanceof Error ? cause.message : undefined },
        )
      }
    },
  }
  return vault
}

/** What the pepper is sealed for. */
const PEPPER = 'pepper'

function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context))
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}

/** Constant-time comparison of two hex digests of the same kind. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex')
  const right = Buffer.from(b, 'hex')
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Reads the master key file, or creates it (mode 0600) at the first start and calls `onMade`. Two processes that start
 * at the same time agree on one key: each writes its key to a temporary file and links it into place, and the loser
 * reads the winner's.
 */
export function loadMasterKey(file: string, onMade: () => void = () => {}): Buffer {
  const found = readKeyFile(file)
  if (found) return found
  try {
    if (makeMasterKey(file)) onMade()
  } catch (error) {
    throw new AppError('config', `the master key file ${file} cannot be created: ${messageOf(error)}`)
  }
  return readKeyFile(file)!
}

/** Writes a key, a new one by default, to a file that does not exist yet. False if another process was first. */
export function makeMasterKey(file: string, key: Buffer = randomBytes(KEY_BYTES)): boolean {
  makeDirectories(dirname(file))
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const fd = openSync(draft, 'wx', 0o600)
  try {
    writeSync(fd, `${key.toString('base64')}\n`)
    fsyncSync(fd)
    linkSync(draft, file)
    syncDirectory(dirname(file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    closeSync(fd)
    rmSync(draft, { force: true })
  }
}

/** A new file survives a power cut only if its directory is flushed too. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The key in a file; undefined when there is no such file. Throws `config` when it is no key. */
export function readKeyFile(file: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    // ENOTDIR: what should be its directory is a file, which whoever makes the directory says better.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new AppError('config', `the master key file ${file} cannot be read: ${(error as Error).message}`)
  }
  return readMasterKey(text, file)
}

/** The 32 bytes in the text of a master key file. Throws `config`, naming the file, when there is no key in it. */
export function readMasterKey(text: string, file: string): Buffer {
  // Node's decoder skips unknown characters, so a damaged file would silently become another key.
  if (!MASTER_KEY.test(text.trim())) {
    throw new AppError(
      'config',
      `the master key file ${file} must contain 32 bytes in base64 (openssl rand -base64 32)`,
    )
  }
  return Buffer.from(text.trim(), 'base64')
}

/** 32 bytes in base64. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/
