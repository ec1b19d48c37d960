import { ERRORS, type FieldErrors, isAppError } from '../../platform/errors.ts'

/** What became of one notification of the input: the answer that the HTTP interface would have given. */
export interface Result {
  status: number
  notification: unknown
  errors: unknown
  /** `--dry-run` only. */
  preview?: unknown
}

/** Takes one parsed value. Rejects only for what makes it pointless to go on. */
export type Deliver = (value: unknown) => Promise<Result>

/** Errors of ours that are about this one notification -> its result; all others go on being thrown. */
export function refusalOf(error: unknown): Result {
  if (!isAppError(error) || ERRORS[error.code].http >= 500) throw error
  return {
    status: ERRORS[error.code].http,
    notification: null,
    errors: error.details.fields ?? ({ '': [error.message] } satisfies FieldErrors),
  }
}

export function isTaken({ status }: Result): boolean {
  return status >= 200 && status < 300
}
