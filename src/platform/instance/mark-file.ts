import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { birthOf } from './identity.ts'

/**
 * The mark in the file beside a database; undefined when there is none. A file that is damaged, or that was copied to where it is,
 * reads as whatever is in it, which no database knows. Throws `config` when there is one that cannot be read.
 */
export async function readMark(file: string): Promise<string | undefined> {
  try {
    const text = readFileSync(file, 'utf8').trim()
    const [mark, bornAt] = text.split(' ')
    const birth = await birthOf(file)
    return birth === null || bornAt === undefined || bornAt === String(birth) ? mark : text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('config', `the mark file ${resolve(file)} cannot be read: ${messageOf(error)}`)
  }
}

/**
 * Replaces the mark file (mode 0600) so that a power cut leaves the old one or the new one whole. It says when it was born itself: a
 * backup that is copied over database and mark together leaves both files in place, and both would say the same.
 */
export function writeMark(file: string, mark: string): void {
  const draft = `${file}.new`
  const fd = openSync(draft, 'w', 0o600)
  try {
    writeSync(fd, `${mark} ${fstatSync(fd, { bigint: true }).birthtimeNs}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, file)
  const directory = openSync(dirname(file), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
