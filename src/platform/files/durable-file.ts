import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Flushes a file, or a directory, whose new entries survive a power cut only then. */
export function flush(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Replaces a file (mode 0600) by one with this content: after a kill or a power cut there is the old one or the new one. */
export function replaceFile(file: string, content: string | Buffer): void {
  replace(file, content, flush)
}

/** As `replaceFile`, without waiting for the disk: after a power cut the file may be empty. */
export function replaceQuickly(file: string, content: string): void {
  replace(file, content, undefined)
}

function replace(file: string, content: string | Buffer, whenDone: ((dir: string) => void) | undefined): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
  try {
    const fd = openSync(draft, 'wx', 0o600)
    try {
      // A single write may store only a part of it.
      const bytes = Buffer.from(content)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      if (whenDone) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(draft, file)
    whenDone?.(dirname(file))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
