import { invalid } from '../../platform/errors.ts'

/**
 * A place in the log: behind an event. On PostgreSQL events are ordered by the number of their transaction, then by id;
 * on SQLite `tx` is always 0.
 */
export interface Position {
  tx: number
  id: number
}

/** The position before the first event. */
export const START: Position = { tx: 0, id: 0 }

export const isBefore = (a: Position, b: Position): boolean => a.tx < b.tx || (a.tx === b.tx && a.id < b.id)

/** The one that comes later in the log. */
export const laterOf = (a: Position, b: Position): Position => (isBefore(a, b) ? b : a)

/** Digits of 2^53 - 1 in base 36. */
const WIDTH = 11
const CURSOR = /^[0-9a-z]{22}$/

const digits = (value: number) => value.toString(36).padStart(WIDTH, '0')

/**
 * A position as text of 22 characters. Callers keep it without looking inside. Cursors of a log are ordered as texts,
 * so that a reader that stores events elsewhere can sort by them.
 */
export function writeCursor({ tx, id }: Position): string {
  return digits(tx) + digits(id)
}

/** The position of a cursor; undefined when no server wrote this text. */
export function readCursor(text: string): Position | undefined {
  if (!CURSOR.test(text)) return undefined
  const [tx, id] = [Number.parseInt(text.slice(0, WIDTH), 36), Number.parseInt(text.slice(WIDTH), 36)]
  return Number.isSafeInteger(tx) && Number.isSafeInteger(id) ? { tx, id } : undefined
}

/** The position of a cursor that a caller gave in `field`. Throws `invalid`, which names the field. */
export function requireCursor(text: string, field: string): Position {
  const position = readCursor(text)
  if (position) return position
  throw invalid({ [field]: ['must be the id of an event, or a next, that this server answered'] })
}
