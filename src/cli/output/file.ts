import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'

/** Writes the result of a command to a file that a flag names. `what` is the flag, for errors. Throws as `unwritable` says. */
export async function writeOutput(file: string, content: string | Uint8Array, what: string): Promise<void> {
  // Nobody else may write it, also where the umask says nothing.
  await writeFile(file, content, { mode: 0o644 }).catch((error: unknown) => {
    throw unwritable(error, file, `${what}: `)
  })
}

/** Why a file cannot be written, for people: `forbidden` for rights, else `unavailable`. `what` stands before the sentence. */
export function unwritable(error: unknown, file: string, what = ''): AppError {
  const { code } = error as NodeJS.ErrnoException
  const cannot = `${what}${file} cannot be written`
  if (code === 'EACCES' || code === 'EPERM') return new AppError('forbidden', `${cannot}: you may not`)
  const why =
    code === 'ENOENT'
      ? `there is no directory ${dirname(file)}`
      : code === 'EISDIR'
        ? 'it is a directory'
        : messageOf(error)
  return new AppError('unavailable', `${cannot}: ${why}`)
}
