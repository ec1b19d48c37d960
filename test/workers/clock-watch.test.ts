import { expect } from 'chai'
import { createClockWatch, newClockWatchCell } from '../../src/workers/clock-watch.ts'

const HOUR = 3_600_000

describe('the watch on the wall clock', () => {
  it('trusts a clock that goes on as the steady one does, and small corrections', () => {
    const watch = createClockWatch()
    expect(watch.look(1_000_000, 0)).to.equal(0)
    expect(watch.look(1_000_500, 500)).to.equal(0)
    expect(watch.look(1_060_000, 1000)).to.equal(0)
    expect(watch.look(1_119_000, 1500)).to.equal(0)
  })

  for (const jump of [2 * HOUR, -2 * HOUR, 60_001]) {
    it(`does not trust one that jumps by ${jump / 1000} s, until it is back`, () => {
      const watch = createClockWatch()
      watch.look(10 * HOUR, 0)
      expect(watch.look(10 * HOUR + jump, 0)).to.equal(jump)
      expect(watch.look(10 * HOUR + jump + 5000, 5000)).to.equal(jump)
      expect(watch.look(10 * HOUR + 6000, 6000)).to.equal(0)
      expect(watch.look(10 * HOUR + 7000, 7000)).to.equal(0)
    })
  }

  it('of a thread that is started again does not trust a clock that was set meanwhile', () => {
    const cell = newClockWatchCell()
    expect(createClockWatch(cell).look(10 * HOUR, 0.25)).to.equal(0)
    expect(createClockWatch(cell).look(12 * HOUR, 1000)).to.equal(2 * HOUR - 1000)
    expect(createClockWatch(cell).look(10 * HOUR + 2000, 2000)).to.equal(0)
  })

  it('trusts whatever it is at the first look: a restart is the confirmation', () => {
    expect(createClockWatch().look(99 * HOUR, 0)).to.equal(0)
  })
})
