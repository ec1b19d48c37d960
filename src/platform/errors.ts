/**
 * The codes of `AppError`, and how each is reported: `http` is the response status, `exit` the exit code of the command
 * line (sysexits.h).
 */
export const ERRORS = {
  bad_request: { http: 400, exit: 65 },
  unauthorized: { http: 401, exit: 77 },
  forbidden: { http: 403, exit: 77 },
  not_found: { http: 404, exit: 66 },
  method_not_allowed: { http: 405, exit: 64 },
  not_acceptable: { http: 406, exit: 64 },
  conflict: { http: 409, exit: 75 },
  gone: { http: 410, exit: 66 },
  too_large: { http: 413, exit: 65 },
  unsupported_media: { http: 415, exit: 65 },
  invalid: { http: 422, exit: 65 },
  too_many: { http: 429, exit: 75 },
  internal: { http: 500, exit: 1 },
  unavailable: { http: 503, exit: 69 },
  usage: { http: 400, exit: 64 },
  config: { http: 500, exit: 78 },
} as const

export type ErrorCode = keyof typeof ERRORS

/** Invalid fields of an input: dotted path as the caller wrote it -> what is wrong. The key `''` is the whole body. */
export type FieldErrors = Record<string, string[]>

/** Parts of an error besides its message: invalid fields, response headers, or the whole response body. */
export interface ErrorDetails {
  fields?: FieldErrors
  headers?: Record<string, string>
  body?: unknown
}

/**
 * A failure that a caller can understand and act on. Anything else that is thrown is a bug; callers get a plain 500.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

/**
 * Number of wrong places that one answer names, beside the number of the others. A caller who mends twenty asks again, and many
 * wrong places must not make an answer that is much longer than the request.
 */
export const MOST_NAMED = 20
/** Number of wrong places that are named when there are `count`: one line is left to tell of the others. */
export const namedOf = (count: number) => (count > MOST_NAMED ? MOST_NAMED - 1 : count)
/** Characters of a path and of a problem: both may repeat what the caller wrote. */
const LONGEST_PATH = 200
const LONGEST_PROBLEM = 1000

/** The 422 response of the contract: it names every invalid field, the first `MOST_NAMED` of them if there are more. */
export function invalid(fields: FieldErrors): AppError {
  return new AppError('invalid', 'validation failed', { fields: firstOf(fields) })
}

function firstOf({ '': whole = [], ...others }: FieldErrors): FieldErrors {
  const places = Object.entries(others)
  const room = MOST_NAMED - (whole.length > 0 || places.length > MOST_NAMED ? 1 : 0)
  const named = places.slice(0, room)
  const left = places.length - named.length
  const problems = left > 0 ? [...whole.slice(0, MOST_NAMED - 1), `has ${left} more wrong places`] : whole
  if (problems.length > 0) named.push(['', problems])
  return Object.fromEntries(
    named.map(([path, said]) => [
      shortened(path, LONGEST_PATH),
      said.slice(0, MOST_NAMED).map((problem) => shortened(problem, LONGEST_PROBLEM)),
    ]),
  )
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
}

/** Tells whether this is an `AppError`, even one from another copy of this module or from another thread. */
export function isAppError(error: unknown): error is AppError {
  return (
    error instanceof Error && error.name === 'AppError' && 'code' in error && Object.hasOwn(ERRORS, String(error.code))
  )
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
