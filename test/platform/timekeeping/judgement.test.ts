import { expect } from 'chai'
import {
  type Belief,
  beginBelief,
  type Clocks,
  FAR_MS,
  isBelieved,
  judge,
  type Memory,
  type Seen,
  STEP_MS,
  standMs,
} from '../../../src/platform/timekeeping/judgement.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The reading of a clock that is right. */
const RIGHT = Date.parse('2026-11-28T12:00:00Z')

const belief = (more: Partial<Belief> = {}): Belief => ({
  base: RIGHT,
  kind: 'known',
  doubt: undefined,
  isConfirmed: false,
  databaseOff: undefined,
  found: undefined,
  ...more,
})

/** Looks every two seconds for `ms`, while the clock and the database are off by so much. */
function after(ms: number, start: Belief, off: number, database?: { off: number; isNear?: boolean }): Belief {
  let known = start
  const from = start.doubt?.since ?? HOUR
  for (let at = from; at <= from + ms; at += 2000) {
    const seen: Seen = {
      reading: RIGHT + off,
      at,
      database: database && { reading: RIGHT + database.off, isNear: database.isNear ?? false },
    }
    known = judge(known, seen, 2000)
  }
  return known
}

describe('what is believed of the time', () => {
  const steps: { name: string; ms: number; off: number; database?: Parameters<typeof after>[3]; base: number }[] = [
    { name: 'a minute is an adjustment', ms: MINUTE, off: STEP_MS, base: 6200 },
    { name: '400 days ahead for two minutes', ms: 135_000, off: 400 * DAY, base: 0 },
    { name: '25 hours ahead for 12 seconds', ms: 12_000, off: 25 * HOUR, base: 0 },
    { name: '61 seconds ahead for 14 minutes', ms: 14 * MINUTE, off: 61_000, base: 0 },
    { name: '3 hours ahead for a quarter of an hour', ms: 15 * MINUTE, off: 3 * HOUR, base: 3 * HOUR },
    { name: '3 hours back for 14 minutes', ms: 14 * MINUTE, off: -3 * HOUR, base: 0 },
    { name: '3 hours back for a quarter of an hour', ms: 15 * MINUTE, off: -3 * HOUR, base: -3 * HOUR },
    { name: '400 days ahead for 59 minutes', ms: 59 * MINUTE, off: 400 * DAY, base: 0 },
    { name: '400 days ahead for an hour', ms: HOUR, off: 400 * DAY, base: 400 * DAY },
    {
      name: 'ahead for a day, while the database says otherwise',
      ms: DAY,
      off: 3 * HOUR,
      database: { off: 0, isNear: true },
      base: 0,
    },
    { name: 'as another machine says', ms: 0, off: 3 * HOUR, database: { off: 3 * HOUR }, base: 3 * HOUR },
    {
      name: 'as the database of this machine says',
      ms: MINUTE,
      off: 3 * HOUR,
      database: { off: 3 * HOUR, isNear: true },
      base: 0,
    },
  ]
  for (const { name, ms, off, database, base } of steps) {
    it(`is ${base === 0 ? 'what it was' : 'the new time'} when the clock is ${name}`, () => {
      const known = after(ms, belief(), off, database)
      expect(known.base - RIGHT).to.equal(base)
      expect(known.doubt === undefined).to.equal(isBelieved(known, RIGHT + off))
    })
  }

  it('is the new time at once when the database has gone on as before and agrees with it', () => {
    // This machine was paused for three hours, the one of the database was not.
    const before = judge(belief(), { reading: RIGHT, at: 0, database: { reading: RIGHT, isNear: true } }, 0)
    const seen = { reading: RIGHT + 3 * HOUR, at: 10_000 }
    expect(judge(before, { ...seen, database: { reading: RIGHT + 3 * HOUR, isNear: true } }, 2000).base).to.equal(RIGHT)
    const off = judge(belief(), { reading: RIGHT, at: 0, database: { reading: RIGHT + 3 * HOUR, isNear: true } }, 0)
    const now = judge(off, { ...seen, database: { reading: RIGHT + 3 * HOUR, isNear: true } }, 2000)
    expect([now.base, now.doubt]).to.deep.equal([RIGHT + 3 * HOUR, undefined])
  })

  it('is not the new time when the database jumped with the clock: it may be the same clock', () => {
    const before = judge(belief(), { reading: RIGHT, at: 0, database: { reading: RIGHT, isNear: false } }, 0)
    expect(before.databaseOff).to.equal(0)
    expect(after(10 * MINUTE, before, 25 * HOUR, { off: 25 * HOUR }).base).to.equal(RIGHT)
  })

  it('begins to wait anew when the clock is set again', () => {
    const once = after(14 * MINUTE, belief(), 3 * HOUR)
    expect(once.doubt).to.deep.equal({ off: 3 * HOUR, since: HOUR })
    const twice = judge(once, { reading: RIGHT + 5 * HOUR, at: 2 * HOUR }, 2000)
    expect(twice.doubt).to.deep.equal({ off: 5 * HOUR, since: 2 * HOUR })
  })

  it('is over as soon as the clock is right again', () => {
    const known = judge(after(MINUTE, belief(), 400 * DAY), { reading: RIGHT + 500, at: 2 * HOUR }, 2000)
    expect([known.doubt, Math.abs(known.base - RIGHT) <= 500]).to.deep.equal([undefined, true])
  })

  it('does not follow a clock that runs ten times as fast, or is set by a little again and again', () => {
    for (const faster of [9 * 2000, 50_000]) {
      let known = belief()
      for (let i = 1; i <= 400; i++) known = judge(known, { reading: RIGHT + i * faster, at: i * 2000 }, 2000)
      expect(known.base - RIGHT, `${faster}`).to.be.lessThan(2 * MINUTE)
    }
  })

  it('stays that of the database once it contradicted the clock, also while it is silent', () => {
    const known = after(MINUTE, belief(), 3 * HOUR, { off: 0 })
    expect([known.isConfirmed, after(DAY, known, 3 * HOUR).base]).to.deep.equal([true, RIGHT])
  })
})

