import {
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AppError } from '../../../platform/errors.ts'
import { flush, replaceFile } from '../../../platform/files/durable-file.ts'
import { ageOfFile, type Clock } from '../../../platform/time/clock.ts'
import { fileFault } from '../file-faults.ts'
import { textOf } from '../packed-files.ts'
import type { BackupStore } from './store.ts'

/** Name of a copy that is not complete. */
export const draftName = (random: string): string => `.appsvc-backup-${random}.part`
/** A copy under way is written to all the time; one that has not been for this long was left by a process that was killed. */
const ABANDONED_MS = 3_600_000

/** Copies, and texts that were being replaced (durable-file.ts). */
const LEFTOVER =
  /^\.(appsvc-backup-[\w-]+\.part(-journal|-wal|-shm)?|(appsvc-\d{8}T\d{6}Z\.sqlite\.(json|key)|erasures\.list)\.[0-9a-f]{12})$/

/** Removes what killed processes have left in a directory. */
export function removeAbandoned(dir: string, clock: Pick<Clock, 'now' | 'doubt'>): void {
  for (const name of readdirSync(dir)) {
    if (!LEFTOVER.test(name)) continue
    const stat = statSync(join(dir, name), { throwIfNoEntry: false })
    if (stat && ageOfFile(clock, stat.mtimeMs) > ABANDONED_MS) rmSync(join(dir, name), { force: true })
  }
}

/** A directory. `make` creates it if its parent exists. */
export function localStore(dir: string, { make = false } = {}): BackupStore {
  const path = (name: string) => join(dir, name)

  return {
    addressOf: path,
    staging: dir,

    async prepare(clock) {
      if (!existsSync(dir)) {
        if (!make) throw new AppError('not_found', `there is no directory ${resolve(dir)}: create it first`)
        try {
          mkdirSync(dir, { mode: 0o700 })
        } catch (error) {
          throw fileFault(error, `the directory ${resolve(dir)} cannot be created`)
        }
      }
      if (!statSync(dir).isDirectory()) throw new AppError('not_found', `${resolve(dir)} is not a directory`)
      removeAbandoned(dir, clock)
    },

    async has(name) {
      const stat = statSync(path(name), { throwIfNoEntry: false })
      // A device has no end to read, and a copy under its name would replace it.
      if (stat && !stat.isFile()) {
        throw new AppError('bad_request', `${resolve(path(name))} is no regular file: name another`)
      }
      return stat !== undefined
    },

    async put(draft, name, { overwrite }) {
      try {
        if (overwrite) renameSync(draft, path(name))
        else nameNew(draft, path(name))
        flush(dir)
      } catch (error) {
        throw fileFault(error, `${path(name)} cannot be written`)
      }
    },

    async putText(name, text) {
      try {
        replaceFile(path(name), text)
      } catch (error) {
        throw fileFault(error, `${path(name)} cannot be written`)
      }
    },

    async getText(name) {
      return textOf(path(name))
    },

    async names() {
      return existsSync(dir) ? readdirSync(dir) : []
    },

    async remove(name) {
      rmSync(path(name), { force: true })
    },

    // A copy has its name only when it is whole.
    async abandon() {},

    async fetch(name, to, { signal, onProgress }) {
      const { size } = statSync(path(name))
      const target = await open(to, 'wx', 0o600)
      try {
        let done = 0
        for await (const chunk of createReadStream(path(name), { signal, highWaterMark: 1024 * 1024 })) {
          await target.writeFile(chunk as Buffer)
          done += (chunk as Buffer).length
          onProgress?.(done, size)
        }
        await target.sync()
      } finally {
        await target.close()
      }
    },
  }
}

/** Throws `conflict` when the name is taken, also when another process takes it at this moment. */
function nameNew(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(file)
    // A file system without hard links.
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code ?? '')) throw error
    if (existsSync(file)) throw taken(file)
    return renameSync(draft, file)
  }
  unlinkSync(draft)
}

export function taken(address: string): AppError {
  return new AppError('conflict', `${address} exists: name another file, or replace it with --force`)
}
