import { readInstant } from '../../../platform/time/instants.ts'
import { isZone, zoneOffset } from '../../../platform/time/zones.ts'
import { formatsOf, type Words } from './languages.ts'

/** The filter `date`: instants as a zone and a language write them, by the directives of strftime. Pure. */

/** The wall time of a date, as the UTC parts of `at`. */
interface Wall {
  at: Date
  /** Minutes by which the zone is ahead of UTC. */
  offset: number
  zone: string
  words: Words
}

type Directive = (wall: Wall) => string | number
/** Width and filling of a number; a directive without them is a text. */
type Filled = readonly [read: Directive, width: number, fill: '0' | ' ']

const hour12 = ({ at }: Wall) => at.getUTCHours() % 12 || 12
const dayOfYear = ({ at }: Wall) => Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
const signed = (minutes: number, between: string) => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.floor(Math.abs(minutes) % 60)]
  return `${minutes < 0 ? '-' : '+'}${two(hours)}${between}${two(rest)}`
}
const two = (number: number) => String(number).padStart(2, '0')

/** The directives by the letter behind `%`. */
const DIRECTIVES: Readonly<Record<string, Directive | Filled>> = {
  Y: [({ at }) => at.getUTCFullYear(), 4, '0'],
  y: [({ at }) => at.getUTCFullYear() % 100, 2, '0'],
  m: [({ at }) => at.getUTCMonth() + 1, 2, '0'],
  B: ({ at, words }) => words.months[at.getUTCMonth()]!,
  b: ({ at, words }) => words.shortMonths[at.getUTCMonth()]!,
  d: [({ at }) => at.getUTCDate(), 2, '0'],
  e: [({ at }) => at.getUTCDate(), 2, ' '],
  j: [dayOfYear, 3, '0'],
  A: ({ at, words }) => words.weekdays[at.getUTCDay()]!,
  a: ({ at, words }) => words.shortWeekdays[at.getUTCDay()]!,
  u: ({ at }) => at.getUTCDay() || 7,
  w: ({ at }) => at.getUTCDay(),
  H: [({ at }) => at.getUTCHours(), 2, '0'],
  k: [({ at }) => at.getUTCHours(), 2, ' '],
  I: [hour12, 2, '0'],
  l: [hour12, 2, ' '],
  M: [({ at }) => at.getUTCMinutes(), 2, '0'],
  S: [({ at }) => at.getUTCSeconds(), 2, '0'],
  p: ({ at }) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: ({ at }) => (at.getUTCHours() < 12 ? 'am' : 'pm'),
  s: ({ at, offset }) => Math.floor(at.getTime() / 1000) - offset * 60,
  z: ({ offset }) => signed(offset, ''),
  Z: ({ zone }) => zone,
  '%': () => '%',
}

/** Directives that stand for others. */
const COMBINED: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  h: '%b',
}

export const DIRECTIVE_LETTERS: readonly string[] = [...Object.keys(DIRECTIVES), ...Object.keys(COMBINED)]

/** A format that was read: literal text and directives. */
export type DateFormat = readonly (string | Directive)[]

const PART = /%([-_0^]?)(.)/gsu

/** The format of a text; the directive that there is none of, when it has one, as `{ unknown }`. */
export function readFormat(format: string): DateFormat | { unknown: string } {
  const pieces: (string | Directive)[] = []
  let end = 0
  for (const { 0: whole, 1: flag = '', 2: letter = '', index } of format.matchAll(PART)) {
    const read = readDirective(letter, flag)
    if (read === undefined) return { unknown: whole }
    if (index > end) pieces.push(format.slice(end, index))
    pieces.push(...read)
    end = index + whole.length
  }
  if (format.lastIndexOf('%') >= end) return { unknown: '%' }
  if (end < format.length) pieces.push(format.slice(end))
  return pieces
}

function readDirective(letter: string, flag: string): DateFormat | undefined {
  if (flag === '' && Object.hasOwn(COMBINED, letter)) return readFormat(COMBINED[letter]!) as DateFormat
  return Object.hasOwn(DIRECTIVES, letter) ? [withFlag(DIRECTIVES[letter]!, flag)] : undefined
}

function withFlag(directive: Directive | Filled, flag: string): Directive {
  const [read, width, usual] = typeof directive === 'function' ? ([directive, 0, '0'] as const) : directive
  if (flag === '^') return (wall) => String(read(wall)).toUpperCase()
  if (flag === '-' || width === 0) return read
  const fill = flag === '_' ? ' ' : flag === '0' ? '0' : usual
  return (wall) => String(read(wall)).padStart(width, fill)
}

/** The largest number that counts seconds; a larger one counts milliseconds. It is in the year 5138, or in 1973. */
const MOST_SECONDS = 1e11
/** Characters of the longest text that is a date. */
const LONGEST = 40
const HAS_OFFSET = /:\d\d\S*?\s?(?:z|[+-]\d\d:?(?:\d\d)?)$/i
/** The instants that have years of four digits in UTC; many databases write the last one for “never”. */
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * A date as text. `value` is ISO 8601 or a number since 1970. A text without an offset is the wall time that is printed,
 * whatever the zone; undefined for what is no date.
 */
export function printDate(
  value: unknown,
  format: DateFormat,
  zone: string | null | undefined,
  language: string,
): string | undefined {
  const instant = instantOf(value)
  if (instant === undefined || !(instant >= FIRST && instant <= LAST)) return undefined
  const isFloating = typeof value === 'string' && !HAS_OFFSET.test(value) && !/^-?\d+$/.test(value)
  const known = zone != null && !isFloating && isZone(zone) ? zone : 'UTC'
  const ahead = known === 'UTC' ? 0 : zoneOffset(known, instant)
  const wall = {
    at: new Date(instant + ahead),
    offset: ahead / 60_000,
    zone: known,
    words: formatsOf(language).words(),
  }
  let text = ''
  for (const piece of format) text += typeof piece === 'string' ? piece : piece(wall)
  return text
}

function instantOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) > MOST_SECONDS ? value : value * 1000
  if (typeof value !== 'string' || value.length > LONGEST) return undefined
  if (/^-?\d+$/.test(value) && value.length > 8) return instantOf(Number(value))
  return readInstant(value, { hour24: true })
}
