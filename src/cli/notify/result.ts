import { ERRORS, type FieldErrors, isAppError } from '../../platform/errors.ts'

/** What is sent, and how the HTTP interface speaks of it. */
export interface Kind {
  /** Member of the answer. */
  key: 'notification' | 'message'
  noun: string
  /** Below the messages area. */
  path: string
}

export const NOTIFICATIONS: Kind = { key: 'notification', noun: 'notification', path: '/v2/notifications' }
export const IN_APP: Kind = { key: 'message', noun: 'in-app message', path: '/v1/in-app-messages' }

/** What became of one value of the input: the answer that the HTTP interface would have given. */
export interface Result {
  status: number
  /** One of these two, by the kind. */
  notification?: unknown
  message?: unknown
  errors: unknown
  /** `--dry-run` only. */
  preview?: unknown
}

/** Takes one parsed value. Rejects only for what makes it pointless to go on. */
export type Deliver = (value: unknown) => Promise<Result>

export function resultOf(kind: Kind, status: number, value: unknown, errors: unknown): Result {
  return { status, [kind.key]: value, errors }
}

/** Errors of ours that are about this one value -> its result; all others go on being thrown. */
export function refusalOf(kind: Kind, error: unknown): Result {
  if (!isAppError(error) || ERRORS[error.code].http >= 500) throw error
  const errors = error.details.fields ?? ({ '': [error.message] } satisfies FieldErrors)
  return resultOf(kind, ERRORS[error.code].http, null, errors)
}

export function isTaken({ status }: Result): boolean {
  return status >= 200 && status < 300
}
