import { readInstant } from '../../../platform/time/instants.ts'

/** Times of records: read as ISO 8601, written with an offset as the interface requires. Pure. */

const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** ISO 8601 -> milliseconds, in the years 0001 to 9999, which both databases hold; undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const instant = readInstant(text, { noBlank: true, largestOffset: 23 })
  return instant !== undefined && instant >= FIRST && instant <= LAST ? instant : undefined
}

/** `2026-11-21T09:30:00+0000`, with milliseconds where there are any. */
export function showInstant(ms: number): string {
  const text = new Date(ms).toISOString()
  return `${text.slice(0, ms % 1000 === 0 ? 19 : 23)}+0000`
}

/** The fixed form in which SQLite stores times, so that their text sorts in time order; PostgreSQL reads it too. */
export function sqlInstant(ms: number): string {
  return new Date(ms).toISOString()
}
