import { isRoundedNumber, ROUNDED_RULE } from '../../../platform/csv.ts'
import { readInstant } from '../../../platform/instants.ts'
import { isPlainObject, readJsonText, readWholeObject, unkeptProblem } from '../../../platform/json.ts'
import { shortText, yesOrNo } from '../../../platform/lenient.ts'
import type { Candidate, DeviceWords, Row } from '../types.ts'

/** Readers of single values of exports. A value that makes no sense is null, unless its row must be refused. Pure. */

/** A value for which its row is refused. The message completes a sentence that begins with the line. */
export class RowProblem extends Error {}

/** From here on a number is milliseconds; below it is seconds (the year 5138). */
const MILLISECONDS_FROM = 1e11

/** Text without surrounding blanks; numbers become text. */
export const textOf = (value: unknown): string | null => shortText(value, 2048)

/**
 * An identifier: text, an integer, or one of these in the extended JSON of MongoDB (`{"$oid": …}`, `{"$numberLong": …}`).
 * Throws `RowProblem` for anything else, and for a number that has lost digits: two people or devices could become one.
 * `field` is its name in the file.
 */
export function idOf(value: unknown, field: string): string | null {
  const given = isPlainObject(value) ? (value.$oid ?? value.$numberLong ?? value.$numberInt ?? value) : value
  if (given === undefined || given === null) return null
  if (typeof given === 'number' ? !Number.isSafeInteger(given) : typeof given !== 'string') {
    throw new RowProblem(`${field} ${WRONG_ID}`)
  }
  if (typeof given === 'string' && isRoundedNumber(given)) throw new RowProblem(`${field} ${ROUNDED_RULE}`)
  return textOf(given)
}

const WRONG_ID = 'must be text, or an integer that a number holds exactly: export it as text'

/**
 * An instant: seconds or milliseconds since 1970, ISO 8601, `2026-03-01 08:00:00 UTC`, the extended JSON of MongoDB
 * (`{"$date": …}`, https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/) or Parse's
 * `{"__type": "Date", "iso": …}`.
 */
export function instantOf(value: unknown): number | null {
  if (isPlainObject(value)) return instantOf(value.$date ?? value.iso ?? value.$numberLong ?? value._seconds)
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
  if (typeof number === 'number') {
    if (!Number.isFinite(number) || number <= 0) return null
    const ms = Math.trunc(number < MILLISECONDS_FROM ? number * 1000 : number)
    return ms < 8.64e15 ? ms : null
  }
  if (typeof value !== 'string') return null
  return readInstant(value.trim().replace(/ ?(UTC|GMT)$/, 'Z')) ?? null
}

/** A boolean, also written as PostgreSQL does (`t`, `f`) or as a word. */
export function flagOf(value: unknown): boolean | null {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === 't' || text === 'yes') return true
  if (text === 'f' || text === 'no') return false
  return yesOrNo(text)
}

/** Two capital letters. */
export function countryCodeOf(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : null
}

/** A list of texts: a JSON list, its text, or texts separated by commas, semicolons or bars. */
export function listOf(value: unknown): string[] {
  const list = typeof value === 'string' && value.trim().startsWith('[') ? parsedList(value) : value
  const items: unknown[] = Array.isArray(list) ? list : typeof value === 'string' ? value.split(/[,;|]/) : []
  return [...new Set(items.flatMap((item) => textOf(item) ?? []))]
}

function parsedList(text: string): unknown {
  let read: ReturnType<typeof readJsonText>
  try {
    read = readJsonText(text)
  } catch {
    return undefined
  }
  if (read.unkept.length > 0) throw new RowProblem(unkeptProblem(read.unkept))
  return read.value
}

/**
 * A JSON object or its text; undefined for anything else. Nothing is an empty object. Throws `RowProblem` for a text with
 * a number that is not kept.
 */
export function objectFrom(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null || value === '') return {}
  if (isPlainObject(value)) return value
  if (typeof value !== 'string') return undefined
  const read = readWholeObject(value)
  if ('problem' in read) throw new RowProblem(read.problem)
  return read.object
}

/** Values that are written as numbers become numbers, and `true` and `false` booleans; nested values stay as they are. */
export function withNumbers(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typed(value)]))
}

function typed(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  // Neither 007 nor 1e5: they may be codes. At most 15 digits, which a number keeps exactly.
  if (typeof value !== 'string' || !/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) || value.length > 16) return value
  return Number(value)
}

/** The first of these columns that has a value. */
export function pick(row: Row, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

export const NO_WORDS: DeviceWords = {
  os: null,
  osVersion: null,
  appVersion: null,
  deviceModel: null,
  country: null,
  timezone: null,
  locale: null,
}

/** A candidate that says nothing yet. */
export const NOTHING: Candidate = {
  key: null,
  user: null,
  platform: null,
  token: null,
  environment: null,
  topic: null,
  reachable: true,
  enabled: true,
  optedOut: false,
  attributes: {},
  channels: [],
  words: NO_WORDS,
  createdAt: null,
  lastActive: null,
}

/**
 * Names of tags that become channels: those with a value other than 0, `false`, `no` or nothing. The rest are
 * attributes.
 */
export function splitTags(
  tags: Record<string, unknown>,
  { tagChannels, numbers }: { tagChannels: readonly string[]; numbers: boolean },
): { attributes: Record<string, unknown>; channels: string[] } {
  const attributes: [string, unknown][] = []
  const channels: string[] = []
  for (const [name, value] of Object.entries(tags)) {
    if (!tagChannels.includes(name)) attributes.push([name, value])
    else if (value !== '' && value !== null && flagOf(value) !== false) channels.push(name)
  }
  const given = Object.fromEntries(attributes)
  return { attributes: numbers ? withNumbers(given) : given, channels }
}
