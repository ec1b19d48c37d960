import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Platform } from '../../../src/domain/gateways/registry.ts'
import { estimate } from '../../../src/domain/segments/estimate.ts'
import type { Stretch } from '../../../src/domain/segments/repository.ts'
import type { Pace } from '../../../src/platform/long-reads/pace.ts'

/** Rows 1 to `count` on every platform, of which those that `matches` match. */
function world(count: number, matches: (row: number) => boolean) {
  let statements = 0
  let most = 0
  return {
    told: () => ({ statements, most }),
    repo: {
      async count({ after }: Stretch, size: number) {
        statements += 1
        most = Math.max(most, size)
        const last = Math.min(count, after + size)
        let matching = 0
        for (let row = after + 1; row <= last; row++) if (matches(row)) matching += 1
        return { last: last > after ? last : null, seen: Math.max(0, last - after), matching }
      },
      firstOf: async ({ after }: Stretch) => [{ installId: `i${after}`, userIdentifier: `u${after}` }],
      edges: async () => ({ first: 1, last: count }),
    },
  }
}

const condition = undefined as unknown as Knex.Raw
const asked = (count: number, platforms: Platform[] = ['ios']) => ({
  appId: 1,
  condition,
  reachable: new Map(platforms.map((platform) => [platform, count])),
})
/** So many turns, and the time is over. */
function turns(left: number): Pace {
  return { turn: async () => left-- > 0, monotonic: () => 0, seconds: 1 }
}

describe('estimating how many installs match', () => {
  it('checks every install of a small app', async () => {
    const { repo } = world(5000, (row) => row % 10 === 0)
    expect(await estimate(repo, asked(5000))).to.deep.include({
      total: 500,
      platforms: { ios: 500 },
      examined: 5000,
      of: 5000,
      isEstimate: false,
    })
  })

  it('checks a sample of a large one, from its first to its last install', async () => {
    // Those that came first are others than those that came last.
    const { repo, told } = world(1_000_000, (row) => row <= 400_000)
    const found = (await estimate(repo, asked(1_000_000)))!
    expect(found).to.include({ isEstimate: true, of: 1_000_000, examined: 30_000 })
    expect(found.total).to.be.within(380_000, 420_000)
    expect(told().statements).to.be.at.most(60)
    expect(told().most).to.be.at.most(500)
  })

  it('gives each platform its share when the time is over', async () => {
    const { repo } = world(1_000_000, () => true)
    const found = (await estimate(repo, asked(1_000_000, ['ios', 'android']), turns(4)))!
    expect(found).to.include({ total: 2_000_000, isEstimate: true, examined: 2000 })
    expect(found.platforms).to.deep.equal({ ios: 1_000_000, android: 1_000_000 })
  })

  it('says an estimate of a small app, too, when the time is over', async () => {
    const { repo } = world(50_000, (row) => row % 2 === 0)
    expect(await estimate(repo, asked(50_000), turns(3))).to.include({
      total: 25_000,
      examined: 6000,
      isEstimate: true,
    })
  })

  it('says nothing without any time, and nobody where there are no installs', async () => {
    const { repo } = world(10, () => true)
    expect(await estimate(repo, asked(10), turns(0))).to.equal(undefined)
    expect(await estimate(repo, asked(0))).to.include({ total: 0, isEstimate: false })
  })
})
