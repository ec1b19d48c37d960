import { expect } from 'chai'
import { pushTtl } from '../../../../src/domain/in-app/fan-out/linked-push.ts'

describe('the time to live of a linked push', () => {
  for (const [messageMs, defaultS, ms] of [
    [null, 60, 60_000],
    [59_999, 60, 59_999],
    [60_001, 60, 60_000],
    [0, 60, 0],
  ] as const) {
    it(`is ${ms} ms where the message has ${messageMs} ms and a push ${defaultS} s`, () => {
      expect(pushTtl(messageMs, defaultS)).to.equal(ms)
    })
  }
})
