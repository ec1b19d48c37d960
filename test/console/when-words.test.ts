import { expect } from 'chai'
import { whenInWords } from '../../src/console/pages/delivery/when-words.ts'
import { appZone, viewerZone } from '../../src/console/parts/zones.ts'
import { ownZone } from '../../src/console/state/app-zone.ts'

const NOW = Date.parse('2026-11-28T15:00:00Z')
const local = { strategy: 'local', sendAt: '2026-11-29 07:00', pastTimes: 'ignore' } as const

describe('the time of a scheduled push in words', () => {
  afterEach(() => {
    ownZone.value = null
  })

  it('at one moment is that of the clock of the app, where it has a zone that the browser knows', () => {
    const utc = { strategy: 'utc', sendAt: '2026-11-28 18:00', pastTimes: 'ignore' } as const
    ownZone.value = 'Asia/Tokyo'
    expect(whenInWords(utc)).to.match(/^November 29, 2026 at 3:00\sAM \(Asia\/Tokyo\)/)
    ownZone.value = 'Mars/Olympus_Mons'
    expect(appZone()).to.equal(viewerZone())
  })

  it('on the clock of each phone names the first and the last place', () => {
    const due = [
      { at: '2026-11-28T18:00:00+0000', zones: ['Pacific/Auckland', 'Antarctica/McMurdo'] },
      { at: '2026-11-29T06:00:00+0000', zones: ['Europe/Berlin'] },
      { at: '2026-11-29T17:00:00+0000', zones: ['Pacific/Honolulu'] },
    ]
    expect(whenInWords(local, due, NOW)).to.match(
      /^November 29, 2026 at 7:00\sAM on each phone’s clock: first in Auckland in 3 hours, last in Honolulu 23 hours later$/,
    )
    expect(whenInWords(local, due.slice(1, 2), NOW)).to.match(/clock: in Berlin in 15 hours$/)
    expect(whenInWords(local, [{ at: due[0]!.at, zones: [null] }], NOW)).to.match(
      /in places that are not known in 3 hours$/,
    )
    // Whoever may not count the audience knows the times alone.
    expect(
      whenInWords(
        local,
        due.map(({ at }) => ({ at })),
        NOW,
      ),
    ).to.match(/: first in 3 hours, last 23 hours later$/)
    expect(whenInWords(local)).to.match(/on each phone’s clock$/)
  })

  it('at one moment names the zone, and how long it is until then', () => {
    const due = [{ at: '2026-11-29T06:00:00+0000' }]
    const berlin = {
      strategy: 'timezone',
      timezone: 'Europe/Berlin',
      sendAt: '2026-11-29 07:00',
      pastTimes: 'ignore',
    } as const
    expect(whenInWords(berlin, due, NOW)).to.match(/^November 29, 2026 at 7:00\sAM \(Europe\/Berlin\): in 15 hours$/)
    const utc = { strategy: 'utc', sendAt: '2026-11-29 06:00', pastTimes: 'ignore' } as const
    expect(whenInWords(utc, due, Date.parse('2026-11-29T05:40:00Z'))).to.match(/: in 20 minutes$/)
    expect(whenInWords(utc, due, Date.parse('2026-11-01T06:00:00Z'))).to.match(/: in 28 days$/)
  })

  it('at the hour of each person says so', () => {
    expect(whenInWords(null)).to.equal('Within a day, at the hour at which each person is usually active')
    const day = { strategy: 'intelligent', sendAt: '2026-11-29', pastTimes: 'ignore' } as const
    expect(whenInWords(day, [{ at: '2026-11-29T06:00:00+0000' }], NOW)).to.equal(
      'November 29, 2026, at the hour at which each person is usually active',
    )
  })
})
