import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { missLimiter } from '../../../src/server/device/miss-limiter.ts'

/** Seconds that a caller is told to wait; 0 when he may go on. */
function wait(limiter: ReturnType<typeof missLimiter>, address: string, now: number): number {
  try {
    limiter.check(address, now)
    return 0
  } catch (error) {
    if (!isAppError(error)) throw error
    expect(error.code).to.equal('unavailable')
    return Number(error.details.headers?.['Retry-After'])
  }
}

describe('the limit of misses', () => {
  it('lets a burst through, then one for every while, and forgives in time', () => {
    const limiter = missLimiter({ burst: 3, everyMs: 2000 })
    for (let i = 0; i < 3; i++) {
      expect(wait(limiter, '192.0.2.1', 0)).to.equal(0)
      limiter.missed('192.0.2.1', 0)
    }
    expect(wait(limiter, '192.0.2.1', 0)).to.equal(2)
    expect(wait(limiter, '192.0.2.1', 1999)).to.equal(1)
    expect(wait(limiter, '192.0.2.1', 2000)).to.equal(0)
    limiter.missed('192.0.2.1', 2000)
    expect(wait(limiter, '192.0.2.1', 2000)).to.equal(2)
    expect(wait(limiter, '192.0.2.2', 2000)).to.equal(0)
    for (let i = 0; i < 3; i++) {
      expect(wait(limiter, '192.0.2.1', 60_000)).to.equal(0)
      limiter.missed('192.0.2.1', 60_000)
    }
    expect(wait(limiter, '192.0.2.1', 60_000)).to.equal(2)
  })

  it('counts the network of an IPv6 address as one caller', () => {
    const limiter = missLimiter({ burst: 1, everyMs: 1000 })
    limiter.missed('2001:db8:1:2:3:4:5:6', 0)
    expect(wait(limiter, '2001:db8:1:2:ffff::1', 0)).to.equal(1)
    expect(wait(limiter, '2001:db8:1:3::1', 0)).to.equal(0)
    limiter.missed('2001:db8::1', 0)
    expect(wait(limiter, '2001:db8::2', 0)).to.equal(1)
    expect(wait(limiter, '::1', 0)).to.equal(0)
  })

  it('remembers a bounded number of callers', () => {
    const limiter = missLimiter({ burst: 1, everyMs: 1000 })
    for (let i = 0; i < 20_001; i++) limiter.missed(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0)
    expect(wait(limiter, '10.0.0.0', 0)).to.equal(0)
    expect(wait(limiter, '10.0.0.1', 0)).to.equal(1)
  })
})