describe('what a process believes that begins', () => {
  const clocks = (off: number, more: Partial<Clocks> = {}): Clocks => ({
    wall: RIGHT + 10 * HOUR + off,
    at: 10 * HOUR,
    awake: 9 * HOUR,
    boot: 'this',
    ...more,
  })
  /** Written an hour ago. */
  const memory = (more: Partial<Memory> = {}): Memory => ({
    base: RIGHT,
    kind: 'known',
    boot: 'this',
    at: 9 * HOUR,
    awake: 8 * HOUR,
    doubt: undefined,
    databaseOff: undefined,
    ...more,
  })
  const other = memory({ boot: 'the one before', base: RIGHT + 3 * HOUR, at: 6 * HOUR })

  const starts: {
    name: string
    memory?: Memory
    clocks: Clocks
    off: number
    kind: 'known' | 'least'
    trusts: boolean
  }[] = [
    { name: 'the first time', clocks: clocks(0), off: 0, kind: 'known', trusts: true },
    {
      name: 'the first time, in 1970',
      clocks: clocks(-RIGHT),
      off: Date.UTC(2026, 0, 1) - RIGHT - 10 * HOUR,
      kind: 'least',
      trusts: false,
    },
    { name: 'again', memory: memory(), clocks: clocks(5000), off: 0, kind: 'known', trusts: true },
    {
      name: 'again, 400 days ahead',
      memory: memory(),
      clocks: clocks(400 * DAY),
      off: 0,
      kind: 'known',
      trusts: false,
    },
    { name: 'again, a day back', memory: memory(), clocks: clocks(-DAY), off: 0, kind: 'known', trusts: false },
    { name: 'after the machine was off', memory: other, clocks: clocks(0), off: 0, kind: 'known', trusts: true },
    {
      name: 'after the machine was off for a long weekend',
      memory: other,
      clocks: clocks(4 * DAY - 2 * HOUR),
      off: 4 * DAY - 2 * HOUR,
      kind: 'known',
      trusts: true,
    },
    {
      name: 'after the machine was off for 400 days',
      memory: other,
      clocks: clocks(400 * DAY),
      off: -HOUR,
      kind: 'least',
      trusts: false,
    },
    {
      name: 'after the machine was off, before what was written last',
      memory: other,
      clocks: clocks(-2 * HOUR),
      off: -HOUR,
      kind: 'least',
      trusts: false,
    },
    {
      name: 'in a container that counts from its own start',
      memory: memory({ at: 9 * HOUR, awake: 7 * HOUR }),
      clocks: clocks(0, { at: 9.5 * HOUR, awake: 9 * HOUR, wall: RIGHT + 10 * HOUR }),
      off: HOUR / 2,
      kind: 'known',
      trusts: true,
    },
  ]
  for (const start of starts) {
    it(`is ${start.trusts ? 'the clock' : 'another time'} when it starts ${start.name}`, () => {
      const known = beginBelief(start.memory, start.clocks)
      const { wall, at } = start.clocks
      expect([known.base - RIGHT, known.kind, isBelieved(known, wall - at)]).to.deep.equal([
        start.off,
        start.kind,
        start.trusts,
      ])
    })
  }

  it('heals by itself when the clock is set after the start', () => {
    const known = beginBelief(other, clocks(-30 * DAY))
    const set = judge(known, { reading: RIGHT, at: 10 * HOUR + 5000 }, 5000)
    expect([set.base, set.kind, set.doubt]).to.deep.equal([RIGHT, 'known', undefined])
  })

  it('believes after a quarter of an hour that the machine was off for 400 days, and at once when a database says so', () => {
    const known = beginBelief(other, clocks(400 * DAY))
    const reading = RIGHT + 400 * DAY
    const at = 10 * HOUR
    const waiting = judge(known, { reading, at }, 0)
    expect(judge(waiting, { reading, at: at + 14 * MINUTE }, 2000).doubt?.since).to.equal(at)
    expect(judge(waiting, { reading, at: at + 15 * MINUTE }, 2000).base).to.equal(reading)
    const database = { reading, isNear: false }
    expect(judge(known, { reading, at, database }, 0)).to.include({ base: reading, kind: 'known' })
    expect(judge(known, { reading, at, database: { reading, isNear: true } }, 0).kind).to.equal('least')
  })

  it('believes the database rather than a clock that it knows nothing of', () => {
    for (const known of [beginBelief(undefined, clocks(0)), beginBelief(other, clocks(0))]) {
      const seen = { reading: RIGHT, at: 10 * HOUR, database: { reading: RIGHT + 2 * HOUR, isNear: false } }
      const heard = judge(known, seen, 0)
      expect(heard).to.include({ base: RIGHT + 2 * HOUR, isConfirmed: true })
      expect(heard.doubt?.off).to.equal(-2 * HOUR)
    }
    // Which shows what cannot be.
    const wild = { reading: RIGHT, at: 10 * HOUR, database: { reading: RIGHT + FAR_MS + DAY, isNear: false } }
    expect(judge(beginBelief(other, clocks(0)), wild, 0)).to.include({ base: RIGHT, isConfirmed: false })
  })

  it('goes on waiting where the process before it was', () => {
    const doubt = { off: 3 * HOUR, since: 9 * HOUR }
    const known = beginBelief(memory({ doubt }), clocks(3 * HOUR))
    expect(judge(known, { reading: RIGHT + 3 * HOUR, at: 10 * HOUR }, 0).base).to.equal(RIGHT + 3 * HOUR)
  })
})

