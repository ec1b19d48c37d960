import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Config } from '../../platform/config/settings.ts'
import { certificateFacts } from '../../platform/crypto/x509.ts'
import { AppError, messageOf } from '../../platform/errors.ts'

type Files = Pick<Config, 'tls.certFile' | 'tls.keyFile'>

/** A text that changes when one of the two files does. Throws an `Error` when one is no regular file. */
export async function stampOf({ 'tls.certFile': certFile, 'tls.keyFile': keyFile }: Files): Promise<string> {
  const stats = await Promise.all([stat(certFile), stat(keyFile)])
  const [odd] = [certFile, keyFile].filter((_, i) => !stats[i]!.isFile())
  if (odd !== undefined) throw new Error(`${odd} is no regular file`)
  return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join(' ')
}

/** The certificate and key of `tls.certFile` and `tls.keyFile` (PEM). Throws when they cannot be used together. */
export async function takeIdentity(files: Files) {
  const stamp = await stampOf(files)
  const [cert, key] = await Promise.all([
    readFile(files['tls.certFile'], 'utf8'),
    readFile(files['tls.keyFile'], 'utf8'),
  ])
  const facts = certificateFacts(cert)
  // Throws when they do not belong together.
  createSecureContext({ cert, key })
  return { stamp, cert, key, facts }
}

/** `takeIdentity` for a start. Throws `config`. */
export async function readIdentity(files: Files) {
  return takeIdentity(files).catch((error: unknown) => {
    throw new AppError('config', `tls.certFile and tls.keyFile cannot be used: ${messageOf(error)}`)
  })
}
