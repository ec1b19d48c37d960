/** Times of records: ISO 8601 in, the offset form of the interface out. Pure. */

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?)?$/

/**
 * ISO 8601 -> ms; undefined for what is none. A time without an offset, and a date alone, are UTC. What is finer than a
 * millisecond is cut off. Years 0001 to 9999, which both databases hold.
 */
export function parseInstant(text: string): number | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const [offsetHours, offsetMinutes] = [Number(match[10] ?? 0), Number(match[11] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day)
  // A day that the month does not have moves into the next one.
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, ms)
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[9] === '-' ? -1 : 1)
  const instant = date.getTime() - offset
  return instant >= FIRST && instant <= LAST ? instant : undefined
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** `2026-11-21T09:30:00+0000`, with milliseconds where there are any. */
export function showInstant(ms: number): string {
  const text = new Date(ms).toISOString()
  return `${text.slice(0, ms % 1000 === 0 ? 19 : 23)}+0000`
}

/** The fixed form in which SQLite keeps times, so that their text has their order; PostgreSQL reads it too. */
export function sqlInstant(ms: number): string {
  return new Date(ms).toISOString()
}
