import { AppError, messageOf } from '../../platform/errors.ts'

/** The error for a file that cannot be read or written; `what` is the purpose. Other errors are returned unchanged. */
export function fileFault(error: unknown, what: string): unknown {
  const code = (error as { code?: string } | null)?.code ?? ''
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code)) {
    return new AppError('unavailable', `${what}: the disk is full; free some space, or choose another place`)
  }
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code)) {
    return new AppError('forbidden', `${what}: ${messageOf(error)}; choose a place where this user may write`)
  }
  if (code === 'ENOENT') return new AppError('not_found', `${what}: ${messageOf(error)}`)
  if (/^(EIO|EBUSY|ENOTDIR|EISDIR|ENAMETOOLONG|EMFILE|ENFILE|SQLITE_IOERR|SQLITE_BUSY)/.test(code)) {
    return new AppError('unavailable', `${what}: ${messageOf(error)}`)
  }
  return error
}

/** Tells whether an error is the reason of a signal that was aborted. */
export function isAborted(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && (error === signal.reason || (error as Error | null)?.name === 'AbortError')
}
