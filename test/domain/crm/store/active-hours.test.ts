import { expect } from 'chai'
import { type ActiveHours, countActivity, preferredHour } from '../../../../src/domain/crm/store/active-hours.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The begin of a period. */
const start = 15 * DAY * 1370

/** Counts one after the other; what changes nothing is passed over. */
function active(times: number[], offsetMs = 0): ActiveHours {
  let hours: ActiveHours | undefined
  for (const at of times) hours = countActivity(hours, at, offsetMs) ?? hours
  return hours!
}

describe('the active hours of a user', () => {
  it('are those of the local day', () => {
    expect(preferredHour(active([start + 9 * HOUR]))).to.equal(9)
    expect(preferredHour(active([start + 9 * HOUR], 5.75 * HOUR))).to.equal(14)
    expect(preferredHour(active([start + 3 * HOUR], -10 * HOUR))).to.equal(17)
  })

  it('prefer the hour in which the user was most often active', () => {
    const evenings = [0, 1, 2].map((day) => start + day * DAY + 20 * HOUR)
    const mornings = [3, 4].map((day) => start + day * DAY + 8 * HOUR)
    expect(preferredHour(active([...evenings, ...mornings]))).to.equal(20)
  })

  it('count an hour of the calendar once', () => {
    const before = active([start + 8 * HOUR])
    expect(countActivity(before, start + 8 * HOUR + 59 * 60_000, 0)).to.equal(undefined)
    expect(countActivity(before, start + DAY + 8 * HOUR, 0)).not.to.equal(undefined)
  })

  it('let newer days weigh more', () => {
    const old = [0, 1, 2].map((day) => start + day * DAY + 8 * HOUR)
    const recent = [60, 61].map((day) => start + day * DAY + 20 * HOUR)
    expect(preferredHour(active([...old, ...recent]))).to.equal(20)
  })

  it('forget what is older than some 90 days', () => {
    const old = Array.from({ length: 10 }, (_, day) => start + day * DAY + 8 * HOUR)
    expect(preferredHour(active([...old, start + 100 * DAY + 20 * HOUR]))).to.equal(20)
    const hours = active([start + 100 * DAY])
    expect(countActivity(hours, start, 0)).to.equal(undefined)
  })

  it('take late news of earlier days at their own age', () => {
    const hours = active([start + 40 * DAY + 20 * HOUR, start + 8 * HOUR])
    expect(hours.counts.map((period) => period.reduce((sum, n) => sum + n, 0))).to.deep.equal([1, 0, 1, 0, 0, 0])
    expect(preferredHour(hours)).to.equal(20)
  })

  it('prefer nothing without any', () => {
    expect(preferredHour({ counts: [] })).to.equal(-1)
  })
})
