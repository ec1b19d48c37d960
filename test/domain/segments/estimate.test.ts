import { expect } from 'chai'
import type { Knex } from 'knex'
import { PLATFORM_TYPES, type Platform } from '../../../src/domain/gateways/registry.ts'
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

  it('checks all of 50 000 installs, a sample of one more, and all of a small platform beside a large one', async () => {
    const examined = async (...counts: number[]) => {
      const platforms = (['ios', 'android'] as const).slice(0, counts.length)
      const reachable = new Map<Platform, number>(platforms.map((platform, i) => [platform, counts[i]!]))
      const { repo } = world(Math.max(...counts), () => true)
      const small = { ...repo, edges: async () => ({ first: 1, last: Math.max(...counts) }) }
      const found = await estimate(small, { appId: 1, condition, reachable })
      return [found!.examined, found!.isEstimate]
    }
    expect(await examined(50_000)).to.deep.equal([50_000, false])
    expect(await examined(50_001)).to.deep.equal([30_000, true])
    // In one statement for each 500; what a statement covers is no sample.
    expect(await examined(1_000_000, 500)).to.deep.equal([30_000 + 1_000_000, true])
  })

  it('takes what little it has seen for all, and of a platform that it has not seen, what it has seen of the others', async () => {
    /** A walk that sees one install of each platform in a stretch, and the first platform matches. */
    const thin = (seen: Platform[]) => ({
      count: async ({ platform }: Stretch) => {
        const sees = seen.some((name) => PLATFORM_TYPES[name] === platform)
        return { last: 1, seen: sees ? 1 : 0, matching: sees && platform === PLATFORM_TYPES.ios ? 1 : 0 }
      },
      firstOf: async () => [],
      edges: async () => ({ first: 1, last: 1_000_000 }),
    })
    const both = asked(1_000_000, ['ios', 'android'])
    expect(await estimate(thin(['ios', 'android']), both, turns(2))).to.include({ total: 1_000_000, examined: 2 })
    expect(await estimate(thin(['ios']), both, turns(2))).to.include({ total: 2_000_000, examined: 1 })
    expect((await estimate(thin(['android']), both, turns(2)))!.platforms).to.deep.equal({})
    expect(await estimate(thin([]), both, turns(2))).to.equal(undefined)
  })

  it('shows three installs of a platform and six in all, from stretches where some match', async () => {
    const wanted: number[] = []
    const found = await estimate(
      {
        ...world(50_000, () => true).repo,
        firstOf: async ({ platform }, _size, _condition, limit) => {
          wanted.push(limit)
          return Array.from({ length: Math.min(2, limit) }, (_, i) => ({
            installId: `${i}`,
            userIdentifier: `${platform}`,
          }))
        },
      },
      asked(10_000, ['ios', 'android', 'web']),
    )
    expect(wanted).to.deep.equal([3, 1, 3, 1])
    expect(found!.first.map(({ platform }) => platform)).to.deep.equal([
      ...Array(3).fill('ios'),
      ...Array(3).fill('android'),
    ])
    const { repo } = world(10_000, () => false)
    const nobody = { ...repo, firstOf: async () => expect.fail('nobody is looked for') }
    expect((await estimate(nobody, asked(10_000)))!.first).to.deep.equal([])
  })
})
