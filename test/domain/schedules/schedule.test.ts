import { expect } from 'chai'
import { dueTimes, EARTH_OFFSETS, type Schedule, wallTimeOf } from '../../../src/domain/schedules/schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const utc = (text: string) => Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? ':00' : ''}Z`)

/** A second reckoning, on Intl alone: what a zone's wall clock shows at an instant, as if it were UTC. */
const clocks = new Map<string, Intl.DateTimeFormat>()
function shows(zone: string, at: number): number {
  const options = { timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' } as const
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      ...options,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  clocks.set(zone, clock)
  const part = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute)
}

/** Zone and wall time -> `findByTrying`: the cases ask for the same ones again and again. */
const found = new Map<string, number>()
function tryOut(zone: string, wall: number): number {
  const key = `${zone} ${wall}`
  const at = found.get(key) ?? findByTrying(zone, wall)
  found.set(key, at)
  return at
}

/**
 * By trying: the first minute that shows the wall time; when none does, the first one behind the gap shows a later time, and
 * the wall time is that much further on.
 */
function findByTrying(zone: string, wall: number): number {
  let behind: number | undefined
  for (let at = wall - 27 * HOUR; at <= wall + 27 * HOUR; at += 5 * MINUTE) {
    const shown = shows(zone, at)
    if (shown === wall) return at - 4 * MINUTE + refine(zone, wall, at - 4 * MINUTE) * MINUTE
    if (shown > wall && behind === undefined) behind = at
  }
  let first = behind!
  while (shows(zone, first - MINUTE) > wall) first -= MINUTE
  // Wall times are counted on from where the clock stood before the gap.
  const lastShown = shows(zone, first - MINUTE)
  return first - MINUTE + (wall - lastShown)
}

/** Counts the minutes after `from` until the wall time shows first. */
function refine(zone: string, wall: number, from: number): number {
  for (let i = 0; ; i++) if (shows(zone, from + i * MINUTE) === wall) return i
}

/** Applies the contract's rules to one zone by trying; undefined = left out. */
function expected(zone: string, wall: number, pastTimes: 'ignore' | 'nextDay', now: number): number | undefined {
  const first = tryOut(zone, wall)
  if (first >= now) return first
  if (pastTimes === 'ignore') return undefined
  for (let day = wall + DAY; ; day += DAY) {
    const at = tryOut(zone, day)
    if (at >= now) return at
  }
}

/** [zone, wall times around something that is not plain] */
const SPECIAL: [string, string[]][] = [
  [
    'Europe/Berlin',
    ['2026-03-29 01:59', '2026-03-29 02:00', '2026-03-29 02:30', '2026-03-29 03:00', '2026-10-25 02:30'],
  ],
  ['America/New_York', ['2026-03-08 02:30', '2026-11-01 01:30', '2026-11-01 00:59', '2026-11-01 02:00']],
  ['Australia/Lord_Howe', ['2026-10-04 02:15', '2026-04-05 01:45', '2026-04-05 01:15']],
  ['Pacific/Chatham', ['2026-09-27 02:50', '2026-04-05 03:00', '2026-04-05 02:45']],
  ['Asia/Kathmandu', ['2026-05-05 00:05', '1985-12-31 23:59', '1986-01-01 00:05']],
  ['Asia/Kolkata', ['2026-05-05 05:30']],
  ['Australia/Eucla', ['2026-05-05 08:45']],
  [
    'Pacific/Apia',
    ['2011-12-29 10:00', '2011-12-30 00:00', '2011-12-30 10:00', '2011-12-30 23:59', '2011-12-31 00:00'],
  ],
  ['Pacific/Fakaofo', ['2011-12-30 12:00', '2011-12-31 12:00']],
  ['Pacific/Kwajalein', ['1993-08-20 12:00', '1993-08-21 12:00', '1993-08-22 12:00', '1993-08-21 00:00']],
  ['Asia/Pyongyang', ['2015-08-15 00:15', '2018-05-04 23:45', '2018-05-05 00:15']],
  ['America/Caracas', ['2007-12-09 02:45', '2016-05-01 02:45']],
  ['Europe/Istanbul', ['2016-03-27 03:30', '2016-10-30 03:30']],
  ['Europe/Moscow', ['2011-03-27 02:30', '2014-10-26 01:30']],
  ['Africa/Casablanca', ['2026-02-15 02:30', '2026-03-22 02:30']],
  ['America/Sao_Paulo', ['2018-11-04 00:30', '2018-02-17 23:30']],
  ['Asia/Tehran', ['2022-03-22 00:30', '2022-09-21 23:30', '2026-03-22 00:30']],
  ['America/St_Johns', ['2006-04-02 00:30', '2026-03-08 02:10']],
  ['Antarctica/Troll', ['2026-03-29 02:30', '2026-10-25 01:30']],
  ['Africa/Cairo', ['2026-04-24 00:30', '2026-10-29 23:30']],
  ['America/Havana', ['2026-03-08 00:30', '2026-11-01 00:30']],
  ['Asia/Amman', ['2022-10-28 00:30']],
  ['America/Godthab', ['2023-03-25 22:30', '2024-03-30 23:30']],
  ['Africa/Juba', ['2021-01-31 23:30']],
  ['Africa/Khartoum', ['2000-01-15 12:30', '2017-10-31 23:30']],
  ['Pacific/Norfolk', ['2015-10-04 01:40']],
  ['UTC', ['2026-06-30 23:59']],
]

