const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Parses an ISO 8601 time to milliseconds; undefined when it is invalid. Without an offset it is UTC, whatever the time zone of this
 * machine. A date alone means 00:00 UTC.
 */
export function readInstant(text: string): number | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => (part ? Number(part) : 0))
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second, millisecond)
  // Date would turn the 30th of February into a day in March.
  if (new Date(local).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined
  const offset = readOffset(match[8] ?? 'Z')
  return offset === undefined ? undefined : local - offset
}

/** `+02:00`, `+0200`, `+02` or `Z` in milliseconds; undefined beyond any real offset. */
function readOffset(text: string): number | undefined {
  if (/z/i.test(text)) return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(3).replace(':', ''))
  if (hours > 14 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
