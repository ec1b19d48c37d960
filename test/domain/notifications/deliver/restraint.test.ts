import { expect } from 'chai'
import {
  isQuiet,
  reasonToLeaveOut,
  remember,
  takePermits,
} from '../../../../src/domain/notifications/deliver/restraint.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'

describe('restraint', () => {
  const HOUR = 3_600_000
  const at = (hour: number, minute = 0) => hour * 60 + minute

  describe('quiet hours', () => {
    const rows: [string, number, number, number, boolean][] = [
      ['inside a span within the day', at(9), at(17), at(12), true],
      ['before it', at(9), at(17), at(8, 59), false],
      ['at its first minute', at(9), at(17), at(9), true],
      ['at the minute it ends', at(9), at(17), at(17), false],
      ['late in a span over midnight', at(22), at(7), at(23), true],
      ['early in a span over midnight', at(22), at(7), at(6, 59), true],
      ['at the end of a span over midnight', at(22), at(7), at(7), false],
      ['by day outside a span over midnight', at(22), at(7), at(12), false],
      ['an empty span', at(9), at(9), at(9), false],
    ]
    for (const [what, from, to, minute, quiet] of rows) {
      it(`${quiet ? 'hold' : 'do not hold'} ${what}`, () => expect(isQuiet({ from, to }, minute)).to.equal(quiet))
    }

    it('count in the zone of the install', () => {
      const restraint = { quiet: { from: at(22), to: at(7) }, cap: null }
      const localMinute = (zone: string | null) => (zone === 'Asia/Tokyo' ? at(23) : at(14))
      const judge = (timezone: string | null) => reasonToLeaveOut(restraint, { timezone, sent: [] }, 0, localMinute)
      expect(judge('Asia/Tokyo')).to.equal(SLOT.quiet_hours)
      expect(judge(null)).to.equal(undefined)
    })
  })

  describe('the frequency cap', () => {
    const restraint = { quiet: null, cap: { count: 2, hours: 24 } }
    const now = 100 * HOUR
    const judge = (sent: number[]) => reasonToLeaveOut(restraint, { timezone: null, sent }, now, () => 0)

    it('lets through what stays within it', () => expect(judge([now - HOUR])).to.equal(undefined))
    it('holds what would go beyond it', () => expect(judge([now - HOUR, now - 23 * HOUR])).to.equal(SLOT.frequency_cap))
    it('rolls: what is older than its window does not count', () =>
      expect(judge([now - HOUR, now - 24 * HOUR])).to.equal(undefined))

    it('remembers no more sends than it needs', () => {
      expect(remember([now - 30 * HOUR, now - 3, now - 2], now, restraint.cap)).to.eql([now - 2, now])
    })
  })

  it('is off unless set', () => {
    expect(reasonToLeaveOut({ quiet: null, cap: null }, { timezone: null, sent: [1, 2, 3] }, 5, () => 0)).to.equal(
      undefined,
    )
  })

  describe('a rate limit', () => {
    it('lets a second’s worth go at once and then no more', () => {
      const first = takePermits(10, 0, 100, 5000)
      expect(first.granted).to.equal(10)
      expect(takePermits(10, first.usedUntil, 100, 5000).granted).to.equal(0)
    })

    it('gives a permit back every so often', () => {
      const { usedUntil } = takePermits(10, 0, 100, 5000)
      expect(takePermits(10, usedUntil, 100, 5099).granted).to.equal(0)
      expect(takePermits(10, usedUntil, 100, 5100).granted).to.equal(1)
      expect(takePermits(10, usedUntil, 100, 5500).granted).to.equal(5)
    })

    for (const perSecond of [1, 3, 7, 333, 5000]) {
      it(`never gives more than ${perSecond} a second over a long time, and hardly less`, () => {
        let usedUntil = 0
        let sent = 0
        for (let now = 10_000; now <= 70_000; now += 37) {
          const taken = takePermits(perSecond, usedUntil, 1000, now)
          usedUntil = taken.usedUntil
          sent += taken.granted
        }
        expect(sent).to.be.at.most(perSecond * 61)
        expect(sent).to.be.at.least(Math.floor(perSecond * 57))
      })
    }
  })
})
