import { expect } from 'chai'
import type { DayRow, HourRow, StateRow, StatisticsRepository } from '../../../src/domain/statistics/repository.ts'
import { statisticsService } from '../../../src/domain/statistics/service.ts'
import { testClock } from '../../support/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.parse('2026-03-01T12:30:00Z')

describe('figures of counted rows', () => {
  /** The service over these rows, and what it asked for. */
  function serviceOf(rows: { hours?: HourRow[]; days?: DayRow[]; installs?: StateRow[] }) {
    const asked: unknown[] = []
    const answer =
      <T>(found: T[] = []) =>
      async (...args: unknown[]) => {
        asked.push(args)
        return found
      }
    const repo = {
      hours: answer(rows.hours),
      days: answer(rows.days),
      installs: answer(rows.installs),
      forget: answer(),
    }
    const service = statisticsService({ repo: repo as unknown as StatisticsRepository, clock: testClock(NOW) })
    return { service, asked }
  }
  const hour = (at: string, more: Partial<HourRow> = {}): HourRow => ({
    hour: Date.parse(at) / HOUR_MS,
    platform: 2,
    accepted: 1,
    failed: 0,
    expired: 0,
    cancelled: 0,
    skipped: 0,
    unknown: 0,
    delivered: 0,
    opened: 0,
    dismissed: 0,
    ...more,
  })

  it('are of the day that an hour is in the zone, of the days that are asked for, today included', async () => {
    const hours = ['2026-02-26T23:00Z', '2026-02-27T10:00Z', '2026-02-28T11:00Z', '2026-03-01T12:00Z'].map((at) =>
      hour(at),
    )
    const daysIn = async (zone: string, days: number) => {
      const { days: found, total } = await serviceOf({ hours }).service.pushDays(1, { days, zone })
      return [...found.map(({ day, accepted }) => `${day} ${accepted}`), total.accepted]
    }
    expect(await daysIn('UTC', 3)).to.deep.equal(['2026-02-27 1', '2026-02-28 1', '2026-03-01 1', 3])
    expect(await daysIn('Pacific/Kiritimati', 3)).to.deep.equal(['2026-02-28 1', '2026-03-01 1', '2026-03-02 1', 3])
    expect(await daysIn('Pacific/Honolulu', 2)).to.deep.equal(['2026-02-28 1', '2026-03-01 1', 2])
    expect(await daysIn('UTC', 1)).to.deep.equal(['2026-03-01 1', 1])
  })

  it('are of fourteen days, unless somebody asks for others, and reach a day further back for zones', async () => {
    const { service, asked } = serviceOf({})
    expect((await service.pushDays(1)).days).to.have.length(14)
    expect((await service.linkDays(1)).days).to.have.length(14)
    expect((await service.pushDays(1, { days: 90 })).days).to.have.length(90)
    const day = Math.floor(NOW / DAY_MS)
    expect(asked).to.deep.equal([
      [1, { from: Math.floor(NOW / HOUR_MS) - 14 * 24 - 24 }],
      [1, undefined, day - 13],
      [1, { from: Math.floor(NOW / HOUR_MS) - 90 * 24 - 24 }],
    ])
    for (const days of [0, 91, 1.5, -1]) {
      for (const refused of [service.pushDays(1, { days }), service.linkDays(1, { days })]) {
        const error = await refused.catch((thrown: unknown) => thrown)
        expect(error, String(days)).to.have.nested.property('details.fields.days')
      }
    }
  })

  it('are kept a day longer than anybody can ask for, and changes of installs for a year', async () => {
    const { service, asked } = serviceOf({})
    await service.forget(7)
    const day = Math.floor(NOW / DAY_MS) - 91
    expect(asked).to.deep.equal([[{ day, hour: day * 24, changesDay: day + 91 - 366 }, 7]])
  })

  it('of a push count its hours from the first, and its platforms in their order, those without one last', async () => {
    const hours = [
      hour('2026-03-01T09:00Z', { platform: 0, skipped: 2, accepted: 0 }),
      hour('2026-03-01T09:00Z', { platform: 2, delivered: 1 }),
      hour('2026-03-01T11:00Z', { platform: 1, accepted: 4, opened: 3, dismissed: 1 }),
    ]
    const course = await serviceOf({ hours }).service.pushCourse(1, 5)
    expect(course.hours).to.deep.equal([
      { at: Date.parse('2026-03-01T09:00Z'), hour: 0, accepted: 1, delivered: 1, opened: 0, dismissed: 0 },
      { at: Date.parse('2026-03-01T11:00Z'), hour: 2, accepted: 4, delivered: 0, opened: 3, dismissed: 1 },
    ])
    expect(course.platforms.map(({ platform, accepted, skipped }) => [platform, accepted, skipped])).to.deep.equal([
      ['ios', 4, 0],
      ['android', 1, 0],
      [null, 0, 2],
    ])
    expect(await serviceOf({}).service.pushCourse(1, 5)).to.deep.equal({ hours: [], platforms: [] })
  })

  it('of links name platforms and routes by clicks and matches together, the most first', async () => {
    const today = Math.floor(NOW / DAY_MS)
    const row = (day: number, platform: string, route: string, clicks: number, matches: number): DayRow => ({
      day,
      platform,
      route,
      clicks,
      matches,
    })
    const days = [
      row(today - 1, 'ios', 'jump', 1, 0),
      row(today - 1, 'android', 'slug', 0, 4),
      row(today, 'desktop', 'jump', 3, 0),
      row(today, 'ios', 'jump', 1, 1),
    ]
    const found = await serviceOf({ days }).service.linkDays(1, { days: 2, linkId: 9 })
    expect(found).to.deep.equal({
      days: [
        { day: '2026-02-28', clicks: 1, matches: 4 },
        { day: '2026-03-01', clicks: 4, matches: 1 },
      ],
      platforms: [
        { platform: 'android', clicks: 0, matches: 4 },
        { platform: 'ios', clicks: 2, matches: 1 },
        { platform: 'desktop', clicks: 3, matches: 0 },
      ],
      routes: [
        { route: 'jump', clicks: 5, matches: 1 },
        { route: 'slug', clicks: 0, matches: 4 },
      ],
      total: { clicks: 5, matches: 5 },
    })
  })

  it('of installs add up what pushes reach, and name no platform without any', async () => {
    const installs: StateRow[] = [
      { platform: 0, state: 3, installs: 2 },
      { platform: 1, state: 1, installs: 5 },
      { platform: 1, state: 2, installs: 1 },
      { platform: 2, state: 1, installs: 0 },
      { platform: 3, state: 2, installs: 1 },
    ]
    expect(await serviceOf({ installs }).service.installs(1)).to.deep.equal({
      total: 9,
      reachable: 5,
      off: 2,
      withoutToken: 2,
      platforms: [
        { platform: 'ios', total: 6, reachable: 5, off: 1, withoutToken: 0 },
        { platform: 'web', total: 1, reachable: 0, off: 1, withoutToken: 0 },
        { platform: null, total: 2, reachable: 0, off: 0, withoutToken: 2 },
      ],
    })
  })
})
