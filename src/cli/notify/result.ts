import { ERRORS, type FieldErrors, isAppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'

/** The kind of thing sent, and its names in the HTTP interface. */
export interface Kind {
  /** Member of the response. */
  key: 'notification' | 'message'
  noun: string
  /** Path within the messages area. */
  path: string
}

export const NOTIFICATIONS: Kind = { key: 'notification', noun: 'notification', path: '/v2/notifications' }
export const IN_APP: Kind = { key: 'message', noun: 'in-app message', path: '/v1/in-app-messages' }

/** The result of one input value: the response that the HTTP interface would have given. */
export interface Result {
  status: number
  /** One of these two, depending on the kind. */
  notification?: unknown
  message?: unknown
  errors: unknown
  /** The series that it made; absent unless it repeats. */
  series?: unknown
  /** `--dry-run` only. */
  preview?: unknown
}

/** Sends one parsed value. Rejects only if continuing with the next value is pointless. */
export type Deliver = (value: unknown) => Promise<Result>

export function resultOf(kind: Kind, status: number, value: unknown, errors: unknown, series?: unknown): Result {
  return { status, [kind.key]: value, errors, ...(series !== undefined && { series }) }
}

/** 202 with the accepted value, or 400 if none of the named recipients can get it. */
export function resultOfAccepted(kind: Kind, value: unknown, errors: object, series?: unknown): Result {
  if (value === null) return resultOf(kind, 400, null, errors)
  return resultOf(kind, 202, value, Object.keys(errors).length > 0 ? errors : null, series)
}

/** Calls `take` for each value. Errors about the value become its result; all others are thrown. */
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

/** Tells whether the confirmation of the number of recipients is all that is missing. */
export function wantsConfirmation(result: Result): result is Result & { errors: { confirm: string[] } } {
  const { status, errors } = result
  return status === 422 && isPlainObject(errors) && Object.keys(errors).join() === 'confirm'
}

export function isTaken({ status }: Result): boolean {
  return status >= 200 && status < 300
}
