import { isPlainObject } from '../json/json.ts'
import { readInstant } from './instants.ts'

/**
 * Reads dates as other programs write them into their exports: ISO 8601 and SQL, RFC 2822 and HTTP, JavaScript's own
 * text, the objects of MongoDB, Parse and Firestore. Nothing is guessed: what could mean two instants is not a date.
 * Pure.
 */

/** What a bare number counts since 1970. */
export const NUMBER_UNITS = ['seconds', 'milliseconds', 'microseconds'] as const
export type NumberUnit = (typeof NUMBER_UNITS)[number]

/** The years 0001 to 9999, which both databases and ISO 8601 hold. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * A date in milliseconds since 1970; undefined when it cannot be read. A time without an offset is in UTC. `unit` is
 * what a number counts; without it a number is not a date, because its size does not tell.
 */
export function readDate(value: unknown, unit?: NumberUnit): number | undefined {
  const ms = isPlainObject(value) ? fromObject(value, unit) : fromPlain(value, unit)
  return ms !== undefined && ms >= FIRST && ms <= LAST ? ms : undefined
}

/** Why `readDate` does not read a value; the end of a sentence that begins with the name of the field. */
export function dateProblem(value: unknown, unit?: NumberUnit): string {
  const shown = shownValue(value)
  const isNumber = typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value.trim()))
  if (isNumber && unit === undefined) {
    return `is the number ${shown}, and nothing says whether it counts seconds or milliseconds`
  }
  return isNumber
    ? `is not a date: ${shown} ${unit} since 1970 are outside of the years 0001 to 9999`
    : `is not a date that can be read: ${shown} (2026-03-01T08:00:00Z can)`
}

function shownValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length <= 60 ? text : `${text.slice(0, 57).toWellFormed()}…`
}

function fromPlain(value: unknown, unit: NumberUnit | undefined): number | undefined {
  if (typeof value === 'number') return unit && fromNumber(String(value), unit)
  if (typeof value !== 'string') return undefined
  const text = value.trim().replaceAll(/[\u00a0\u202f]/g, ' ')
  if (unit && NUMBER.test(text)) return fromNumber(text, unit)
  return fromIso(text) ?? fromWords(text) ?? fromMicrosoft(text)
}

const NUMBER = /^(-?)(\d{1,18})(?:\.(\d+))?$/

/** Not by multiplication: 1700000000.123 times 1000 is not a whole number. */
function fromNumber(text: string, unit: NumberUnit): number | undefined {
  const match = NUMBER.exec(text)
  if (!match) return undefined
  const whole = Number(match[2])
  const thousandths = Number((match[3] ?? '').slice(0, 3).padEnd(3, '0'))
  const ms =
    unit === 'seconds' ? whole * 1000 + thousandths : unit === 'milliseconds' ? whole : Math.trunc(whole / 1000)
  return match[1] === '-' ? -ms : ms
}

