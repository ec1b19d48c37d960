import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { birthOf } from './identity.ts'

/**
 * The mark in the file next to a database; undefined when there is no file. For a damaged or copied file it returns the whole content,
 * which matches no database. Throws `config` when the file cannot be read.
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
 * Replaces the mark file (mode 0600) atomically, so that a power cut leaves either the old or the new one. The file also contains its
 * own creation time. Otherwise a backup of database and mark that is copied over both files would go unnoticed.
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
