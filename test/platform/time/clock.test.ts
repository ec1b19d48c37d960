import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { isoOffset, plainUtc, systemClock } from '../../../src/platform/time/clock.ts'
import { testClock } from '../../support/clock.ts'

describe('the clock', () => {
  it('tells wall time in whole milliseconds and a time that never goes back', () => {
    const before = Date.now()
    expect(systemClock.now()).to.be.within(before, Date.now())
    expect(Number.isInteger(systemClock.now())).to.equal(true)
    expect(systemClock.monotonic()).to.be.at.most(systemClock.monotonic())
  })

  it('sleeps as long as it is told', async () => {
    const start = performance.now()
    await systemClock.sleep(20)
    expect(performance.now() - start).to.be.at.least(19)
    await systemClock.sleep(0)
    await systemClock.sleep(-1)
  })

  it('sleeps longer than a timer of Node can, and wakes when it is asked to', async () => {
    const controller = new AbortController()
    let awake = false
    const sleeping = systemClock.sleep(100 * 24 * 3_600_000, controller.signal).then(() => (awake = true))
    // A timer above 2^31 ms would fire in the very next turn.
    await systemClock.sleep(5)
    expect(awake).to.equal(false)
    controller.abort()
    await sleeping
    expect(getEventListeners(controller.signal, 'abort')).to.deep.equal([])
  })

  it('does not sleep when it was asked to wake before', async () => {
    await systemClock.sleep(3_600_000, AbortSignal.abort())
  })

  it('leaves nothing on a signal that many sleeps share', async () => {
    const { signal } = new AbortController()
    for (let i = 0; i < 5; i++) await systemClock.sleep(1, signal)
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })

  it('writes both shapes of the contract in UTC and drops milliseconds', () => {
    const ms = Date.parse('2026-11-21T09:30:00.999Z')
    expect(isoOffset(ms)).to.equal('2026-11-21T09:30:00+0000')
    expect(plainUtc(ms)).to.equal('2026-11-21 09:30:00')
    expect(isoOffset(0)).to.equal('1970-01-01T00:00:00+0000')
  })

  it('writes what lies beyond the year 9999 as its last second, for no client parses five digits', () => {
    const ms = Date.parse('9999-12-31T23:59:59Z') + 3_600_000
    expect(isoOffset(ms)).to.equal('9999-12-31T23:59:59+0000')
    expect(plainUtc(ms)).to.equal('9999-12-31 23:59:59')
  })

  it('of the tests stands still until it is told', () => {
    const clock = testClock(1000)
    expect([clock.now(), clock.monotonic()]).to.deep.equal([1000, 1000])
    clock.advance(5)
    expect(clock.now()).to.equal(1005)
    clock.set(7)
    expect(clock.now()).to.equal(7)
  })
})
