import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { MAX_CALLERS, newSharingCells, openSharing } from '../../../src/platform/threads/sharing.ts'
import { type RateLimiter, rateLimiter } from '../../../src/server/limits/rate-limiter.ts'

/** What `check` says: the code and for how long, or nothing. */
function refusal(limiter: RateLimiter, who: string, now: number): string {
  try {
    limiter.check(who, now)
    return ''
  } catch (error) {
    return isAppError(error) ? `${error.code} ${error.details.headers?.['Retry-After']}` : 'bug'
  }
}

describe('a rate limiter', () => {
  it('lets everybody do something some times at once, and then now and then', () => {
    const limiter = rateLimiter({ name: 'x', burst: 3, everyMs: 1000, what: 'reports', code: 'too_many' })
    const take = (who: string, now: number) => {
      const said = refusal(limiter, who, now)
      if (said === '') limiter.take(who, now)
      else expect(() => limiter.take(who, now)).to.throw('too many reports: try again in 1 s')
      return said || 'taken'
    }
    expect([0, 0, 0, 0].map((now) => take('a', now))).to.deep.equal(['taken', 'taken', 'taken', 'too_many 1'])
    expect(take('b', 0)).to.equal('taken')
    expect([999, 1000, 1001].map((now) => take('a', now))).to.deep.equal(['too_many 1', 'taken', 'too_many 1'])
    expect([10_000, 10_000, 10_000, 10_000].map((now) => take('a', now)).at(-1)).to.equal('too_many 1')
  })

  it('checks without counting, and counts several at once, which are waited for', () => {
    const limiter = rateLimiter({ name: 'x', burst: 10, everyMs: 1000, what: 'events', code: 'unavailable' })
    for (let i = 0; i < 100; i++) expect(refusal(limiter, 'a', 0)).to.equal('')
    limiter.charge('a', 0, 9)
    expect(refusal(limiter, 'a', 0)).to.equal('')
    limiter.charge('a', 0, 100)
    expect(refusal(limiter, 'a', 0)).to.equal('unavailable 100')
    expect(refusal(limiter, 'a', 99_500)).to.equal('unavailable 1')
    expect(refusal(limiter, 'a', 100_000)).to.equal('')
    expect(refusal(limiter, 'b', 0)).to.equal('')
  })

  it('gives everybody his whole share when it does not divide the hour', () => {
    const limiter = rateLimiter({ name: 'x', burst: 7, everyMs: 3_600_000 / 7, what: 'events', code: 'unavailable' })
    for (let i = 0; i < 7; i++) {
      expect(refusal(limiter, 'a', 1234.567)).to.equal('')
      limiter.charge('a', 1234.567)
    }
    expect(refusal(limiter, 'a', 1234.567)).to.equal('unavailable 515')
  })

  it('remembers a bounded number, and rather those who owe something', () => {
    const limiter = rateLimiter({ name: 'x', burst: 2, everyMs: 1000, what: 'reports', code: 'too_many' })
    limiter.charge('early', 0, 100)
    // Each of them owes nothing any more when the next ones come.
    for (let i = 0; i < 100_000; i++) limiter.charge(`passer-by ${i}`, i * 0.5)
    expect(refusal(limiter, 'early', 50_000)).to.equal('too_many 49')
    for (let i = 0; i < 100_000; i++) limiter.charge(`crowd ${i}`, 50_000, 100)
    const remembered = Array.from({ length: 100_000 }, (_, i) => refusal(limiter, `crowd ${i}`, 50_000))
    const first = remembered.findIndex((said) => said !== '')
    expect(first).to.be.within(80_000, 85_000)
    expect(remembered.indexOf('', first)).to.equal(-1)
  })

  it('remembers who owes most, however many others owe a little', () => {
    const limiter = rateLimiter({ name: 'x', burst: 2, everyMs: 1000, what: 'reports', code: 'too_many' })
    limiter.charge('worst', 0, 1000)
    for (let i = 0; i < 100_000; i++) limiter.charge(`crowd ${i}`, 0, 3)
    expect(refusal(limiter, 'worst', 0)).to.equal('too_many 999')
  })

  it('counts once for all threads, and apart from other limiters, in a table that they share', () => {
    const cells = newSharingCells({ threads: 2, maxConnections: 10 })
    const options = { name: 'x', burst: 3, everyMs: 1000, what: 'reports', code: 'too_many' } as const
    const threads = [0, 1].map((thread) => rateLimiter(options, openSharing({ ...cells, thread })))
    for (let i = 0; i < 3; i++) threads[i % 2]!.take('a', 0)
    for (const limiter of threads) expect(refusal(limiter, 'a', 0)).to.equal('too_many 1')
    for (const limiter of threads) expect(refusal(limiter, 'b', 0)).to.equal('')
    expect(refusal(rateLimiter({ ...options, name: 'y' }, openSharing(cells)), 'a', 0)).to.equal('')
  })

  it('remembers callers at their limit in a full table, and forgets those who used least', () => {
    const sharing = openSharing(newSharingCells({ threads: 2, maxConnections: 10 }))
    const limiter = rateLimiter({ name: 'x', burst: 2, everyMs: 1000, what: 'reports', code: 'too_many' }, sharing)
    limiter.charge('a', 0, 5)
    for (let i = 0; i <= MAX_CALLERS; i++) limiter.charge(`b${i}`, 0)
    expect(sharing.callers.size).to.be.below(MAX_CALLERS)
    expect(refusal(limiter, 'a', 0)).to.equal('too_many 4')
  })
})
