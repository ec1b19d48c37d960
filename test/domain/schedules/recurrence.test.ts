import { expect } from 'chai'
import {
  comesAtAll,
  cronProblem,
  nextFew,
  type Occurrence,
  occurrenceAt,
  occurrencesAfter,
  occurrencesBehind,
  readRecurrence,
  refuseRecurrence,
  scheduleOf,
} from '../../../src/domain/schedules/recurrence.ts'
import { dueTimes } from '../../../src/domain/schedules/schedule.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE

const at = (text: string) => Date.parse(`${text}Z`)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const shown = (some: Iterable<Occurrence>) => [...some].map(({ local, at }) => `${local} = ${iso(at)}`)
const five = (cron: string, timezone: string, now: string, more: object = {}) =>
  shown(nextFew({ cron, timezone, ...more }, at(now)))

describe('a rule by which a send repeats', () => {
  const BERLIN = 'Europe/Berlin'
  /** Rules, and their first times after Thursday 2026-01-01 00:00; undefined: refused. */
  const RULES: readonly (readonly [rule: string, ...times: string[]])[] = [
    ['0 9 * * MON', '01-05 09:00', '01-12 09:00'],
    ['0 9 * * mon', '01-05 09:00', '01-12 09:00'],
    ['0 9 * * 1', '01-05 09:00', '01-12 09:00'],
    ['0 9 * * 0', '01-04 09:00', '01-11 09:00'],
    ['0 9 * * 7', '01-04 09:00', '01-11 09:00'],
    ['0 9 * * MON-FRI', '01-01 09:00', '01-02 09:00', '01-05 09:00'],
    ['0 9 * * 1#2', '01-12 09:00', '02-09 09:00'],
    ['0 9 * * FRI#L', '01-30 09:00', '02-27 09:00'],
    ['0 9 * * 5L', '01-30 09:00', '02-27 09:00'],
    ['0 9 L * *', '01-31 09:00', '02-28 09:00'],
    ['0 9 LW * *', '01-30 09:00', '02-27 09:00'],
    ['0 9 15W * *', '01-15 09:00', '02-16 09:00'],
    ['0 9 ? * *', '01-01 09:00', '01-02 09:00'],
    ['0 9 1,15 * *', '01-01 09:00', '01-15 09:00'],
    ['0 9 1 * MON', '01-01 09:00', '01-05 09:00'],
    ['0 9 1 * +MON', '06-01 09:00', '02-01 09:00'],
    ['0 9 1 JAN,jul *', '01-01 09:00', '07-01 09:00'],
    ['0 9 1 */3 *', '01-01 09:00', '04-01 09:00'],
    ['*/15 * * * *', '01-01 00:15', '01-01 00:30'],
    ['0 8-18/2 * * *', '01-01 08:00', '01-01 10:00'],
    ['30 2 29 2 *', '02-29 02:30', '02-29 02:30'],
    ['0\t9  * * *', '01-01 09:00', '01-02 09:00'],
  ]
  for (const [rule, ...times] of RULES) {
    it(`understands ${JSON.stringify(rule)}`, () => {
      expect(cronProblem(rule, BERLIN)).to.equal(undefined)
      const found = [...occurrencesAfter({ cron: rule, timezone: 'UTC' }, at('2026-01-01T00:00')).take(times.length)]
      expect(found.map(({ local }) => local.slice(5))).to.deep.equal(times)
    })
  }

  const REFUSED: readonly (readonly [rule: string, why: RegExp])[] = [
    ['@daily', /nickname: @daily is written 0 0 \* \* \*/],
    ['@every 5m', /nickname/],
    ['0 0 9 * * *', /five fields/],
    ['0 9 * *', /five fields/],
    ['0 9 * * * 2027', /five fields/],
    ['60 * * * *', /five fields.*minute/],
    ['0 24 * * *', /five fields.*hour/],
    ['0 9 0 * *', /five fields/],
    ['0 9 * * 8', /five fields/],
    ['0 9 * 13 *', /five fields/],
    ['0 9 * * FRI-MON', /five fields/],
    ['0 9 * * H', /five fields/],
    ['5/10 * * * *', /five fields/],
    ['0 9 L-3 * *', /five fields/],
    ['0 9 * * M0N', /five fields/],
    ['ü 9 * * *', /five fields/],
    ['0 0 30 2 *', /never comes/],
    ['0 0 31 4,6,9,11 *', /never comes/],
    ['* * * * *', /again after a minute/],
    ['0,10 * * * *', /again after 10 minutes/],
    ['*/13 * * * *', /again after 13 minutes/],
    ['0,50 * * * *', /again after 10 minutes/],
    ['55,0 0,23 * * *', /again after 5 minutes/],
    ['50 23,0 1,2 * *', /^$/],
    ['59 23,0 * * *', /^$/],
    ['0,59 0,23 31,1 * *', /again after a minute/],
    ['0,59 0,23 * * SAT,SUN', /again after a minute/],
    ['0,59 0,23 * * MON', /^$/],
    ['0,59 0,23 1 * *', /^$/],
  ]
  for (const [rule, why] of REFUSED) {
    const isRight = why.source === '^$'
    it(`${isRight ? 'takes' : 'refuses'} ${JSON.stringify(rule)}${isRight ? '' : ' with its reason'}`, () => {
      expect(cronProblem(rule, BERLIN) ?? '').to.match(why)
    })
  }

  it('comes once a day where the zone of each install decides', () => {
    expect(cronProblem('0 9 * * *', 'local')).to.equal(undefined)
    expect(cronProblem('0 9,21 * * *', 'local')).to.match(/once a day, because timezone is local/)
    expect(cronProblem('*/30 9 * * *', 'local')).to.match(/once a day/)
  })

  it('is a bad request where only a send that goes out once can be made', () => {
    const recurrence = readRecurrence({ strategy: 'recurring', cron: '0 9 * * *', timezone: BERLIN })
    expect(() => refuseRecurrence({ recurrence }))
      .to.throw('POST it to the messages host')
      .with.property('code', 'bad_request')
    refuseRecurrence({})
  })

  it('keeps to its bounds, which may be times of it', () => {
    const bounds = { startsAt: '2026-03-02 09:00', endsAt: '2026-03-03 09:00' }
    expect(five('0 9 * * *', BERLIN, '2026-01-01T00:00', bounds)).to.deep.equal([
      '2026-03-02 09:00 = 2026-03-02T08:00',
      '2026-03-03 09:00 = 2026-03-03T08:00',
    ])
    expect(five('0 9 * * *', BERLIN, '2026-03-03T08:00', bounds)).to.deep.equal([])
    expect(comesAtAll({ cron: '0 9 * * *', timezone: BERLIN, ...bounds })).to.equal(true)
    expect(comesAtAll({ cron: '0 9 * * SUN', timezone: BERLIN, ...bounds })).to.equal(false)
  })

  it('ends with the years that can be written', () => {
    expect(five('0 9 * * *', BERLIN, '9999-12-31T23:00')).to.deep.equal([])
    expect(five('0 9 * * *', BERLIN, '2026-01-01T00:00', { startsAt: '9999-12-30 00:00' })).to.deep.equal([])
  })

  it('comes on leap days, every four years and not in 2100', () => {
    expect(five('0 9 29 2 *', BERLIN, '2094-01-01T00:00').map((one) => one.slice(0, 10))).to.deep.equal([
      '2096-02-29',
      '2104-02-29',
      '2108-02-29',
      '2112-02-29',
      '2116-02-29',
    ])
  })

  it('moves a skipped time forward, and takes the first of two', () => {
    expect(five('30 2 * * *', BERLIN, '2026-03-28T00:00').slice(0, 3)).to.deep.equal([
      '2026-03-28 02:30 = 2026-03-28T01:30',
      '2026-03-29 02:30 = 2026-03-29T01:30',
      '2026-03-30 02:30 = 2026-03-30T00:30',
    ])
    expect(five('30 2 * * *', BERLIN, '2026-10-24T12:00').slice(0, 2)).to.deep.equal([
      '2026-10-25 02:30 = 2026-10-25T00:30',
      '2026-10-26 02:30 = 2026-10-26T01:30',
    ])
  })

  it('leaves out what would come together with a time that was moved', () => {
    expect(five('0 * * * *', BERLIN, '2026-03-28T23:30')).to.deep.equal([
      '2026-03-29 01:00 = 2026-03-29T00:00',
      '2026-03-29 02:00 = 2026-03-29T01:00',
      '2026-03-29 04:00 = 2026-03-29T02:00',
      '2026-03-29 05:00 = 2026-03-29T03:00',
      '2026-03-29 06:00 = 2026-03-29T04:00',
    ])
    // Samoa had no 30 December 2011.
    expect(five('0 9 * * *', 'Pacific/Apia', '2011-12-28T00:00')).to.deep.equal([
      '2011-12-28 09:00 = 2011-12-28T19:00',
      '2011-12-29 09:00 = 2011-12-29T19:00',
      '2011-12-30 09:00 = 2011-12-30T19:00',
      '2012-01-01 09:00 = 2011-12-31T19:00',
      '2012-01-02 09:00 = 2012-01-01T19:00',
    ])
  })

  it('begins in the east of the Earth and ends in the west, where the zone of each install decides', () => {
    const rule = { cron: '0 9 * * *', timezone: 'local' }
    const [first] = nextFew(rule, at('2026-03-01T19:00'))
    expect(first).to.deep.equal({
      local: '2026-03-03 09:00',
      at: at('2026-03-02T19:00'),
      until: at('2026-03-03T21:00'),
    })
    expect(nextFew(rule, at('2026-03-01T18:59'))[0]!.local).to.equal('2026-03-02 09:00')
    expect(occurrenceAt(rule, '2026-03-03 09:00')).to.deep.equal(first)
  })

  it('is read from what is stored, or not at all', () => {
    const stored = { strategy: 'recurring', cron: '0 9 * * *', timezone: BERLIN }
    expect(readRecurrence(stored)).to.include({ cron: '0 9 * * *', timezone: BERLIN })
    for (const wrong of [
      undefined,
      null,
      {},
      { ...stored, strategy: 'utc' },
      { ...stored, cron: 'x' },
      { ...stored, cron: 7 },
      { ...stored, timezone: 'Nowhere/Else' },
      { ...stored, endsAt: 'soon' },
    ])
      expect(readRecurrence(wrong)).to.equal(undefined)
  })
})