const PLAIN_ZONES = ['Asia/Tokyo', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Los_Angeles', 'Asia/Yangon']

interface Case {
  zone: string
  sendAt: string
  strategy: 'local' | 'timezone'
  pastTimes: 'ignore' | 'nextDay'
  now: number
}

function cases(): Case[] {
  const wallTimes = SPECIAL.flatMap(([zone, times]) => times.map((sendAt) => ({ zone, sendAt })))
  for (const zone of PLAIN_ZONES)
    wallTimes.push({ zone, sendAt: '2026-07-01 09:00' }, { zone, sendAt: '2026-12-31 23:59' })
  return wallTimes.flatMap(({ zone, sendAt }, i) => {
    // Long before, an hour to both sides, and days after.
    const nows = [-40 * DAY, -HOUR, HOUR, 3 * DAY + 5 * HOUR].map((away) => tryOut(zone, utc(sendAt)) + away)
    return nows.flatMap((now) =>
      (['ignore', 'nextDay'] as const).map((pastTimes): Case => {
        return { zone, sendAt, strategy: i % 2 === 0 ? 'local' : 'timezone', pastTimes, now }
      }),
    )
  })
}

describe('when a schedule is due', () => {
  it('agrees with a second implementation for every zone, wall-clock time, strategy and now of a table', () => {
    const table = cases()
    expect(table.length).to.be.at.least(500)
    for (const { zone, sendAt, strategy, pastTimes, now } of table) {
      const schedule: Schedule =
        strategy === 'local' ? { strategy, sendAt, pastTimes } : { strategy, sendAt, pastTimes, timezone: zone }
      const { due, skipped } = dueTimes(schedule, [zone], now, 'UTC')
      const at = expected(zone, utc(sendAt), pastTimes, now)
      const what = `${zone} ${sendAt} ${strategy} ${pastTimes} at ${new Date(now).toISOString()}`
      expect(
        due.map((one) => new Date(one.at).toISOString()),
        what,
      ).to.deep.equal(at === undefined ? [] : [new Date(at).toISOString()])
      if (at !== undefined) expect(skipped, what).to.deep.equal([])
      else expect(skipped, what).to.deep.equal(strategy === 'local' ? [{ zone, hours: null }] : null)
    }
  })

  const local = (sendAt: string, pastTimes: 'ignore' | 'nextDay' = 'ignore'): Schedule => {
    return { strategy: 'local', sendAt, pastTimes }
  }
  const at = (schedule: Schedule, zone: string | null, now = utc('2000-01-01')) =>
    dueTimes(schedule, [zone], now, 'UTC').due.map((one) => new Date(one.at).toISOString())

  it('moves a time that a zone skips forward by the gap', () => {
    expect(at(local('2026-03-29 02:30'), 'Europe/Berlin')).to.deep.equal(['2026-03-29T01:30:00.000Z'])
    expect(at(local('2026-10-04 02:15'), 'Australia/Lord_Howe')).to.deep.equal(['2026-10-03T15:45:00.000Z'])
    expect(wallTimeOf(utc('2026-03-29 01:30'), 'Europe/Berlin')).to.equal('2026-03-29 03:30')
  })

  it('takes the first of two occurrences', () => {
    expect(at(local('2026-10-25 02:30'), 'Europe/Berlin')).to.deep.equal(['2026-10-25T00:30:00.000Z'])
  })

  it('moves a day that a zone skipped to the next', () => {
    expect(at(local('2011-12-30 10:00'), 'Pacific/Apia')).to.deep.equal(['2011-12-30T20:00:00.000Z'])
    expect(wallTimeOf(utc('2011-12-30 20:00'), 'Pacific/Apia')).to.equal('2011-12-31 10:00')
  })

  it('handles offsets of 30 and 45 minutes', () => {
    expect(at(local('2026-05-05 12:00'), 'Asia/Kathmandu')).to.deep.equal(['2026-05-05T06:15:00.000Z'])
    expect(at(local('2026-05-05 12:00'), 'Asia/Kolkata')).to.deep.equal(['2026-05-05T06:30:00.000Z'])
  })

  it('uses the default zone for an unknown or missing zone, and reports unknown ones', () => {
    const result = dueTimes(local('2026-05-05 12:00'), [null, 'Mars/Base'], 0, 'Asia/Tokyo')
    expect(result).to.deep.equal({
      due: [
        {
          at: utc('2026-05-05 03:00'),
          places: [
            { zone: null, hours: null },
            { zone: 'Mars/Base', hours: null },
          ],
        },
      ],
      skipped: [],
      unknown: ['Mars/Base'],
    })
  })

  it('is due now when the time is exactly now, and past a millisecond later', () => {
    const now = utc('2026-05-05 12:00')
    const schedule: Schedule = { strategy: 'utc', sendAt: '2026-05-05 12:00', pastTimes: 'ignore' }
    expect(dueTimes(schedule, [], now, 'UTC').due).to.deep.equal([{ at: now, places: null }])
    expect(dueTimes(schedule, [], now + 1, 'UTC')).to.deep.equal({ due: [], skipped: null, unknown: [] })
  })

  it('skips only zones where the time has passed, or moves only those', () => {
    const now = utc('2026-05-05 08:00')
    const zones = ['Asia/Tokyo', 'Europe/London', 'America/New_York']
    const ignored = dueTimes(local('2026-05-05 12:00'), zones, now, 'UTC')
    expect(ignored.skipped).to.deep.equal([{ zone: 'Asia/Tokyo', hours: null }])
    expect(ignored.due.map((one) => one.at)).to.deep.equal([utc('2026-05-05 11:00'), utc('2026-05-05 16:00')])
    const moved = dueTimes(local('2026-05-05 12:00', 'nextDay'), zones, now, 'UTC')
    expect(moved.due.at(-1)).to.deep.equal({
      at: utc('2026-05-06 03:00'),
      places: [{ zone: 'Asia/Tokyo', hours: null }],
    })
  })

  it('gives every preferred hour its due time, and users without one the usual hour', () => {
    const schedule: Schedule = { strategy: 'intelligent', sendAt: '2026-05-05', pastTimes: 'ignore', usualHour: 9 }
    const { due } = dueTimes(schedule, ['Asia/Tokyo'], utc('2026-01-01'), 'UTC')
    expect(due.map((one) => one.at)).to.deep.equal(HOURS.map((hour) => utc('2026-05-04 15:00') + hour * HOUR))
    expect(due[9]!.places).to.deep.equal([{ zone: 'Asia/Tokyo', hours: [-1, 9] }])
    expect(due[10]!.places).to.deep.equal([{ zone: 'Asia/Tokyo', hours: [10] }])
  })

  it('is 18:00 when nobody has a history', () => {
    const schedule: Schedule = { strategy: 'intelligent', sendAt: '2026-05-05', pastTimes: 'ignore' }
    const { due } = dueTimes(schedule, ['UTC'], utc('2026-01-01'), 'UTC')
    expect(due.find(({ places }) => places![0]!.hours!.includes(-1))!.at).to.equal(utc('2026-05-05 18:00'))
  })

  it('joins two preferred hours that a gap makes one', () => {
    const schedule: Schedule = { strategy: 'intelligent', sendAt: '2026-03-29', pastTimes: 'ignore' }
    const { due } = dueTimes(schedule, ['Europe/Berlin'], utc('2026-01-01'), 'UTC')
    expect(due).to.have.length(23)
    expect(due.find((one) => one.at === utc('2026-03-29 01:00'))!.places).to.deep.equal([
      { zone: 'Europe/Berlin', hours: [2, 3] },
    ])
  })

  it('finds the next preferred hour from now', () => {
    const now = utc('2026-05-05 12:20')
    const { due } = dueTimes({ strategy: 'preferredHour' }, ['Europe/Berlin'], now, 'UTC')
    expect(due[0]).to.deep.equal({ at: utc('2026-05-05 13:00'), places: [{ zone: 'Europe/Berlin', hours: [15] }] })
    expect(due.at(-1)).to.deep.equal({ at: utc('2026-05-06 12:00'), places: [{ zone: 'Europe/Berlin', hours: [14] }] })
    expect(due).to.have.length(24)
  })

  it('has a due time among those of EARTH_OFFSETS for every zone there is', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    for (const sendAt of ['2026-01-15 10:00', '2026-07-15 10:00', '2026-03-29 02:30']) {
      const known = new Set(dueTimes(local(sendAt), EARTH_OFFSETS, 0, 'UTC').due.map((one) => one.at))
      const missed = dueTimes(local(sendAt), zones, 0, 'UTC').due.filter((one) => !known.has(one.at))
      expect(missed, sendAt).to.deep.equal([])
    }
  })
})

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
