import { AppError } from '../errors.ts'

/** A stored JSON text as a value that passes `is`. Throws `Unreadable`; `what` as there. */
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

/** As `readStored`, but what cannot be read is `otherwise`: for what must not stop whoever reads many. */
export function readStoredOr<T, O>(stored: string, is: (value: unknown) => value is T, otherwise: O): T | O {
  try {
    return readStored(stored, is, '')
  } catch (error) {
    if (error instanceof Unreadable) return otherwise
    throw error
  }
}

/**
 * What is stored cannot be read, such as JSON that is none. Trying again does not help: whoever acts on it leaves it out, or
 * ends what waits for it with this reason. For callers it is a fault of the server (500); the log and the doctor say what it is.
 */
export class Unreadable extends AppError {
  /** `what`: `the filter of segment 12`; `remedy`: an imperative. */
  constructor(what: string, remedy = 'store it again, or delete it') {
    super('internal', `${what} cannot be read: ${remedy} (appsvc doctor names it)`)
  }
}
