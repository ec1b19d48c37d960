import { expect } from 'chai'
import { createPace } from '../../../../src/domain/notifications/deliver/pace.ts'

const MINUTE = 60_000
const STEP = 50

/** Sends as fast as the pace allows, `fastest` a second, against a quota in fixed windows. Returns what was taken in each minute. */
function sendAgainst(
  { count, windowMs, waitMs }: { count: number; windowMs: number; waitMs?: number },
  minutes: number,
  fastest: number,
): number[] {
  const pace = createPace()
  const taken = Array.from({ length: minutes }, () => 0)
  let left = count
  let windowEnds = windowMs
  let pausedUntil = 0
  for (let now = 0; now < minutes * MINUTE; now += STEP) {
    if (now >= windowEnds) {
      windowEnds += windowMs
      left = count
    }
    if (now < pausedUntil) continue
    const sent = pace.take((fastest * STEP) / 1000, now)
    for (let i = 0; i < Math.min(sent, left); i++) pace.accepted(now)
    taken[Math.floor(now / MINUTE)]! += Math.min(sent, left)
    if (sent > left) {
      const wait = waitMs ?? windowEnds - now
      pace.slowDown(now, wait)
      pausedUntil = now + wait
    }
    left = Math.max(0, left - sent)
  }
  return taken
}

const sum = (list: number[]) => list.reduce((total, n) => total + n, 0)

describe('the pace of a lane', () => {
  it('is unlimited until there is a reason', () => {
    const pace = createPace({ rampMs: MINUTE })
    expect(pace.take(1_000_000, 0)).to.equal(1_000_000)
    expect(pace.waitMs(0)).to.equal(0)
  })

  for (const [what, quota] of [
    ['a second', { count: 500, windowMs: 1000 }],
    ['a minute, with the time to wait', { count: 30_000, windowMs: MINUTE }],
    ['a minute, without: then we wait a minute', { count: 30_000, windowMs: MINUTE, waitMs: MINUTE }],
  ] as const) {
    it(`settles at 90 to 100 % of a quota by ${what}`, () => {
      const perMinute = (quota.count / quota.windowMs) * MINUTE
      const hours = sendAgainst(quota, 180, 2000)
      const settled = sum(hours.slice(60)) / 120 / perMinute
      expect(settled).to.be.within(0.9, 1)
    })
  }

  it('halves when the gateway complains, and only once for answers that were under way together', () => {
    const pace = createPace()
    for (let ms = 0; ms < 3000; ms += 10) pace.take(10, ms)
    for (let i = 0; i < 50; i++) pace.slowDown(3000 + i, 1000)
    let sent = 0
    for (let ms = 4000; ms < 14_000; ms += 10) sent += pace.take(10, ms)
    expect(sent / 10).to.be.within(450, 550)
  })

  it('does not grow while it is told to wait', () => {
    const pace = createPace()
    for (let ms = 0; ms < 3000; ms += 10) pace.take(10, ms)
    pace.slowDown(3000, 60 * MINUTE)
    let sent = 0
    const from = 3000 + 60 * MINUTE
    for (let ms = from; ms < from + 10_000; ms += 10) sent += pace.take(100, ms)
    expect(sent / 10).to.be.within(450, 550)
  })

  it('on a ramp begins with a small burst, gets faster evenly, and is unlimited at its end', () => {
    const pace = createPace({ rampMs: MINUTE })
    pace.warmUp(0)
    expect(pace.take(1000, 0)).to.equal(100)
    expect(pace.waitMs(0)).to.be.within(1, 2)
    const seconds = Array.from({ length: 60 }, (_, second) => {
      let sent = 0
      for (let ms = 10; ms <= 1000; ms += 10) sent += pace.take(1000, second * 1000 + ms)
      return sent
    })
    expect(seconds[0]).to.be.within(1000, 1200)
    expect(seconds[29]).to.be.within(5200, 5700)
    expect(seconds[58]).to.be.within(9500, 10_000)
    expect(pace.take(100_000, MINUTE)).to.equal(100_000)
  })

  it('has no ramp when it takes no time', () => {
    const pace = createPace({ rampMs: 0 })
    pace.warmUp(0)
    expect(pace.take(5000, 0)).to.equal(5000)
  })

  it('forgets a limit that limits nothing any more', () => {
    const pace = createPace()
    pace.take(100, 0)
    pace.slowDown(10, 0)
    expect(pace.take(5000, 30 * 24 * 60 * MINUTE)).to.equal(5000)
    expect(pace.waitMs(31 * 24 * 60 * MINUTE)).to.equal(0)
  })
})
