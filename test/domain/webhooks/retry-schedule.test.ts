import { expect } from 'chai'
import { RETRY_AFTER_MS, retryDelay } from '../../../src/domain/webhooks/retry-schedule.ts'

describe('the schedule of retries', () => {
  it('waits 75 hours in all, as the specification recommends', () => {
    const hours = RETRY_AFTER_MS.reduce<number>((sum, ms) => sum + ms, 0) / 3_600_000
    expect(Math.floor(hours)).to.equal(75)
  })

  it('has an end', () => expect(retryDelay(RETRY_AFTER_MS.length + 1, undefined, 0.5)).to.equal(undefined))

  const cases: [failures: number, askedMs: number | undefined, random: number, wait: number][] = [
    [1, undefined, 0.5, 5000],
    [1, undefined, 0, 4500],
    [1, undefined, 1, 5500],
    [2, undefined, 0.5, 300_000],
    [1, 60_000, 0.5, 60_000],
    [9, 60_000, 0.5, 86_400_000],
  ]
  for (const [failures, askedMs, random, wait] of cases) {
    it(`waits ${wait} ms after failure ${failures} with ${random} and Retry-After ${askedMs}`, () => {
      expect(retryDelay(failures, askedMs, random)).to.equal(wait)
    })
  }
})
