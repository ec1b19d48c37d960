import { expect } from 'chai'
import { type Attempt, backOff, waitAfter } from '../../../clients/server/src/retry.ts'

describe('what follows an attempt of the client for servers', () => {
  const attempt = (more: Partial<Attempt> = {}): Attempt => ({
    number: 1,
    status: 503,
    retryAfter: null,
    isSafe: true,
    mayRun: false,
    ...more,
  })
  const wait = (more: Partial<Attempt>, retries = 3) => waitAfter(attempt(more), retries, 0)

  const CASES: readonly (readonly [what: string, attempt: Partial<Attempt>, ms: number | undefined])[] = [
    ['a 503 is repeated after half a second', {}, 500],
    ['a 502 of a proxy is repeated', { status: 502 }, 500],
    ['a 504 of a proxy is repeated', { status: 504 }, 500],
    ['a 504 of another call is not', { status: 504, isSafe: false }, undefined],
    ['its second repeat takes twice as long', { number: 2 }, 1000],
    ['there are as many repeats as were asked for', { number: 4 }, undefined],
    ['Retry-After is kept to', { retryAfter: '7' }, 7000],
    ['Retry-After of zero means at once', { retryAfter: '0' }, 0],
    ['a Retry-After beyond a minute is left to the caller', { retryAfter: '61' }, undefined],
    ['a Retry-After that is no time is none', { retryAfter: 'soon' }, 500],
    ['a date in the past means at once', { retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['a lost answer of a safe call is repeated', { status: undefined }, 500],
    ['a lost answer of another call is not', { status: undefined, isSafe: false }, undefined],
    ['a 503 of another call is not', { isSafe: false, retryAfter: '1' }, undefined],
    ['a 429 did nothing, so any call is repeated', { status: 429, isSafe: false, retryAfter: '2' }, 2000],
    ['a 409 is an answer', { status: 409 }, undefined],
    ['a 409 after a lost answer may mean that the first is still running', { status: 409, mayRun: true }, 500],
    ['a 500 is an answer', { status: 500 }, undefined],
    ['a 422 is an answer', { status: 422 }, undefined],
  ]
  for (const [what, given, ms] of CASES) it(what, () => expect(wait(given)).to.equal(ms))

  it('waits are never longer than half a minute, nor shorter than a quarter of a second', () => {
    for (const number of [1, 5, 50, 5000])
      for (const random of [0, 0.5, 0.999]) expect(backOff(number, random)).to.be.within(250, 30_000)
  })
})
