import { isPlainObject } from '../json/json.ts'
import { readDate } from '../time/dates.ts'

/**
 * MongoDB's extended JSON (https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/), canonical, relaxed and
 * the older form, as plain JSON. Pure.
 */

/** A value that plain JSON cannot hold. The message is a sentence that begins with the path of the value. */
export class ExtendedJsonError extends Error {}

const DEEPEST = 64

/**
 * The value with every type of MongoDB in it as plain JSON, at any depth: dates and timestamps as ISO 8601, ids, UUIDs
 * and binary data as text, numbers as numbers where a number keeps every digit, else as text. Objects that are nothing
 * of MongoDB stay as they are. Throws `ExtendedJsonError`.
 */
export function fromExtendedJson(value: unknown): unknown {
  return plain(value, '', 0)
}

function plain(value: unknown, path: string, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) throw new ExtendedJsonError(`${path.slice(0, 40)}… is nested deeper than ${DEEPEST} levels`)
  if (Array.isArray(value)) return value.map((item: unknown, i) => plain(item, `${path}[${i}]`, depth + 1))
  if (!isPlainObject(value)) return value
  const read = readType(value)
  if (read) {
    if (read.value === undefined) {
      throw new ExtendedJsonError(`${path === '' ? 'it' : path} has ${shown(value)}, which ${read.problem}`)
    }
    return read.value
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, plain(item, path === '' ? name : `${path}.${name}`, depth + 1)]),
  )
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`
}

/** What is read of a type: its value, or why there is none. */
type Read = { value: unknown; problem?: undefined } | { value?: undefined; problem: string }

const NOT_READABLE = 'is not extended JSON of MongoDB'
const NO_JSON = 'JSON cannot hold'

const textOr = (value: unknown): Read => (typeof value === 'string' ? { value } : { problem: NOT_READABLE })

/** The types by the name that begins with a dollar sign. Their objects have this name alone. */
const TYPES: Readonly<Record<string, (given: unknown) => Read>> = {
  $date: (given) => isoOf({ $date: given }),
  $timestamp: (given) => isoOf({ $timestamp: given }),
  $oid: (given) => (/^[0-9a-f]{24}$/i.test(String(given)) ? textOr(given) : { problem: NOT_READABLE }),
  $uuid: textOr,
  $symbol: textOr,
  $numberInt: (given) => integer(given),
  $numberLong: (given) => integer(given),
  $numberDouble: (given) => decimal(given, true),
  $numberDecimal: (given) => decimal(given, false),
  $binary: (given) => (isPlainObject(given) ? binary(given.base64, given.subType) : binary(given, '00')),
  $regularExpression: (given) =>
    isPlainObject(given) && typeof given.pattern === 'string'
      ? { value: `/${given.pattern}/${typeof given.options === 'string' ? given.options : ''}` }
      : { problem: NOT_READABLE },
  $code: textOr,
  // Neither has a value that JSON could hold.
  $minKey: () => ({ problem: NO_JSON }),
  $maxKey: () => ({ problem: NO_JSON }),
  $undefined: () => ({ value: null }),
}

/** A value of MongoDB; undefined for any other object. */
function readType(value: Record<string, unknown>): Read | undefined {
  const names = Object.keys(value)
  if (names.length === 1) return Object.hasOwn(TYPES, names[0]!) ? TYPES[names[0]!]!(value[names[0]!]) : undefined
  if (names.length !== 2) return undefined
  // The older form of two types, and code with its variables.
  if ('$binary' in value && '$type' in value) return binary(value.$binary, value.$type)
  if ('$regex' in value && '$options' in value && typeof value.$regex === 'string') {
    return { value: `/${value.$regex}/${String(value.$options)}` }
  }
  return '$code' in value && '$scope' in value ? textOr(value.$code) : undefined
}

function isoOf(given: Record<string, unknown>): Read {
  const ms = readDate(given)
  return ms === undefined
    ? { problem: 'is not a date of the years 0001 to 9999' }
    : { value: new Date(ms).toISOString() }
}

/** Beyond 2^53 a number would be another one, so it stays text. */
function integer(given: unknown): Read {
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string' || !/^[+-]?\d{1,19}$/.test(text)) return { problem: NOT_READABLE }
  const number = Number(text)
  return { value: Number.isSafeInteger(number) ? number + 0 : text }
}

function decimal(given: unknown, isDouble: boolean): Read {
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string') return { problem: NOT_READABLE }
  if (/^(NaN|[+-]?Inf(inity)?)$/i.test(text)) return { problem: NO_JSON }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return { problem: NOT_READABLE }
  const number = Number(text)
  if (isDouble) return Number.isFinite(number) ? { value: number + 0 } : { problem: NO_JSON }
  // A number keeps 15 digits exactly; a decimal of MongoDB may have 34.
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/^[+-]?0*\.?0*/, '')
    .replace('.', '')
  return { value: digits.length <= 15 && Number.isFinite(number) ? number + 0 : text }
}

function binary(base64: unknown, subType: unknown): Read {
  if (typeof base64 !== 'string') return { problem: NOT_READABLE }
  const bytes = Buffer.from(base64, 'base64')
  const isUuid = Number.parseInt(String(subType), 16) === 4 && bytes.length === 16
  return { value: isUuid ? bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : base64 }
}
