import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { CALLERS_LEFT, MAX_CALLERS, newSharingCells, openSharing } from '../../../src/platform/threads/sharing.ts'
import { type RateLimiter, rateLimiter } from '../../../src/server/limits/rate-limiter.ts'

/** Returns what `check` says: the code and for how long, or nothing. */
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

  it('remembers who owes something, however many others owe nothing any more', () => {
    const limiter = rateLimiter({ name: 'x', burst: 2, everyMs: 1000, what: 'reports', code: 'too_many' })
    limiter.charge('early', 0, 100)
    // Each of them owes nothing any more when the next ones come.
    for (let i = 0; i < 100_000; i++) limiter.charge(`passer-by ${i}`, i * 0.5)
    expect(refusal(limiter, 'early', 50_000)).to.equal('too_many 49')
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

  const memories = [
    { where: 'a memory of its own', most: 20_000, left: 15_000, open: () => undefined },
    {
      where: 'the table of all threads',
      most: MAX_CALLERS,
      left: CALLERS_LEFT,
      open: () => openSharing(newSharingCells({ threads: 2, maxConnections: 10 })),
    },
  ]
  for (const { where, most, left, open } of memories) {
    const full = (nameOf: (i: number) => string, owesOf: (i: number) => number) => {
      const sharing = open()
      const limiter = rateLimiter({ name: 'x', burst: 2, everyMs: 1000, what: 'reports', code: 'too_many' }, sharing)
      for (let i = 0; i < most; i++) limiter.charge(nameOf(i), 0, owesOf(i))
      return { limiter, sharing, isKnown: (who: string) => refusal(limiter, who, 0) !== '' }
    }

    it(`remembers ${most} callers in ${where}, and when one more comes, the ${left} who owe most`, () => {
      // From 2 to `most` + 1, in an order that is none: a prime.
      const owes = (i: number) => 2 + ((i * 7919) % most)
      const { limiter, isKnown } = full((i) => `owes ${owes(i)}`, owes)
      expect([2, 3, most + 1].map((debt) => isKnown(`owes ${debt}`))).to.deep.equal([true, true, true])
      limiter.charge('one more', 0, 2 * most)
      const least = most + 2 - (left - 1)
      expect(
        [2, least - 2, least - 1, least, least + 1, most + 1].map((debt) => isKnown(`owes ${debt}`)),
      ).to.deep.equal([false, false, false, true, true, true])
      expect(isKnown('one more')).to.equal(true)
    })

    it(`remembers ${left} of ${most + 1} callers in ${where} who all owe the same`, () => {
      const { limiter, sharing, isKnown } = full(
        (i) => `caller ${i}`,
        () => 3,
      )
      limiter.charge('the last', 0, 3)
      if (sharing) return expect(sharing.callers.size).to.equal(left)
      const known = Array.from({ length: most }, (_, i) => isKnown(`caller ${i}`))
      // Those who came last.
      expect(known.indexOf(true)).to.equal(most + 1 - left)
      expect(known.indexOf(false, most + 1 - left)).to.equal(-1)
    })
  }
})
