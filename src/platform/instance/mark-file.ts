import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError, messageOf } from '../errors.ts'

/**
 * What stands in the mark file beside a database; undefined when there is none. A file that is damaged reads as whatever is in
 * it, which no database knows. Throws `config` when there is one that cannot be read.
 */
export function readMark(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('config', `the mark file ${resolve(file)} cannot be read: ${messageOf(error)}`)
  }
}

/** Replaces the mark file (mode 0600) so that a power cut leaves the old one or the new one whole. */
export function writeMark(file: string, mark: string): void {
  const draft = `${file}.new`
  const fd = openSync(draft, 'w', 0o600)
  try {
    writeSync(fd, `${mark}\n`)
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
