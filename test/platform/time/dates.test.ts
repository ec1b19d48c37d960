import { expect } from 'chai'
import { dateProblem, type NumberUnit, readDate } from '../../../src/platform/time/dates.ts'

const NOV = '2026-11-28T15:30:57.000Z'
const MIDNIGHT = '2025-01-01T00:00:00.000Z'

describe('a date of another program', () => {
  const read: [what: string, value: unknown, iso: string, unit?: NumberUnit][] = [
    ['ISO 8601', '2026-11-28T15:30:57Z', NOV],
    ['ISO 8601 with an offset', '2026-11-28T16:30:57+01:00', NOV],
    ['ISO 8601 without a zone, which is UTC', '2026-11-28T15:30:57', NOV],
    ['milliseconds, and what is finer is cut off', '2026-11-28T15:30:57.123456Z', '2026-11-28T15:30:57.123Z'],
    ['a comma before the fraction', '2026-11-28T15:30:57,5Z', '2026-11-28T15:30:57.500Z'],
    ['the end of a day', '2024-12-31T24:00:00Z', MIDNIGHT],
    ['blanks around', '  2026-11-28T15:30:57Z ', NOV],
    ['the basic form of a day', '20250101', MIDNIGHT],
    ['the basic form of a time', '20261128T153057Z', NOV],
    ['the basic form of a time with an offset', '20261128T163057+0100', NOV],
    ['a day', '2025-01-01', MIDNIGHT],
    ['a leap day', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['SQL', '2026-11-28 15:30:57', NOV],
    ['PostgreSQL', '2026-11-28 16:30:57.000001+01', NOV],
    ['MySQL with microseconds', '2026-11-28 15:30:57.250000', '2026-11-28T15:30:57.250Z'],
    ['OneSignal and BigQuery', '2026-11-28 15:30:57 UTC', NOV],
    ['Ruby', '2026-11-28 16:30:57 +0100', NOV],
    ['Go', '2026-11-28 16:30:57 +0100 CET', NOV],
    ['JavaScript', 'Sat Nov 28 2026 15:30:57 GMT+0000 (Coordinated Universal Time)', NOV],
    ['JavaScript elsewhere', 'Sat Nov 28 2026 16:30:57 GMT+0100 (Mitteleuropäische Normalzeit)', NOV],
    ['the day of JavaScript', 'Wed Jan 01 2025', MIDNIGHT],
    ['HTTP', 'Sat, 28 Nov 2026 15:30:57 GMT', NOV],
    ['RFC 2822', 'Sat, 28 Nov 2026 10:30:57 -0500', NOV],
    ['RFC 2822 with a comment', 'Sat, 28 Nov 2026 15:30:57 +0000 (UTC)', NOV],
    ['RFC 2822 with a named zone', '28 Nov 2026 10:30:57 EST', NOV],
    ['RFC 2822 without seconds', '1 Jan 2025 00:00 +0000', MIDNIGHT],
    ['asctime', 'Sat Nov 28 15:30:57 2026', NOV],
    ['asctime with a day of one digit', 'Wed Jan  1 00:00:00 2025', MIDNIGHT],
    ['Java', 'Sat Nov 28 15:30:57 UTC 2026', NOV],
    ['the console of Firestore', 'November 28, 2026 at 4:30:57\u202fPM UTC+1', NOV],
    ['midnight in twelve hours', 'January 1, 2025 at 12:00:00 AM UTC', MIDNIGHT],
    ['.NET', '/Date(1795879857000)/', NOV],
    ['seconds that are declared', 1_795_879_857, NOV, 'seconds'],
    ['seconds as text', '1795879857', NOV, 'seconds'],
    ['seconds with a fraction', '1795879857.123', '2026-11-28T15:30:57.123Z', 'seconds'],
    ['a fraction that binary numbers do not hold', 1700000000.123, '2023-11-14T22:13:20.123Z', 'seconds'],
    ['milliseconds that are declared', 1_795_879_857_000, NOV, 'milliseconds'],
    ['milliseconds of the year 1970', 86_400_000, '1970-01-02T00:00:00.000Z', 'milliseconds'],
    ['microseconds that are declared', '1795879857000000', NOV, 'microseconds'],
    ['zero', 0, '1970-01-01T00:00:00.000Z', 'seconds'],
    ['before 1970', -86_400, '1969-12-31T00:00:00.000Z', 'seconds'],
    ['eight digits that are declared as seconds', '20250101', '1970-08-23T09:01:41.000Z', 'seconds'],
    ['MongoDB, relaxed', { $date: '2026-11-28T15:30:57Z' }, NOV],
    ['MongoDB, canonical', { $date: { $numberLong: '1795879857000' } }, NOV],
    ['MongoDB before 1970, canonical', { $date: { $numberLong: '-2208988800000' } }, '1900-01-01T00:00:00.000Z'],
    ['MongoDB before 1970, a number', { $date: -2_208_988_800_000 }, '1900-01-01T00:00:00.000Z'],
    ['MongoDB soon after 1970', { $date: 1000 }, '1970-01-01T00:00:01.000Z'],
    ['a timestamp of MongoDB', { $timestamp: { t: 1_795_879_857, i: 1 } }, NOV],
    ['a long of MongoDB in a declared column', { $numberLong: '1795879857' }, NOV, 'seconds'],
    ['Parse', { __type: 'Date', iso: '2026-11-28T15:30:57.000Z' }, NOV],
    ['Firestore', { seconds: 1_795_879_857, nanoseconds: 999_999_999 }, '2026-11-28T15:30:57.999Z'],
    ['the admin SDK of Firestore', { _seconds: 1_795_879_857, _nanoseconds: 0 }, NOV],
    ['protocol buffers as JSON', { seconds: '1795879857', nanos: 0 }, NOV],
    ['Firestore before 1970', { _seconds: -86_400, _nanoseconds: 500_000_000 }, '1969-12-31T00:00:00.500Z'],
  ]
  for (const [what, value, iso, unit] of read) {
    it(`is read: ${what} (${JSON.stringify(value)})`, () => {
      const ms = readDate(value, unit)
      expect(ms === undefined ? undefined : new Date(ms).toISOString()).to.equal(iso)
    })
  }

  const refused: [what: string, value: unknown, unit?: NumberUnit][] = [
    ['the 30th of February', '2025-02-30'],
    ['the 29th of February of other years', '2023-02-29T00:00:00Z'],
    ['the 30th of February in words', 'Sun, 30 Feb 2025 00:00:00 GMT'],
    ['the 31st of April in the basic form', '20250431'],
    ['a 13th month', '2025-13-01'],
    ['the zero date of MySQL', '0000-00-00 00:00:00'],
    ['an hour too many', '2025-01-01T25:00:00Z'],
    ['an offset of no place', '2025-01-01T10:00:00+99:00'],
    ['two digits of a year', 'Saturday, 28-Nov-26 15:30:57 GMT'],
    ['two digits of a year in RFC 2822', '28 Nov 26 15:30:57 GMT'],
    ['day and month that could be swapped', '01/02/2025'],
    ['day and month that could be swapped, with dots', '01.02.2025'],
    ['a weekday that does not fit', 'Mon, 28 Nov 2026 15:30:57 GMT'],
    ['a zone that means several', '28 Nov 2026 15:30:57 IST'],
    ['half of a time', '2025-01-01T10'],
    ['13 in twelve hours', 'January 1, 2025 at 13:00:00 PM UTC'],
    ['words', 'yesterday'],
    ['null in words', 'NULL'],
    ['a number without a unit', 1_795_879_857],
    ['digits without a unit', '1795879857000'],
    ['fourteen digits', '20250101101112'],
    ['a number beyond the year 9999', 1_795_879_857_000, 'seconds'],
    ['not a number', Number.NaN, 'seconds'],
    ['an endless number', Number.POSITIVE_INFINITY, 'seconds'],
    ['true', true],
    ['null', null],
    ['a list', ['2025-01-01']],
    ['an empty object', {}],
    ['another object', { at: '2025-01-01' }],
    ['a date of MongoDB that is none', { $date: 'soon' }],
    ['a date of MongoDB with a 32-bit number', { $date: { $numberInt: '5' } }],
    ['a date of MongoDB beyond all years', { $date: { $numberLong: '9223372036854775807' } }],
    ['a date of Parse that is none', { __type: 'Date', iso: null }],
    ['a pointer of Parse', { __type: 'Pointer', objectId: 'x' }],
    ['Firestore with too many nanoseconds', { seconds: 1, nanoseconds: 1e9 }],
    ['Firestore without seconds', { nanoseconds: 5 }],
    ['Firestore with words', { seconds: 'soon' }],
  ]
  for (const [what, value, unit] of refused) {
    it(`is refused: ${what} (${JSON.stringify(value)})`, () => {
      expect(readDate(value, unit)).to.equal(undefined)
      expect(dateProblem(value, unit)).to.match(/^is /)
    })
  }
})