describe('the edges of what is believed', () => {
  it('are a minute for a clock that is known, and years ahead for one of which only the least is', () => {
    const least = { base: RIGHT, kind: 'least' } as const
    for (const [known, reading, expected] of [
      [belief(), RIGHT + STEP_MS, true],
      [belief(), RIGHT + STEP_MS + 1, false],
      [belief(), RIGHT - STEP_MS, true],
      [belief(), RIGHT - STEP_MS - 1, false],
      [least, RIGHT + FAR_MS, true],
      [least, RIGHT + FAR_MS + 1, false],
      [least, RIGHT - STEP_MS - 1, false],
    ] as const) {
      expect(isBelieved(known, reading), `${known.kind} ${reading - RIGHT}`).to.equal(expected)
    }
  })

  it('are a quarter of an hour for what is off by a day at most, and an hour for more, unless only the least is known', () => {
    const [day, known, least] = [DAY, { kind: 'known' }, { kind: 'least' }] as const
    expect([standMs(known, day), standMs(known, -day)]).to.deep.equal([15 * MINUTE, 15 * MINUTE])
    expect([standMs(known, day + 1), standMs(known, -day - 1)]).to.deep.equal([HOUR, HOUR])
    expect(standMs(least, 400 * day)).to.equal(15 * MINUTE)
  })

  it('are the same run of the machine from the very moment on, also when a second less of it was sleep', () => {
    const memory: Memory = {
      base: RIGHT,
      kind: 'known',
      doubt: undefined,
      databaseOff: 7,
      boot: 'one',
      at: 10_000,
      awake: 5000,
    }
    const isSame = (more: Partial<Clocks>) =>
      beginBelief(memory, { wall: RIGHT + 10_000, at: 10_000, awake: 5000, boot: 'one', ...more }).databaseOff === 7
    expect(isSame({})).to.equal(true)
    expect(isSame({ at: 9999, awake: 4999 }), 'earlier').to.equal(false)
    expect(isSame({ awake: 6000 }), 'a second less asleep').to.equal(true)
    expect(isSame({ awake: 6001 })).to.equal(false)
    expect(isSame({ boot: 'two' })).to.equal(false)
  })

  it('move with the clock as time passes, and not when none has', () => {
    const moved = (elapsed: number) => judge(belief(), { reading: RIGHT + 1000, at: HOUR }, elapsed).base - RIGHT
    expect([moved(-5000), moved(0)]).to.deep.equal([0, 0])
    expect(moved(2000)).to.be.within(1, 999)
  })

  it('are those of a database that knows better, which is then off by nothing', () => {
    const said = (known: Belief, off: number) => {
      const { base, isConfirmed, databaseOff } = judge(
        known,
        {
          reading: known.kind === 'least' ? RIGHT - HOUR : RIGHT,
          at: HOUR,
          database: { reading: RIGHT + off, isNear: false },
        },
        2000,
      )
      return [base - RIGHT, isConfirmed, databaseOff]
    }
    const found = { least: RIGHT - HOUR, most: RIGHT + HOUR }
    expect(said(belief({ found }), 10 * MINUTE)).to.deep.equal([10 * MINUTE, true, 0])
    expect(said(belief({ kind: 'least' }), DAY)).to.deep.equal([DAY, true, 0])
  })
})
