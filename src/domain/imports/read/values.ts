import { isPlainObject, readJsonText, readWholeObject, unkeptProblem } from '../../../platform/json/json.ts'
import { isRoundedNumber, ROUNDED_RULE } from '../../../platform/text/csv.ts'
import { fromExtendedJson } from '../../../platform/text/extended-json.ts'
import { dateProblem, type NumberUnit, readDate } from '../../../platform/time/dates.ts'
import { shortText, yesOrNo } from '../../../platform/values/lenient.ts'
import type { Candidate, DeviceWords, Row } from '../types.ts'
import { readConsent } from './consent.ts'
import { RowProblem } from './problem.ts'

/** Readers of single values of exports. A date that makes no sense refuses its row; other values become null. Pure. */

/** Text without surrounding blanks; numbers become text. */
export const textOf = (value: unknown): string | null => shortText(value, 2048)

/** How the dates of a column are written. */
export interface DateColumn {
  /** As the file calls it, for the refusal. */
  column?: string
  /** What a bare number counts, where the vendor's format or `--map` says so. */
  unit?: NumberUnit | undefined
  /** What to do about a number without a unit. */
  remedy?: string
}

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
 * An instant in milliseconds, as `readDate` of platform/time/dates.ts reads it; a time without an offset is in UTC. Null when
 * there is no value. Throws `RowProblem` for a value that is no date: it never becomes another one.
 */
export function instantOf(value: unknown, { column = 'a date', unit, remedy }: DateColumn = {}): number | null {
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return null
  const ms = readDate(value, unit)
  if (ms !== undefined) return ms
  const problem = dateProblem(value, unit)
  const isUnclear = remedy !== undefined && unit === undefined && /nothing says/.test(problem)
  throw new RowProblem(`${column} ${problem}${isUnclear ? `: ${remedy}` : ''}`)
}

/** The instant in the first of these columns that has a value. Throws as `instantOf`, naming the column. */
export function instantIn(row: Row, columns: readonly string[], unit?: NumberUnit): number | null {
  const column = columns.find((name) => pick(row, name) !== undefined)
  return column === undefined ? null : instantOf(row[column], { column, unit })
}

/** Dates of Parse (`{"__type": "Date", …}`) and of Firestore's admin SDK as ISO 8601, at any depth. Throws `RowProblem`. */
export function datesAsText(value: unknown, column: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => datesAsText(item, column))
  if (!isPlainObject(value)) return value
  const isDate = value.__type === 'Date' || Object.keys(value).sort().join() === '_nanoseconds,_seconds'
  if (isDate) return new Date(instantOf(value, { column })!).toISOString()
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, datesAsText(item, `${column}.${name}`)]))
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
  return read.object && (fromExtendedJson(read.object) as Record<string, unknown>)
}

/** Values that are written as numbers become numbers, and `true` and `false` booleans; nested values stay as they are. */
export function withNumbers(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typed(value)]))
}

function typed(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  // Neither 007 nor 1e5: they may be codes. At most 15 digits, which a number keeps exactly.
  const isKept = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)
  return isKept && value.replaceAll(/\D/g, '').length <= 15 ? Number(value) : value
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
  isSaid: false,
  attributes: {},
  channels: [],
  words: NO_WORDS,
  createdAt: null,
  lastActive: null,
}

/**
 * Tags that become channels where their value is a yes, a number above 0 or a name of nothing else; the rest are
 * attributes. A value that may mean either is refused.
 */
export function splitTags(
  tags: Record<string, unknown>,
  { tagChannels, numbers }: { tagChannels: readonly string[]; numbers: boolean },
): { attributes: Record<string, unknown>; channels: string[] } | { problem: string } {
  const attributes: [string, unknown][] = []
  const channels: string[] = []
  for (const [name, value] of Object.entries(tags)) {
    if (!tagChannels.includes(name)) attributes.push([name, value])
    else {
      const said = readConsent(`the tag ${name}`, value, 'membership')
      if (typeof said !== 'string') return said
      if (said === 'subscribed') channels.push(name)
    }
  }
  const given = Object.fromEntries(attributes)
  return { attributes: numbers ? withNumbers(given) : given, channels }
}
