/**
 * Replaces better-sqlite3's search for its native addon (see packaging/bundle.ts). For a bundle on disk the addon is a file next to the
 * program. The packaged executable contains it, but the system can load libraries only from files: the bytes are written to an unnamed
 * file and loaded through /proc/self/fd. Nothing is left on disk, there is no cache to tamper with, and neither HOME nor a fixed
 * directory is needed.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { executableFolder } from '../src/platform/files/executable-folder.ts'
import { contentsOf } from './programs/contents.ts'

const SHARED = 'appsvc sqlite addon'
const NAME = `linux-${process.arch}.node`

/** Linux; Node does not export it. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY

let addon: object | undefined

/** The addon, loaded once per thread. Called by better-sqlite3 when a connection is opened. */
export function getBinding(): object {
  addon ??= isSea() ? loadFromInside() : load(join(import.meta.dirname, NAME))
  return addon
}

function load(file: string): object {
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/**
 * All threads must share one copy: POSIX file locks belong to the process, so two copies of the SQLite library would release each
 * other's locks. The main thread writes the file, and the other threads get its path.
 */
function loadFromInside(): object {
  if (!isMainThread) {
    const path = getEnvironmentData(SHARED)
    if (typeof path !== 'string') throw new Error('the main thread must open the database before it starts threads')
    return load(path)
  }
  const bytes = contentsOf(NAME)
  const refusals: string[] = []
  for (const folder of folders()) {
    let file: number | undefined
    try {
      file = anonymousFile(folder)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      // Never closed: later threads load the library through the same descriptor.
      const path = `/proc/self/fd/${file}`
      const loaded = load(path)
      setEnvironmentData(SHARED, path)
      return loaded
    } catch (error) {
      if (file !== undefined) closeSync(file)
      refusals.push(`${folder}: ${(error as Error).message}`)
    }
  }
  throw new Error(
    `cannot load SQLite: no folder takes 3 MB of executable code (${refusals.join('; ')}). Set TMPDIR to a writable folder ` +
      'on a file system that is not mounted noexec, or put the data directory on one',
  )
}

/** Temporary directories first, then the data directory and the current directory, where a server can write at least. */
function folders(): string[] {
  const { XDG_RUNTIME_DIR } = process.env
  const all = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm', XDG_RUNTIME_DIR, executableFolder(), process.cwd()]
  return [...new Set(all.filter((folder): folder is string => typeof folder === 'string' && folder !== ''))]
}

/** An unnamed file; on file systems without support for it (older overlayfs), a file that is unlinked immediately. */
function anonymousFile(folder: string): number {
  try {
    return openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600)
  } catch (error) {
    if (!['EOPNOTSUPP', 'EISDIR', 'EINVAL', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const name = join(folder, `.appsvc-${randomBytes(16).toString('hex')}`)
    const file = openSync(name, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600)
    unlinkSync(name)
    return file
  }
}
