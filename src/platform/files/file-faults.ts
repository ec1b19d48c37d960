import { AppError } from '../errors.ts'

/** Error codes of the operating system by what an operator can do about them. */
const FULL = /^(ENOSPC|EDQUOT)$/
const SHORT = /^(EIO|EBUSY|EMFILE|ENFILE|ENOMEM|EAGAIN|ESTALE|ETXTBSY)$/
const NOT_ALLOWED = /^(EACCES|EPERM|EROFS)$/
const OTHER_KIND = /^(ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG|EEXIST|ENOTEMPTY|EXDEV|EINVAL|ENXIO|ENODEV|EFBIG)$/

/** An error of the operating system about a file, as Node throws it. */
interface FileError extends Error {
  code: string
  path?: string
  syscall?: string
}

/** Whether Node threw it for a file; errors of sockets have an address, and those of a lookup a host name. */
function isFileError(error: unknown): error is FileError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return !('address' in error) && !('hostname' in error) && !/^(SQLITE|ERR)_/.test(error.code)
}

/** The sentence of an error about a file: which one, and why. */
function sentenceOf({ message, code, path }: FileError): string {
  const why = message.replace(/^\w+: /, '').replace(/, .*$/s, '')
  return `${path ?? 'a file'} cannot be used: ${why === message ? code : `${why} (${code})`}`
}

/** As an `AppError`, which has an exit code, what Node threw for a file; any other error unchanged. */
export function asFileFault(error: unknown): unknown {
  if (!isFileError(error)) return error
  const { code } = error
  if (FULL.test(code)) return new AppError('unavailable', `the disk is full (${code}): free some space and try again`)
  if (SHORT.test(code)) return new AppError('unavailable', `${sentenceOf(error)}; try again`)
  if (NOT_ALLOWED.test(code))
    return new AppError('forbidden', `${sentenceOf(error)}; see who owns it, and run as that user`)
  if (code === 'ENOENT' && error.path !== undefined) return new AppError('not_found', sentenceOf(error))
  if (OTHER_KIND.test(code)) return new AppError('config', sentenceOf(error))
  return error
}

/**
 * As `unavailable` (503) what a full or failing disk threw in a server; any other error unchanged: callers cannot do anything about it, and
 * the log has it.
 */
export function asDiskUnavailable(error: unknown): unknown {
  if (!isFileError(error) || !(FULL.test(error.code) || SHORT.test(error.code) || error.code === 'EROFS')) return error
  const why = FULL.test(error.code) ? 'the disk is full' : `the disk cannot be used now (${error.code})`
  return new AppError('unavailable', `${why}; try again`, { headers: { 'Retry-After': '30' } })
}
