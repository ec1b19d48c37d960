import { expect } from 'chai'
import { floorsOf, isOld, isWide, type Part, spanOf } from '../../../../src/domain/events/partitions/parts.ts'

const DAY_MS = 86_400_000

/** A partition that took events of these days; `tx` is the last number of a transaction. */
const part = (from: number, to: number | undefined, days: [number, number] | undefined, tx?: number): Part => ({
  name: `events_${from}`,
  from,
  to,
  rows: 1,
  firstAt: days && days[0] * DAY_MS,
  lastAt: days && days[1] * DAY_MS,
  lastTx: tx,
})

describe('partitions of events', () => {
  const parts = [part(0, 100, [0, 10], 7), part(100, 200, [10, 20], 9), part(200, undefined, [20, 25], 12)]

  it('are looked into from the one that took events two days before the time of an event', () => {
    const { ofTime } = floorsOf(parts)
    const days = [0, 5, 11.9, 12, 15, 21.9, 22, 24, 1000]
    expect(days.map((day) => ofTime(day * DAY_MS))).to.deep.equal([0, 0, 0, 100, 100, 100, 200, 200, 200])
  })

  it('are looked into further back where a clock that was slow had begun one', () => {
    const { ofTime } = floorsOf([part(0, 100, [0, 10]), part(100, undefined, [4, 12])])
    expect([7, 11.9, 12].map((day) => ofTime(day * DAY_MS))).to.deep.equal([0, 0, 100])
  })

  it('are not left out for one that is empty', () => {
    const { ofTime } = floorsOf([parts[0]!, parts[1]!, part(200, undefined, undefined)])
    expect(ofTime(1000 * DAY_MS)).to.equal(100)
    expect(floorsOf([]).ofTime(1000 * DAY_MS)).to.equal(0)
  })

  it('are read behind a position from the first that has a later transaction', () => {
    const { ofPosition } = floorsOf(parts)
    expect([0, 7, 8, 9, 10, 99].map(ofPosition)).to.deep.equal([0, 0, 100, 100, 200, 200])
    expect(floorsOf([]).ofPosition(99)).to.equal(0)
  })

  it('take events for a 24th of what these are kept, and a day at least', () => {
    expect([1, 7, 24, 30, 365].map((days) => spanOf(days * DAY_MS) / DAY_MS)).to.deep.equal([1, 1, 1, 2, 16])
  })

  it('are old with their last event, or when the next one has an old event', () => {
    const [first, second] = parts as [Part, Part]
    expect([9.9, 10, 10.1].map((day) => isOld(first, second, day * DAY_MS))).to.deep.equal([false, false, true])
    // A clock was ahead at the end of the first.
    expect(isOld(part(0, 100, [0, 900]), second, 11 * DAY_MS)).to.equal(true)
    // The clock of a node that received the last one, or the next, was years behind.
    expect(isOld(part(0, 100, [300, -9000]), part(100, 200, [315, 330]), 100 * DAY_MS)).to.equal(false)
    expect(isOld(part(0, 100, [300, 315]), part(100, 200, [-9000, 330]), 100 * DAY_MS)).to.equal(false)
    // The clock was ahead at the begin.
    expect(isOld(part(0, 100, [900, 10]), part(100, 200, [10, 20]), 11 * DAY_MS)).to.equal(true)
    expect(isOld(part(0, 100, undefined), part(100, undefined, undefined), 0)).to.equal(true)
  })

  it('are wide with events of more than twice their time', () => {
    expect([2, 5, 4.9].map((days) => isWide(parts[0]!, days * DAY_MS))).to.deep.equal([true, false, true])
    expect(isWide(part(0, 100, undefined), DAY_MS)).to.equal(false)
  })
})
