import { AppError, type ErrorCode, type ErrorDetails, isAppError, messageOf } from '../errors.ts'

/** The messages between the two ends of a port to the reader thread. */

/** The caller of a read: each app has a share of the thread, and each key of an app a share of that. */
export interface Asker {
  app: number
  key: string
}

/** Messages to the thread: a read to do, or one for which nobody waits any more. */
export type ToReader =
  | { ask: number; call: string; args: readonly unknown[]; who: Asker; seconds: number }
  | { cancel: number }

/** Messages from the thread. `welcome` is the first one on a port: the thread hears every read that is asked after it. */
export type FromReader = 'welcome' | { answer: number; value: unknown } | { answer: number; error: SentError }

/** An error as it crosses threads: structured clone keeps neither class nor code. */
export interface SentError {
  /** Code of the error; undefined for a bug, which is logged where it happened. */
  code: ErrorCode | undefined
  message: string
  details: ErrorDetails
}

export function sentError(error: unknown): SentError {
  if (isAppError(error)) return { code: error.code, message: error.message, details: error.details }
  return {
    code: undefined,
    message: error instanceof Error ? (error.stack ?? error.message) : messageOf(error),
    details: {},
  }
}

export function receivedError({ code, message, details }: SentError): Error {
  return code ? new AppError(code, message, details) : new Error(message)
}

/** A 503 that says when to try again. */
export function cannotReadNow(message: string, retryAfterS = 5): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': String(retryAfterS) } })
}
