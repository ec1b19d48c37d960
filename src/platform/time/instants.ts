/** Reads instants in ISO 8601, with the same grammar for all callers. Pure. */

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(\s?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Rules in which kinds of callers differ. */
export interface InstantRules {
  /** Refuses a time without an offset, which is UTC otherwise. A date alone is midnight in UTC for everyone. */
  needsOffset?: boolean
  /** Refuses a blank before the offset (`2026-03-01 08:00:00 +0100`). */
  noBlank?: boolean
  /** Largest offset in hours; 14 unless given, because no place on earth has more. */
  largestOffset?: number
  /** Accepts 24:00, the midnight at the end of a day. */
  hour24?: boolean
}

/** What servers ask for: a time must have an offset, without which it is unclear whose time zone is meant. */
export const WITH_OFFSET: InstantRules = { needsOffset: true, largestOffset: 23, hour24: true }

const HOUR_MS = 3_600_000

/**
 * ISO 8601 -> milliseconds since the epoch; undefined for any other text. Digits beyond the millisecond are cut off.
 */
export function readInstant(text: string, rules: InstantRules = {}): number | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const ms = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const [, , , , hasTime, , , , blank, offset] = match
  if ((rules.needsOffset && hasTime && !offset) || (rules.noBlank && blank)) return undefined
  const date = new Date(0)
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year!, month! - 1, day)
  // If the month does not have this day, the date has moved into the next month.
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined
  const isMidnightAtEnd = rules.hour24 && hour === 24 && minute + second + ms === 0
  if ((hour > 23 && !isMidnightAtEnd) || minute > 59 || second > 59) return undefined
  date.setUTCHours(hour, minute, second, ms)
  const ahead = readOffset(offset ?? 'Z', rules.largestOffset ?? 14)
  return ahead === undefined ? undefined : date.getTime() - ahead
}

/** `+02:00`, `+0200`, `+02` or `Z` in milliseconds. */
function readOffset(text: string, largest: number): number | undefined {
  if (/z/i.test(text)) return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(3).replace(':', ''))
  if (hours > largest || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * 60_000)
}
