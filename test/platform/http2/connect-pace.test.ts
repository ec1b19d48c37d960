import { expect } from 'chai'
import { ConnectPace } from '../../../src/platform/http2/connect-pace.ts'

describe('the pace of connecting', () => {
  it('allows a burst, then one attempt a second', () => {
    const pace = new ConnectPace(3)
    for (let i = 0; i < 3; i++) {
      expect(pace.wait(1000)).to.equal(0)
      pace.started(1000)
    }
    expect(pace.wait(1000)).to.equal(1000)
    expect(pace.wait(1600)).to.be.closeTo(400, 0.001)
    expect(pace.wait(2000)).to.equal(0)
    expect(pace.wait(1_000_000)).to.equal(0)
  })

  it('pauses after failures for 0.5 to 1 s, doubling up to 60 s', () => {
    for (const [random, firsts, last] of [
      [0, [500, 1000, 2000, 4000], 30_000],
      [1, [1000, 2000, 4000, 8000], 60_000],
    ] as const) {
      const pace = new ConnectPace(10, () => random)
      for (const pause of firsts) {
        pace.failed(0)
        expect(pace.backoff(0)).to.equal(pause)
      }
      for (let i = 0; i < 100; i++) pace.failed(0)
      expect(pace.backoff(0)).to.equal(last)
      expect(pace.backoff(last - 1)).to.equal(1)
      expect(pace.backoff(last + 1)).to.equal(0)
    }
  })

  it('forgives one session that was cut short, not two in a row', () => {
    const pace = new ConnectPace(10, () => 1)
    pace.cutShort(0)
    expect(pace.backoff(0)).to.equal(0)
    pace.cutShort(0)
    expect(pace.backoff(0)).to.equal(1000)
    pace.answered()
    expect(pace.backoff(0)).to.equal(0)
    pace.cutShort(0)
    expect(pace.backoff(0)).to.equal(0)
  })

  it('a peer that always fails sees at most one attempt a second on average', () => {
    for (const random of [0, 0.5, 1]) {
      const pace = new ConnectPace(10, () => random)
      let attempts = 0
      for (let now = 0; now < 60_000; now += 10) {
        if (pace.backoff(now) > 0 || pace.wait(now) > 0) continue
        pace.started(now)
        pace.failed(now)
        attempts++
      }
      expect(attempts).to.be.at.most(9)
    }
  })
})