/** A second opinion, which shares no code with the product: it looks at every minute, and at what Intl says of it. */
describe('the times of rules', () => {
  const ZONES: readonly (readonly [zone: string, changes: string])[] = [
    ['Europe/Berlin', '2026-03-29'],
    ['Europe/Berlin', '2026-10-25'],
    ['America/New_York', '2027-03-14'],
    ['America/New_York', '2027-11-07'],
    ['Australia/Sydney', '2026-10-04'],
    ['Australia/Sydney', '2027-04-04'],
    ['Australia/Lord_Howe', '2026-10-04'],
    ['Australia/Lord_Howe', '2027-04-04'],
    ['America/Santiago', '2026-09-06'],
    ['America/Santiago', '2027-04-04'],
    ['America/Sao_Paulo', '2017-10-15'],
    ['America/Sao_Paulo', '2018-02-18'],
    ['Asia/Beirut', '2026-03-29'],
    ['Asia/Beirut', '2026-10-25'],
    ['Africa/Cairo', '2026-04-24'],
    ['Africa/Cairo', '2026-10-30'],
    ['America/Havana', '2026-03-08'],
    ['Antarctica/Troll', '2026-03-29'],
    ['Antarctica/Troll', '2026-10-25'],
    ['Africa/Casablanca', '2026-02-15'],
    ['Asia/Kathmandu', '1986-01-01'],
    ['America/Caracas', '2016-05-01'],
    ['Pacific/Apia', '2011-12-30'],
    ['Asia/Pyongyang', '2018-05-05'],
    ['Pacific/Chatham', '2026-09-27'],
    ['UTC', '2028-02-29'],
    ['Asia/Kolkata', '2026-12-31'],
  ]
  const seed = seedOf(20_261_129)

  for (const [zone, day] of ZONES) {
    it(`are those that somebody reads from a clock in ${zone} around ${day}`, () => {
      const dice = chance(seed ^ at(`${day}T00:00`))
      const clock = clockOf(zone, at(`${day}T00:00`) - 2 * DAY, at(`${day}T00:00`) + 3 * DAY)
      for (let i = 0; i < many(10, { long: 400 }); i++) {
        const fields = drawn(dice)
        const cron = fields.map(({ text }) => text).join(' ')
        if (cronProblem(cron, zone) !== undefined) continue
        const wanted = readFrom(clock, fields)
        const rule = { cron, timezone: zone }
        const from = at(`${day}T00:00`) - 1 * DAY + dice(1440) * MINUTE
        const to = from + 2 * DAY
        const inside = (some: Occurrence[]) => some.filter((one) => one.at > from && one.at < to)
        const found = [...occurrencesAfter(rule, from).take(300)]
        expect(shown(inside(found)), `seed ${seed}, ${cron}`).to.deep.equal(shown(inside(wanted)))
        for (const [n, one] of inside(found).entries()) {
          // The send of an occurrence is due at its time, and what follows it is the same wherever one begins.
          expect(dueTimes(scheduleOf(rule, one), [], one.at, 'UTC').due).to.deep.equal([{ at: one.at, places: null }])
          expect(occurrencesBehind(rule, one.local).next().value, `seed ${seed}, ${cron}`).to.deep.equal(found[n + 1])
          if (n > 0) expect(one.at - found[n - 1]!.at, `seed ${seed}, ${cron}`).to.be.at.least(15 * MINUTE)
        }
      }
    })
  }
})

