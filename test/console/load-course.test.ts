import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Course = typeof import('../../src/console/pages/operating/course.ts')

describe('charts of the load', () => {
  it('have a place for every span, also where nothing is known', async () => {
    const { spansOf, labelsOf } = await loadPure<Course>('pages/operating/course.ts')
    const point = { at: '2026-11-23T10:01:00+0000', accepted: 7 }
    const course = {
      from: '2026-11-23T10:00:00+0000',
      to: '2026-11-23T10:03:00+0000',
      spanSeconds: 60,
      points: [point],
    } as unknown as Parameters<Course['spansOf']>[0]
    const spans = spansOf(course)
    expect(spans.map(({ point: found }) => found?.accepted)).to.deep.equal([undefined, 7, undefined])
    expect(spans.map(({ at }) => at % 86_400_000)).to.deep.equal([36_000_000, 36_060_000, 36_120_000])
    for (const period of ['hour', 'day', 'week', 'month'] as const) {
      expect(labelsOf([spans[0]!.at], period)).to.have.length(1)
    }
  })

  it('write times that people count in, wherever a day begins', async () => {
    const { roundTimes } =
      await loadPure<typeof import('../../src/console/parts/round-times.ts')>('parts/round-times.ts')
    const MINUTE = 60_000
    const midnight = new Date(2026, 10, 23).getTime()
    const written = (first: number, step: number, count: number, every: number) => {
      const instants = Array.from({ length: count }, (_, i) => first + i * step)
      return instants.filter((_, i) => roundTimes(instants, every)(i)).map((at) => (at - midnight) / MINUTE)
    }
    expect(written(midnight + 90 * MINUTE, 15 * MINUTE, 96, 17)).to.deep.equal([360, 720, 1080, 1440])
    expect(written(midnight + 7 * MINUTE, MINUTE, 30, 8)).to.deep.equal([10, 20, 30])
    // A zone half an hour beside the spans: the first span of each step.
    expect(written(midnight + 30 * MINUTE, 60 * MINUTE, 7, 3)).to.deep.equal([210, 390])
    expect(written(midnight, 0, 1, 1)).to.deep.equal([0])
  })

  it('write rates and durations shortly, and know their periods', async () => {
    const { perMinute, shortSeconds, loadPeriodOf } = await loadPure<Course>('pages/operating/course.ts')
    expect([perMinute(5, 900), perMinute(90, 60), perMinute(0, 60)]).to.deep.equal([0.3, 90, 0])
    expect([0, 0.44, 7, 119, 120, 7199, 7200].map(shortSeconds)).to.deep.equal([
      '0',
      '0.4 s',
      '7 s',
      '119 s',
      '2 min',
      '120 min',
      '2 h',
    ])
    expect(['hour', 'month', 'year', null].map(loadPeriodOf)).to.deep.equal(['hour', 'month', 'day', 'day'])
  })
})
