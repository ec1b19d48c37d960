import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { failpoint } from '../process/failpoints.ts'
import { syncDirectory } from './vault.ts'

/** Where a rotation keeps the next master key until the database belongs to it. */
export const nextKeyFile = (keyFile: string): string => `${keyFile}.next`

/** Where the key of before goes: backups that were made before need it. */
function formerKeyFile(keyFile: string): string {
  for (let i = 1; ; i++) {
    const file = `${keyFile}.former-${i}`
    // A kill may have left the copy of this very key.
    if (!existsSync(file) || readFileSync(file).equals(readFileSync(keyFile))) return file
  }
}

/**
 * Puts the next key in the place of the key file, which is kept as the former one. A kill in between leaves the key file as it was, or
 * the new one. Returns where the former key is; undefined when there was no key file.
 */
export function replaceKeyFile(keyFile: string): string | undefined {
  const former = existsSync(keyFile) ? formerKeyFile(keyFile) : undefined
  if (former !== undefined) {
    // Copied, not moved: at no moment is there no key file, for which a start would make a new key.
    copyFileSync(keyFile, former)
    const fd = openSync(former, 'r')
    fsyncSync(fd)
    closeSync(fd)
    failpoint('rotate.kept')
  }
  renameSync(nextKeyFile(keyFile), keyFile)
  syncDirectory(dirname(keyFile))
  return former
}
