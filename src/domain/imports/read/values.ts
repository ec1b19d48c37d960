import { readInstant } from '../../../platform/instants.ts'
import { isPlainObject, readObject } from '../../../platform/json.ts'
import { shortText, yesOrNo } from '../../../platform/lenient.ts'
import type { Candidate, DeviceWords, Row } from '../types.ts'
import { readConsent } from './consent.ts'

/** Readers of single values of exports. A value that makes no sense is null. Pure. */

/** From here on a number is milliseconds; below it is seconds (the year 5138). */
const MILLISECONDS_FROM = 1e11

/** Text without surrounding blanks; numbers become text. */
export const textOf = (value: unknown): string | null => shortText(value, 2048)

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
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A JSON object or its text; undefined for anything else. Nothing is an empty object. */
export function objectFrom(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null || value === '') return {}
  if (isPlainObject(value)) return value
  return typeof value === 'string' ? readObject(value) : undefined
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
