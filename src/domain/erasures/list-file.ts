import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Erasure } from './types.ts'

/** What the file has of an erasure: nothing that names a person. */
export type ListedErasure = Pick<Erasure, 'id' | 'appId' | 'kind' | 'digest' | 'requestedAt'>

/**
 * The erasure list once more, in a file beside the database: a database that is restored from a backup has forgotten who was
 * erased since. One line of JSON for each erasure.
 */
export const erasuresFile = (dataDir: string): string => join(dataDir, 'erasures.list')

/** The erasures in the file; none when it does not exist. Throws `config` when it cannot be read. */
export function readListed(file: string): ListedErasure[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new AppError('config', `the erasure list ${resolve(file)} cannot be read: ${messageOf(error)}`)
  }
  return text.split('\n').flatMap((line) => readLine(line) ?? [])
}

/** Undefined for an empty line, and for one that a power cut has left unfinished: its erasure had not begun. */
function readLine(line: string): ListedErasure | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isPlainObject(value)) return undefined
  const { id, appId, kind, digest, requestedAt } = value
  const isWhole =
    typeof id === 'string' &&
    typeof digest === 'string' &&
    (kind === 'user' || kind === 'install') &&
    Number.isSafeInteger(appId) &&
    Number.isSafeInteger(requestedAt)
  return isWhole ? { id, appId: appId as number, kind, digest, requestedAt: requestedAt as number } : undefined
}

/** Adds an erasure to the file (mode 0600), and returns when it is on disk. */
export function addListed(file: string, { id, appId, kind, digest, requestedAt }: ListedErasure): void {
  try {
    const fd = openSync(file, 'a', 0o600)
    try {
      // A new line first: the last one may be unfinished.
      writeSync(fd, `\n${JSON.stringify({ id, appId, kind, digest, requestedAt })}`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new AppError('unavailable', `the erasure list ${resolve(file)} cannot be written: ${messageOf(error)}`)
  }
}