interface Field {
  text: string
  has(value: number): boolean
}

/** Draws a rule: what it says, and what that means. */
function drawn(dice: (end: number) => number): Field[] {
  const any: Field = { text: '*', has: () => true }
  const list = (values: number[]): Field => ({ text: values.join(','), has: (value) => values.includes(value) })
  const every = (step: number): Field => ({ text: `*/${step}`, has: (value) => value % step === 0 })
  const some = (end: number, most: number) =>
    [...new Set(Array.from({ length: 1 + dice(most) }, () => dice(end)))].sort((a, b) => a - b)
  const minutes = [every(15), every(20), every(30), list([0]), list([dice(60)]), list([0, 30]), list([5, 20, 40])]
  const hours = [any, any, every(2), list([dice(5)]), list(some(5, 4)), list([23, 0, 1]), list(some(24, 6))]
  const days = [any, any, any, list(some(7, 5))]
  return [minutes[dice(minutes.length)]!, hours[dice(hours.length)]!, any, any, days[dice(days.length)]!]
}

interface Reading {
  at: number
  wall: number
}

/** A clock that has gone on by as many minutes as have passed showed every minute between: no zone changes twice in so short a time. */
const UNREAD_MINUTES = 10

/** Reads a clock in a zone at each minute, or knows what it showed. */
function clockOf(zone: string, from: number, to: number): Reading[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const read = (time: number): Reading => {
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    return { at: time, wall: Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute) }
  }
  const readings: Reading[] = []
  for (let time = from; time < to; time += UNREAD_MINUTES * MINUTE) {
    const [first, last] = [read(time), read(time + UNREAD_MINUTES * MINUTE)]
    const isSteady = last.wall - first.wall === UNREAD_MINUTES * MINUTE
    for (let ms = 0; ms < UNREAD_MINUTES * MINUTE; ms += MINUTE) {
      readings.push(isSteady ? { at: time + ms, wall: first.wall + ms } : read(time + ms))
    }
  }
  return readings
}

/** The times of a rule: every minute that it names, when the clock first shows it or, if it never does, as much later as it is skipped. */
function readFrom(clock: readonly Reading[], [minute, hour, , , day]: Field[]): Occurrence[] {
  const times = new Map<number, number>()
  for (const [i, { at: time, wall }] of clock.entries()) {
    if (!times.has(wall)) times.set(wall, time)
    const before = clock[i - 1]
    if (!before) continue
    for (let gone = before.wall + MINUTE; gone < wall; gone += MINUTE) {
      if (!times.has(gone)) times.set(gone, before.at + (gone - before.wall))
    }
  }
  const kept: Occurrence[] = []
  for (const [wall, time] of [...times].sort(([a], [b]) => a - b)) {
    const date = new Date(wall)
    if (!minute!.has(date.getUTCMinutes()) || !hour!.has(date.getUTCHours()) || !day!.has(date.getUTCDay())) continue
    if (kept.length > 0 && time < kept.at(-1)!.at + 15 * MINUTE) continue
    kept.push({ local: date.toISOString().slice(0, 16).replace('T', ' '), at: time, until: time })
  }
  return kept
}
