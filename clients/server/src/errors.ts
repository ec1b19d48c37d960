/** The JSON of an answer that is not 2xx (docs/reference/errors.md). */
interface Failure {
  error?: string
  errors?: Record<string, string[]>
}

/** An answer that is not 2xx, from a call that has no other way to say so. */
export class AppsvcError extends Error {
  override readonly name = 'AppsvcError'
  readonly status: number
  /** The wrong fields of a 422, each with its reasons. */
  readonly errors: Record<string, string[]>

  constructor(status: number, body: unknown) {
    const { error, errors = {} }: Failure = typeof body === 'object' && body !== null ? body : {}
    const unknown =
      status >= 300 && status < 400 ? 'the server redirects: set url to where it leads' : 'the answer is none of appsvc'
    const fields = Object.entries(errors).map(([field, reasons]) => `${field} ${String(reasons)}`)
    super(`${status}: ${[error ?? unknown, ...fields].join('; ')}`)
    this.status = status
    this.errors = errors
  }
}

/** The parts of a result of openapi-fetch that tell success from failure. */
interface Result<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The data of a result. Throws `AppsvcError` when there is none. */
export function dataOf<T>({ data, error, response }: Result<T>): T {
  if (!response.ok) throw new AppsvcError(response.status, error)
  return data as T
}
