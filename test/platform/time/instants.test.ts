import { expect } from 'chai'
import { momentOf } from '../../../src/domain/crashes/report-parts.ts'
import { readFilter } from '../../../src/domain/segments/filter.ts'
import { parseInstant } from '../../../src/domain/tables/definition/instants.ts'
import { readInstant } from '../../../src/platform/time/instants.ts'

/** Readers of instants: links and in-app messages without rules of their own, the others with a few. */
const DOORS = {
  links: (text: string) => readInstant(text),
  tables: (text: string) => parseInstant(text),
  segments: (text: string) => {
    const { condition } = readFilter({ field: 'firstActive', op: 'since', value: text })
    return condition?.kind === 'time' && 'at' in condition.instant ? condition.instant.at : undefined
  },
  crashes: (text: string) => momentOf(text) ?? undefined,
}
type Door = keyof typeof DOORS
const ALL = Object.keys(DOORS) as Door[]
const without = (...doors: Door[]) => ALL.filter((door) => !doors.includes(door))

/** Texts that are read, as what, and by which door; every else refuses it. */
const READ: [text: string, instant: string, doors?: Door[]][] = [
  ['2026-12-31T23:59:59Z', '2026-12-31T23:59:59.000Z'],
  ['2026-12-31T23:59:59z', '2026-12-31T23:59:59.000Z'],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
  ['2026-12-31T23:59:59+00:00', '2026-12-31T23:59:59.000Z'],
  ['2026-12-31T23:59:59+0000', '2026-12-31T23:59:59.000Z'],
  ['2026-12-31T23:59:59+05:45', '2026-12-31T18:14:59.000Z'],
  ['2026-12-31T23:59:59-08', '2027-01-01T07:59:59.000Z'],
  ['2026-01-02T03:04:05+01:30', '2026-01-02T01:34:05.000Z'],
  ['2026-01-02T03:04:05-0130', '2026-01-02T04:34:05.000Z'],
  ['2026-01-02T03:04:05+14:00', '2026-01-01T13:04:05.000Z'],
  ['2026-01-02T03:04:05+23:59', '2026-01-01T03:05:05.000Z', without('links')],
  ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
  ['2026-03-01T09:30+01:00', '2026-03-01T08:30:00.000Z'],
  ['2026-01-02 03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05 +0100', '2026-01-02T02:04:05.000Z', without('tables')],
  ['2026-12-31T23:59', '2026-12-31T23:59:00.000Z', without('segments')],
  ['2026-12-31T23:59:59', '2026-12-31T23:59:59.000Z', without('segments')],
  ['2026-12-31 23:59:59', '2026-12-31T23:59:59.000Z', without('segments')],
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['2026-12-31T23:59:59.5Z', '2026-12-31T23:59:59.500Z'],
  ['2026-12-31T23:59:59,5Z', '2026-12-31T23:59:59.500Z'],
  ['2026-12-31T23:59:59.123456Z', '2026-12-31T23:59:59.123Z'],
  ['2026-12-31T23:59:59,123456789Z', '2026-12-31T23:59:59.123Z'],
  ['2026-03-01T09:30:05.123+0200', '2026-03-01T07:30:05.123Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z', without('tables')],
  ['9999-12-31T23:59:59-08:00', '+010000-01-01T07:59:59.000Z', without('tables')],
  ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z', ['segments', 'crashes']],
]

/** Texts that none of them reads. Crash reports come in other forms too, so theirs are left out. */
const REFUSED = [
  '',
  'now',
  'tomorrow',
  '2026',
  '2026-01',
  '2026-13-01',
  '2026-00-01',
  '2026-01-00',
  '2026-02-30',
  '2027-02-29T00:00:00Z',
  '2026-12-31T24:01:00Z',
  '2026-12-31T23:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-12-31T23:59:59+24:00',
  '2026-12-31T23:59:59+02:60',
  '2026-12-31T23:59:59 Europe/Berlin',
  '12/31/2026',
  '1798761599',
  '+012026-01-02',
  '2026-12-31T23',
  '2026-01-02T03Z',
  ' 2026-01-02',
]

describe('an instant', () => {
  for (const [text, instant, doors = ALL] of READ) {
    it(`${text} is ${instant} for ${doors.join(', ')}`, () => {
      const wanted = Object.fromEntries(
        ALL.map((door) => [door, doors.includes(door) ? Date.parse(instant) : undefined]),
      )
      expect(Object.fromEntries(ALL.map((door) => [door, DOORS[door](text)]))).to.deep.equal(wanted)
    })
  }

  for (const text of REFUSED) {
    it(`${JSON.stringify(text)} is none`, () => {
      for (const door of without('crashes')) expect(DOORS[door](text), door).to.equal(undefined)
    })
  }

  it('of a link has an offset that some place on earth has', () => {
    expect(DOORS.links('2026-12-31T23:59:59+15:00')).to.equal(undefined)
  })

  it('of a crash report may have the form of another library', () => {
    expect(DOORS.crashes('Sun Mar 01 07:30:05 UTC 2026')).to.equal(Date.parse('2026-03-01T07:30:05Z'))
    expect(DOORS.crashes('2026-03-01T07:30:05'), 'whatever the zone of this machine').to.equal(
      Date.parse('2026-03-01T07:30:05Z'),
    )
  })
})
