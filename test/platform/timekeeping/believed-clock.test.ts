import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ageOfFile, type Clock, isTimeUncertain } from '../../../src/platform/time/clock.ts'
import { believedClock } from '../../../src/platform/timekeeping/believed-clock.ts'
import { isFilled, newClockCell } from '../../../src/platform/timekeeping/cell.ts'
import { doubtSentence } from '../../../src/platform/timekeeping/sentence.ts'
import { createTimekeeper } from '../../../src/platform/timekeeping/timekeeper.ts'
import { type TestClock, testClock } from '../../support/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A machine: its steady clock goes on, its wall clock is off, and it sleeps. */
function machine() {
  const steady: TestClock = testClock(5 * HOUR)
  const start = Date.parse('2026-11-28T12:00:00Z')
  const state = { off: 0, slept: 0, reads: 0 }
  const raw: Clock = {
    ...steady,
    now: () => start + steady.now() + state.slept + state.off,
    monotonic: () => steady.now(),
    sinceBoot: () => {
      state.reads++
      return steady.now() + state.slept
    },
  }
  return { raw, state, steady, right: () => start + steady.now() + state.slept }
}

describe('the clock of the program', () => {
  let dir: string
  let file: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-time-'))
    file = join(dir, 'appsvc.clock')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  function open(of: ReturnType<typeof machine>, keeps: 'minutely' | 'seldom' | 'never' = 'minutely') {
    const cell = newClockCell()
    expect(isFilled(cell)).to.equal(false)
    const keeper = createTimekeeper({ raw: of.raw, cell, file, isNear: true, keeps })
    expect(isFilled(cell)).to.equal(true)
    return { keeper, clock: believedClock(of.raw, cell), another: believedClock(of.raw, cell) }
  }

  it('never shows a wrong time, in no thread, also before anybody has looked', () => {
    const one = machine()
    const { clock, another } = open(one)
    for (const off of [400 * DAY, 25 * HOUR, -3 * DAY, 61_000]) {
      one.steady.advance(500)
      one.state.off = off
      expect([clock.now() - one.right(), another.now() - one.right()], `${off}`).to.deep.equal([0, 0])
      expect(another.doubt()).to.deep.equal({ off, isConfirmed: false, isStart: false })
      expect([isTimeUncertain(clock), ageOfFile(clock, 0)]).to.deep.equal([true, 0])
      one.state.off = 0
      expect([clock.now() - one.right(), clock.doubt()]).to.deep.equal([0, undefined])
    }
  })

  it('follows small adjustments, and the time that the machine slept', async () => {
    const one = machine()
    const { clock, keeper } = open(one)
    one.state.off = 59_000
    expect(clock.now() - one.right()).to.equal(59_000)
    for (let i = 0; i < 400; i++) {
      one.steady.advance(2000)
      await keeper.look()
    }
    one.state.slept = 8 * HOUR
    expect([clock.now() - one.right(), clock.doubt()]).to.deep.equal([59_000, undefined])
  })

  it('reads the slower clock only in doubt, and then ten times a second at most', () => {
    const one = machine()
    const { clock } = open(one)
    const before = one.state.reads
    for (let i = 0; i < 1000; i++) clock.now()
    expect(one.state.reads - before).to.equal(0)
    one.state.off = DAY
    for (let i = 0; i < 1000; i++) {
      one.steady.advance(1)
      clock.now()
    }
    expect(one.state.reads - before).to.be.within(9, 12)
  })

  it('believes in every thread what has stood for a quarter of an hour', async () => {
    const one = machine()
    const { clock, another, keeper } = open(one)
    one.state.off = 3 * HOUR
    await keeper.look()
    expect(keeper.standsFor()).to.equal(15 * MINUTE)
    for (let i = 0; i < 30 * 15; i++) {
      one.steady.advance(2000)
      await keeper.look()
    }
    for (const each of [clock, another]) {
      expect([each.now() - one.right(), each.doubt()]).to.deep.equal([3 * HOUR, undefined])
    }
    expect(keeper.standsFor()).to.equal(undefined)
  })

  it('is known to the next process on this machine', async () => {
    const one = machine()
    open(one).keeper.save()
    one.steady.advance(2 * DAY)
    one.state.off = -400 * DAY
    const next = open(one, 'seldom')
    expect(next.clock.now() - one.right()).to.equal(0)
    expect(next.clock.doubt()).to.include({ off: -400 * DAY, isStart: false })
    one.state.off = 0
    expect(next.clock.doubt()).to.equal(undefined)
  })

  it('goes on from what was written last when the machine starts with an empty clock', async () => {
    const before = machine()
    open(before).keeper.save()
    const memory = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...memory, boot: 'another' }))
    const one = machine()
    one.state.off = -one.right()
    const { clock, keeper } = open(one)
    expect(clock.now()).to.equal(before.right())
    expect(clock.doubt()).to.include({ isStart: true })
    one.steady.advance(5000)
    expect(clock.now()).to.equal(before.right() + 5000)
    // The time service sets it.
    one.state.off = 2 * HOUR
    expect([clock.now() - one.right(), clock.doubt()]).to.deep.equal([2 * HOUR, undefined])
    await keeper.look()
    one.state.off = 4 * HOUR
    expect(clock.now() - one.right(), 'now it is known').to.equal(2 * HOUR)
  })

  it('is that of the database where that contradicts it', async () => {
    const one = machine()
    one.state.off = 25 * HOUR
    const { clock, keeper } = open(one)
    await keeper.look(async () => one.right())
    expect(clock.now() - one.right()).to.equal(0)
    expect([clock.doubt()?.isConfirmed, isTimeUncertain(clock), keeper.standsFor()]).to.deep.equal([
      true,
      false,
      undefined,
    ])
    expect(doubtSentence(clock.doubt()!, keeper.standsFor())).to.contain('90000 s ahead of the clock of the database')
  })

  it('does not need its file: one that is damaged, or cannot be written, counts for nothing', () => {
    for (const content of ['', '{}', '[1]', '{"base":1e999,"kind":"known","at":0,"awake":0}', 'x']) {
      writeFileSync(file, content)
      const one = machine()
      const { clock, keeper } = open(one)
      expect([clock.now() - one.right(), keeper.save()]).to.deep.equal([0, undefined])
    }
    rmSync(dir, { recursive: true })
    expect(open(machine()).keeper.save()).to.contain('ENOENT')
  })

  it('leaves no file where nothing shall be changed', () => {
    open(machine(), 'never').keeper.save()
    expect(() => readFileSync(file)).to.throw('ENOENT')
  })

  it('says what waits, for how long, and what to do', () => {
    const doubt = { off: 2 * HOUR, isConfirmed: false, isStart: false }
    expect(doubtSentence(doubt, 15 * MINUTE)).to.equal(
      'the clock jumped 7200 s ahead: the time goes on from before, scheduled sends wait, and nothing is deleted for its age; ' +
        'correct the clock (timedatectl set-ntp true); if it is right now, wait: it is believed when it has stood for 15 minutes',
    )
    expect(doubtSentence({ ...doubt, off: -2 * HOUR, isStart: true }, undefined)).to.contain(
      'the clock shows what cannot be: it is 7200 s before the time that was known last',
    )
  })
})
