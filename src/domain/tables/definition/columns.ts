import { isAppError } from '../../../platform/errors.ts'
import { isPlainObject, isStorable, jsonProblem, parseJsonBytes } from '../../../platform/json/json.ts'
import { type UnkeptKind, unkeptKind } from '../../../platform/json/numbers.ts'
import { MUST_BE, NOT_STORABLE } from '../../../platform/values/reader.ts'
import type { ColumnType } from '../types.ts'
import { parseInstant, showInstant } from './instants.ts'

/** The column types: which JSON each accepts, and how its values are shown to callers. Pure. */

/** Maximum length of a value of a `string` column in characters. */
export const MAX_STRING_LENGTH = 255

/** A value, or what is wrong with the given one. */
export type Checked = { value: unknown; fault?: undefined } | { fault: string }

/** Largest integer that JSON parsers keep exactly. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER

/** What a value of each type must be; completes a sentence that begins with the field. */
const WANTED: Record<ColumnType, string> = {
  string: `must be a string of at most ${MAX_STRING_LENGTH} characters`,
  text: MUST_BE.string,
  integer: 'must be an integer',
  number: MUST_BE.number,
  boolean: MUST_BE.boolean,
  datetime: 'must be a time in ISO 8601 such as 2026-11-21T09:30:00Z',
  json: 'must be a JSON value',
  reference: 'must be the id of a record, an integer',
}

/** A JSON value other than null -> the value to store. Nothing is converted: "12" is not an integer. */
export function readValue(type: ColumnType, given: unknown): Checked {
  const reading = READERS[type](given)
  if (reading === undefined) return { fault: `${WANTED[type]}, not ${kindOf(given)}` }
  return reading
}

/** Reads a value of each type; undefined for a value of another type. */
const READERS: Record<ColumnType, (given: unknown) => Checked | undefined> = {
  string(given) {
    if (typeof given !== 'string') return undefined
    if (given.length > MAX_STRING_LENGTH && [...given].length > MAX_STRING_LENGTH) {
      return { fault: `must have at most ${MAX_STRING_LENGTH} characters, not ${[...given].length}` }
    }
    return isStorable(given) ? { value: given } : { fault: NOT_STORABLE }
  },
  text(given) {
    if (typeof given !== 'string') return undefined
    return isStorable(given) ? { value: given } : { fault: NOT_STORABLE }
  },
  // Adding 0 turns -0 into 0: JSON distinguishes the two, databases do not.
  integer(given) {
    if (Number.isSafeInteger(given)) return { value: (given as number) + 0 }
    return Number.isInteger(given) ? { fault: `must be between -${MAX_INTEGER} and ${MAX_INTEGER}` } : undefined
  },
  number: (given) => (Number.isFinite(given) ? { value: (given as number) + 0 } : undefined),
  boolean: (given) => (typeof given === 'boolean' ? { value: given } : undefined),
  datetime(given) {
    const value = typeof given === 'string' ? parseInstant(given) : undefined
    return value === undefined ? undefined : { value }
  },
  json(given) {
    const fault = faultOfJson(given)
    return fault === undefined ? { value: given } : { fault }
  },
  reference: (given) => (Number.isSafeInteger(given) && (given as number) > 0 ? { value: given } : undefined),
}

function kindOf(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'an array'
  if (typeof given === 'object') return 'an object'
  // JSON.stringify would show it as null.
  if (given === Infinity || given === -Infinity) return 'a number too large to store'
  if (typeof given === 'string') return given.length <= 40 ? `the string ${JSON.stringify(given)}` : 'a longer string'
  return JSON.stringify(given)
}

/** Some JSON can be parsed but not stored: 1e999 becomes Infinity, and PostgreSQL refuses NUL characters. */
function faultOfJson(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : NOT_STORABLE
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'contains a number that is too large'
  if (Array.isArray(value)) return firstFault(value)
  if (!isPlainObject(value)) return undefined
  return Object.keys(value).every(isStorable) ? firstFault(Object.values(value)) : NOT_STORABLE
}

function firstFault(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const fault = faultOfJson(value)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The text of a CSV cell or a flag -> the value to store. */
export function readText(type: ColumnType, text: string): Checked {
  const unkept = type === 'number' && isNumber(text) ? unkeptKind(text) : undefined
  if (unkept !== undefined) return { fault: NUMBER_FAULTS[unkept] }
  if (type !== 'json') return readValue(type, jsonOfText(type, text))
  try {
    const value = parseJsonBytes(Buffer.from(text))
    return value === null ? { fault: 'must not be the JSON null: leave the cell empty' } : readValue(type, value)
  } catch (error) {
    if (!isAppError(error)) throw error
    return { fault: jsonProblem(error) ?? 'is not valid JSON' }
  }
}

/** A column of numbers has no place for text, which would be the remedy elsewhere. */
const NUMBER_FAULTS: Readonly<Record<UnkeptKind, string>> = {
  large: 'is too large for a number: a column of the type string holds it',
  integer: `is an integer beyond ${MAX_INTEGER}, which a number does not hold exactly: a column of the type string holds it`,
  small: 'is too small for a number and would become 0: a column of the type string holds it',
}

const isNumber = (text: string) => /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)

/** Text as the JSON value of a type. Text that is not a value of the type is returned unchanged. */
function jsonOfText(type: ColumnType, text: string): unknown {
  if (type === 'integer' || type === 'reference') return /^-?\d{1,16}$/.test(text) ? Number(text) : text
  if (type === 'number') return isNumber(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** A stored value -> the JSON that callers get. */
export function showValue(type: ColumnType, value: unknown): unknown {
  return type === 'datetime' && value !== null ? showInstant(value as number) : value
}
