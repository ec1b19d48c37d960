import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { rateLimiter } from '../../../src/server/device/rate-limiter.ts'

describe('a rate limiter', () => {
  it('lets everybody do something some times at once, and then now and then', () => {
    const limiter = rateLimiter({ burst: 3, everyMs: 1000, what: 'reports' })
    const take = (who: string, now: number) => {
      try {
        limiter.take(who, now)
        return 'taken'
      } catch (error) {
        return isAppError(error) ? `${error.code} ${error.details.headers?.['Retry-After']}` : 'bug'
      }
    }
    expect([0, 0, 0, 0].map((now) => take('a', now))).to.deep.equal(['taken', 'taken', 'taken', 'too_many 1'])
    expect(take('b', 0)).to.equal('taken')
    expect([999, 1000, 1001].map((now) => take('a', now))).to.deep.equal(['too_many 1', 'taken', 'too_many 1'])
    expect([10_000, 10_000, 10_000, 10_000].map((now) => take('a', now)).at(-1)).to.equal('too_many 1')
  })

  it('forgets the longest known when there are too many', () => {
    const limiter = rateLimiter({ burst: 1, everyMs: 1000, what: 'reports' })
    for (let i = 0; i <= 20_000; i++) limiter.take(String(i), 0)
    expect(() => limiter.take('20000', 0)).to.throw(/too many reports: try again in 1 s/)
    expect(() => limiter.take('0', 0)).to.not.throw()
  })
})
