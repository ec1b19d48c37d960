import { AppError } from '../../platform/errors.ts'

/** An id that somebody typed. `what` it is of has its article: `a notification`. Throws `usage`. */
export function typedId(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new AppError('usage', `${JSON.stringify(text)} is not the id of ${what} (a number)`)
  }
  return Number(text)
}
