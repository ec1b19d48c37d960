import { expect } from 'chai'
import { isSkipped, timetableOf, type When } from '../../../../src/domain/in-app/fan-out/timetable.ts'
import type { Schedule } from '../../../../src/domain/schedules/schedule.ts'

/** A Sunday. */
const ACCEPTED = Date.parse('2026-03-01T12:00:00Z')
const HOUR_MS = 3_600_000
const at = (text: string) => Date.parse(text)
const place = (zone: string | null, hour = -1) => ({ zone, hour })

const local = (sendAt: string, pastTimes: 'ignore' | 'nextDay' = 'ignore'): Schedule => ({
  strategy: 'local',
  sendAt,
  pastTimes,
})
const intelligent: Schedule = { strategy: 'intelligent', sendAt: '2026-03-01', pastTimes: 'ignore', usualHour: 20 }

describe('the timetable of an in-app message', () => {
  const rows: [string, Schedule, ReturnType<typeof place>, When][] = [
    [
      'one instant for all in UTC',
      { strategy: 'utc', sendAt: '2026-03-01 15:00', pastTimes: 'ignore' },
      place('Asia/Tokyo'),
      at('2026-03-01T15:00:00Z'),
    ],
    ['over in UTC', { strategy: 'utc', sendAt: '2026-03-01 11:00', pastTimes: 'ignore' }, place(null), 'passed'],
    ['local in the east', local('2026-03-02 09:00'), place('Asia/Tokyo'), at('2026-03-02T00:00:00Z')],
    ['local without a zone', local('2026-03-02 09:00'), place(null), at('2026-03-02T09:00:00Z')],
    ['local in a zone that is none', local('2026-03-02 09:00'), place('Nowhere/Land'), at('2026-03-02T09:00:00Z')],
    ['over where it is later', local('2026-03-01 15:00'), place('Asia/Tokyo'), 'passed'],
    [
      'a day later where it is over',
      local('2026-03-01 15:00', 'nextDay'),
      place('Asia/Tokyo'),
      at('2026-03-02T06:00:00Z'),
    ],
    ['the preferred hour', intelligent, place('Europe/Berlin', 21), at('2026-03-01T20:00:00Z')],
    ['a preferred hour that is over', intelligent, place('Europe/Berlin', 7), 'passed'],
    ['the usual hour of who has none', intelligent, place('Europe/Berlin'), at('2026-03-01T19:00:00Z')],
  ]
  for (const [what, schedule, where, expected] of rows) {
    it(`knows ${what}`, () => expect(timetableOf(schedule, ACCEPTED, 'UTC').when(where)).to.equal(expected))
  }

  it('begins at the first due time on Earth, or at once where the time may have passed', () => {
    const first = (schedule: Schedule) => timetableOf(schedule, ACCEPTED, 'UTC').first()
    expect(first(local('2026-03-03 09:00'))).to.equal(at('2026-03-02T19:00:00Z'))
    expect(first(local('2026-03-01 15:00'))).to.equal(ACCEPTED)
    expect(first(intelligent)).to.equal(ACCEPTED)
    expect(first({ strategy: 'utc', sendAt: '2026-03-01 15:00', pastTimes: 'ignore' })).to.equal(
      at('2026-03-01T15:00:00Z'),
    )
    expect(first({ strategy: 'utc', sendAt: '2026-03-01 11:00', pastTimes: 'ignore' })).to.equal(ACCEPTED)
    expect(first({ strategy: 'preferredHour' })).to.equal(ACCEPTED)
  })

  it('continues at every due time that a user may move to, until all zones in use have been due', () => {
    const table = timetableOf(local('2026-03-02 09:00'), ACCEPTED, 'UTC')
    const places = [place('Asia/Tokyo'), place('Europe/Berlin')]
    const tokyo = at('2026-03-02T00:00:00Z')
    expect(table.next(places, tokyo - 1)).to.equal(tokyo)
    // Where nobody is now.
    expect(table.next(places, tokyo)).to.equal(tokyo + HOUR_MS / 4)
    expect(table.next(places, at('2026-03-02T08:00:00Z') - 1)).to.equal(at('2026-03-02T08:00:00Z'))
    expect(table.next(places, at('2026-03-02T08:00:00Z'))).to.equal(null)
    expect(table.next([], ACCEPTED)).to.equal(null)
  })

  it('gives the zones and hours that are due between two times', () => {
    const zones = ['Europe/Berlin', null, 'Asia/Tokyo', 'America/New_York', null]
    const between = (schedule: Schedule, after: string, by: string) =>
      timetableOf(schedule, ACCEPTED, 'UTC').dueIn(zones, at(after), at(by))
    const all = { from: -1, to: 23 }
    // Behind Tokyo's instant, and at that of who said no zone.
    expect(between(local('2026-03-02 09:00'), '2026-03-02T00:00:00Z', '2026-03-02T09:00:00Z')).to.deep.equal([
      { zone: null, ...all },
      { zone: 'Europe/Berlin', ...all },
    ])
    expect(between(local('2026-03-01 15:00'), '2026-03-01T00:00:00Z', '2026-03-01T14:00:00Z')).to.deep.equal([
      { zone: 'Europe/Berlin', ...all },
    ])
    expect(between(intelligent, '2026-03-01T18:00:00Z', '2026-03-01T19:00:00Z')).to.deep.equal([
      { zone: null, from: 19, to: 19 },
      { zone: 'America/New_York', from: 14, to: 14 },
      { zone: 'Europe/Berlin', from: -1, to: -1 },
      { zone: 'Europe/Berlin', from: 20, to: 20 },
    ])
  })

  it('skips users in zones whose time has passed, but not users who moved there since', () => {
    const settled = { ...place('Asia/Tokyo'), changedAt: ACCEPTED - 1, createdAt: 0 }
    expect(isSkipped('passed', settled, ACCEPTED)).to.equal(true)
    expect(isSkipped(ACCEPTED, settled, ACCEPTED)).to.equal(false)
    expect(isSkipped('passed', { ...settled, changedAt: ACCEPTED + 1 }, ACCEPTED)).to.equal(false)
    // A new install that tells its zone for the first time did not move.
    const fresh = { ...settled, createdAt: ACCEPTED + 1000, changedAt: ACCEPTED + 2000 }
    expect(isSkipped('passed', fresh, ACCEPTED)).to.equal(true)
  })
})
