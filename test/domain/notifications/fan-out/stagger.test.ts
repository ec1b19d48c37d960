import { expect } from 'chai'
import { stagger } from '../../../../src/domain/notifications/fan-out/stagger.ts'

describe('pages of a notification with a rate limit', () => {
  it('begin when those in front of them are through, a second’s worth at once', () => {
    expect(stagger([1000, 1000, 500, 1000], 0, 100, 0)).to.deep.equal([0, 9000, 19_000, 24_000])
  })

  it('begin behind what waits already', () => {
    expect(stagger([100, 100], 300, 100, 5000)).to.deep.equal([7000, 8000])
  })

  it('all begin at once when a second is enough for them', () => {
    expect(stagger([10, 10, 10], 0, 50, 7)).to.deep.equal([7, 7, 7])
  })

  it('keep a rate that is no divisor of a second', () => {
    expect(stagger([10, 10, 10], 0, 3, 0)).to.deep.equal([0, 2333, 5666])
  })
})
