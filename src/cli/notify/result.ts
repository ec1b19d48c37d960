import { ERRORS, type FieldErrors, isAppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json.ts'

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

/** 202 with what was taken, or 400 without, when nobody who was named can get it. */
export function resultOfAccepted(kind: Kind, value: unknown, errors: object): Result {
  if (value === null) return resultOf(kind, 400, null, errors)
  return resultOf(kind, 202, value, Object.keys(errors).length > 0 ? errors : null)
}

/** Takes one value after the other; errors of ours that are about one become its result, all others go on being thrown. */
export function deliverBy(kind: Kind, take: (value: unknown) => Promise<Result>): Deliver {
  return async (value) => {
    try {
      return await take(value)
    } catch (error) {
      if (!isAppError(error) || ERRORS[error.code].http >= 500) throw error
      const errors = error.details.fields ?? ({ '': [error.message] } satisfies FieldErrors)
      return resultOf(kind, ERRORS[error.code].http, null, errors)
    }
  }
}

/** Whether nothing but the confirmation of its recipients is missing. */
export function wantsConfirmation(result: Result): result is Result & { errors: { confirm: string[] } } {
  const { status, errors } = result
  return status === 422 && isPlainObject(errors) && Object.keys(errors).join() === 'confirm'
}

export function isTaken({ status }: Result): boolean {
  return status >= 200 && status < 300
}
