import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from 'mocha'
import { skip } from './skip.ts'

/**
 * Mounts an empty file system of this size (`64k`, `24m`) at the directory, which is made if it is not there. Throws where that
 * is not allowed. Returns the function that unmounts it, which throws while a file of it is open, unless it is told to be lazy.
 */
export function mountSmallDisk(directory: string, size: string): (...how: '--lazy'[]) => void {
  mkdirSync(directory, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', directory], { stdio: 'ignore' })
  return (...how) => void execFileSync('umount', [...how, directory])
}

let mayMount: boolean | undefined

/** Leaves a test out where no small disk can be mounted, or a suite from the first line of a `before`. */
export function needsSmallDisk(context: Context): void {
  mayMount ??= tryMount()
  if (!mayMount) skip(context, 'there is no right to mount a disk (run as root)')
}

function tryMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'appsvc-disk-'))
  try {
    mountSmallDisk(directory, '64k')()
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
}
