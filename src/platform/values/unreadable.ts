import { AppError } from '../errors.ts'

/** A stored JSON text as a value that passes `is`. Throws `Unreadable`, in which `what` names the text. */
export function readStored<T>(stored: string, is: (value: unknown) => value is T, what: string): T {
  let value: unknown
  try {
    value = JSON.parse(stored)
  } catch {
    throw new Unreadable(what)
  }
  if (!is(value)) throw new Unreadable(what)
  return value
}

/** `readStored` that returns `otherwise` for a value that cannot be read, where one value must not stop a reader of many. */
export function readStoredOr<T, O>(stored: string, is: (value: unknown) => value is T, otherwise: O): T | O {
  try {
    return readStored(stored, is, '')
  } catch (error) {
    if (error instanceof Unreadable) return otherwise
    throw error
  }
}

/**
 * Error for a stored value that cannot be read, such as text that is no JSON. A further try does not help: the caller leaves
 * the value out, or ends the work that needs it with this reason. Callers of the interface get a fault of the server (500); the
 * log and the doctor name the value.
 */
export class Unreadable extends AppError {
  /** An error about `what`, such as `the filter of segment 12`; `remedy` is an imperative. */
  constructor(what: string, remedy = 'store it again, or delete it') {
    super('internal', `${what} cannot be read: ${remedy} (appsvc doctor names it)`)
  }
}
