import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { Wanted } from '../process/caller.ts'
import type { Io } from '../process/io.ts'

/**
 * Writes the result of a command to the file named by a flag. `what` is the flag, for errors. Throws what `unwritable`
 * returns.
 */
export async function writeOutput(io: Io, file: string, content: string | Uint8Array, what: string): Promise<void> {
  try {
    if (io.caller) {
      const opened = io.caller.openOutput(file, MODE, 0)
      await opened.put(0, Buffer.from(content))
      await opened.close()
    } else await writeFile(file, content, { mode: MODE })
  } catch (error) {
    throw unwritable(error, file, `${what}: `)
  }
}

/** Not writable by others, even with an umask of 0. */
const MODE = 0o644

/**
 * The error for a file that cannot be written: `forbidden` for missing permission, else `unavailable`. `what` precedes
 * the message. Throws `Wanted` as it is.
 */
export function unwritable(error: unknown, file: string, what = ''): AppError {
  if (error instanceof Wanted) throw error
  const { code } = error as NodeJS.ErrnoException
  const cannot = `${what}${file} cannot be written`
  if (code === 'EACCES' || code === 'EPERM') return new AppError('forbidden', `${cannot}: permission denied`)
  const why =
    code === 'ENOENT'
      ? `there is no directory ${dirname(file)}`
      : code === 'EISDIR'
        ? 'it is a directory'
        : code === 'ENAMETOOLONG'
          ? 'a file cannot have a name this long'
          : messageOf(error)
  return new AppError('unavailable', `${cannot}: ${why}`)
}
