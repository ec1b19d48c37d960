/** An answer that is an error, or no answer. */
export class ApiError extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number
  /** `second_factor`, `confirm_sign_in`, `offline` …; empty when the server gave none. */
  readonly code: string
  /** Dotted path of each wrong field -> what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, message: string, code = '', fields: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

/** Code of the error of a call that did not reach the server. */
export const OFFLINE = 'offline'

/** Tells whether a call was cancelled, which is no reason to show an error. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Returns the text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

interface ErrorBody {
  error?: unknown
  code?: unknown
  errors?: Record<string, string[]>
}

/** Reads the body of an error answer: `{ error, code?, errors? }`. */
export function errorOf(status: number, body: unknown): ApiError {
  const { error, code, errors = {} } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody
  const message = typeof error === 'string' && error !== '' ? sentence(error) : wordsFor(status)
  const fields = Object.fromEntries(Object.entries(errors).map(([path, [first = '']]) => [path, first]))
  return new ApiError(status, message, typeof code === 'string' ? code : '', fields)
}

/** Errors of the interface begin in lower case and end without a stop. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

function wordsFor(status: number): string {
  if (status === 403) return 'Your role does not allow this.'
  if (status === 404) return 'This does not exist (any more).'
  if (status === 429) return 'Too many tries: wait a moment and try again.'
  if (status >= 500) return 'Something went wrong on the server. Its log has the details.'
  return `The server refused this (${status}).`
}
