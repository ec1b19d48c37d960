import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'

/**
 * Writes the result of a command to the file named by a flag. `what` is the flag, for errors. Throws what `unwritable`
 * returns.
 */
export async function writeOutput(file: string, content: string | Uint8Array, what: string): Promise<void> {
  // Not writable by others, even with an umask of 0.
  await writeFile(file, content, { mode: 0o644 }).catch((error: unknown) => {
    throw unwritable(error, file, `${what}: `)
  })
}

/**
 * The error for a file that cannot be written: `forbidden` for missing permission, else `unavailable`. `what` precedes
 * the message.
 */
export function unwritable(error: unknown, file: string, what = ''): AppError {
  const { code } = error as NodeJS.ErrnoException
  const cannot = `${what}${file} cannot be written`
  if (code === 'EACCES' || code === 'EPERM') return new AppError('forbidden', `${cannot}: permission denied`)
  const why =
    code === 'ENOENT'
      ? `there is no directory ${dirname(file)}`
      : code === 'EISDIR'
        ? 'it is a directory'
        : messageOf(error)
  return new AppError('unavailable', `${cannot}: ${why}`)
}