const BASIC = /^(\d{4})(\d\d)(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)([.,]\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Extended and basic form, and what databases and languages add: ` UTC`, or the name of the zone behind its offset. */
function fromIso(text: string): number | undefined {
  const plain = text.replace(/([+-]\d\d:?\d\d) [A-Z]{1,5}$/, '$1').replace(/ ?(UTC|GMT)$/i, 'Z')
  const basic = BASIC.exec(plain)
  if (!basic) return readInstant(plain, { hour24: true })
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset = ''] = basic
  const time = hour === undefined ? '' : `T${hour}:${minute}:${second}${fraction}${offset}`
  return readInstant(`${year}-${month}-${day}${time}`, { hour24: true })
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const LONG_MONTHS = 'january february march april may june july august september october november december'.split(' ')
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

const WEEKDAY = String.raw`(?<weekday>[A-Za-z]{3,9})`
const DAY = String.raw`(?<day>\d{1,2})`
const MONTH = String.raw`(?<month>[A-Za-z]{3,9})`
const YEAR = String.raw`(?<year>\d{4})`
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?(?: ?(?<half>[AP]M))?`
const ZONE = String.raw`(?<zone>[A-Z]{1,3}|(?:GMT|UTC)?[+-]\d\d?(?::?\d\d)?)`

/** Dates with the name of the month, so that day and month cannot be taken for each other. */
const FORMS = [
  // JavaScript: Sat Nov 28 2026 15:30:57 GMT+0000 (Coordinated Universal Time). Firestore: November 28, 2026 at 3:30:57 PM UTC+1
  new RegExp(
    String.raw`^(?:${WEEKDAY},? )?${MONTH} +${DAY},? ${YEAR}(?:(?:,| at)? ${TIME}(?: ${ZONE})?)?(?: \(.*\))?$`,
  ),
  // RFC 2822 and HTTP: Sat, 28 Nov 2026 15:30:57 +0000
  new RegExp(String.raw`^(?:${WEEKDAY},? ?)?${DAY}[ -]${MONTH}[ -]${YEAR}(?: ${TIME}(?: ?${ZONE})?)?(?: \(.*\))?$`),
  // C, Java and `date`: Sat Nov 28 15:30:57 UTC 2026
  new RegExp(String.raw`^${WEEKDAY} ${MONTH} +${DAY} ${TIME}(?: ${ZONE})? ${YEAR}$`),
]

/** Zones of RFC 2822, section 4.3. Other letters mean a different zone on each continent. */
const ZONES: Readonly<Record<string, string>> = {
  UT: 'Z',
  UTC: 'Z',
  GMT: 'Z',
  Z: 'Z',
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
}

function fromWords(text: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups
    if (groups) return fromParts(groups)
  }
  return undefined
}

function fromParts(parts: Record<string, string | undefined>): number | undefined {
  const { year, day, minute, second = '00' } = parts
  const name = parts.month!.toLowerCase()
  const month = Math.max(MONTHS.indexOf(name), LONG_MONTHS.indexOf(name)) + 1
  const zone = parts.zone === undefined ? 'Z' : (ZONES[parts.zone] ?? offsetOf(parts.zone))
  if (month === 0 || zone === undefined) return undefined
  const date = `${year}-${two(month)}-${day!.padStart(2, '0')}`
  // A weekday that does not fit means that the date is not what it seems.
  const at = readInstant(date)
  const weekday = parts.weekday?.toLowerCase()
  if (at === undefined) return undefined
  const real = WEEKDAYS[new Date(at).getUTCDay()]!
  if (weekday !== undefined && weekday !== real && weekday !== real.slice(0, 3)) return undefined
  if (parts.hour === undefined) return at
  const hour = hourOf(parts.hour, parts.half)
  return hour === undefined ? undefined : readInstant(`${date}T${two(hour)}:${minute}:${second}${zone}`)
}

function offsetOf(zone: string): string | undefined {
  const match = /^(?:GMT|UTC)?([+-])(\d\d?)(?::?(\d\d))?$/.exec(zone)
  return match ? `${match[1]}${match[2]!.padStart(2, '0')}:${match[3] ?? '00'}` : undefined
}

function hourOf(text: string, half: string | undefined): number | undefined {
  const hour = Number(text)
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'PM' ? 12 : 0)
}

const two = (number: number) => String(number).padStart(2, '0')

/** `/Date(1700000000000+0100)/`; the offset says only where it was written. */
function fromMicrosoft(text: string): number | undefined {
  const match = /^\/Date\((-?\d{1,18})(?:[+-]\d{4})?\)\/$/.exec(text)
  return match ? fromNumber(match[1]!, 'milliseconds') : undefined
}

/** MongoDB (`$date`, `$timestamp`, numbers are milliseconds), Parse (`iso`), and Firestore (`seconds`). */
function fromObject(value: Record<string, unknown>, unit: NumberUnit | undefined): number | undefined {
  const names = Object.keys(value)
  const only = names.length === 1 ? names[0]! : undefined
  if (only !== undefined && NUMBERS.has(only)) return fromPlain(value[only], unit)
  if (only === '$date') {
    const { $date: given } = value
    if (!isPlainObject(given)) return fromPlain(given, 'milliseconds')
    return Object.keys(given).join() === '$numberLong' ? fromPlain(given.$numberLong, 'milliseconds') : undefined
  }
  if (only === '$timestamp') return isPlainObject(value.$timestamp) ? secondsOf(value.$timestamp.t, 0) : undefined
  if (only === 'timestampValue') return fromPlain(value.timestampValue, undefined)
  if (value.__type === 'Date') return fromPlain(value.iso, undefined)
  if (only === 'iso') return fromPlain(value.iso, undefined)
  const [seconds, nanoseconds] = FIRESTORE.find((pair) => names.every((name) => pair.includes(name))) ?? []
  return seconds === undefined ? undefined : secondsOf(value[seconds], value[nanoseconds!] ?? 0)
}

/** Numbers of MongoDB, which are bare numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['$numberInt', '$numberLong', '$numberDouble', '$numberDecimal'])

/** The names that a timestamp of Firestore has in its libraries, in admin SDKs, and in protocol buffers as JSON. */
const FIRESTORE: readonly (readonly [string, string])[] = [
  ['seconds', 'nanoseconds'],
  ['_seconds', '_nanoseconds'],
  ['seconds', 'nanos'],
]

function secondsOf(seconds: unknown, nanoseconds: unknown): number | undefined {
  const whole = typeof seconds === 'string' || typeof seconds === 'number' ? String(seconds) : ''
  if (!/^-?\d{1,15}$/.test(whole)) return undefined
  const isFraction =
    Number.isInteger(nanoseconds) && (nanoseconds as number) >= 0 && (nanoseconds as number) < 1_000_000_000
  return isFraction ? Number(whole) * 1000 + Math.trunc((nanoseconds as number) / 1_000_000) : undefined
}
