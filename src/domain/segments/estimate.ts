import type { Knex } from 'knex'
import { type Pace, unhurried } from '../../platform/long-reads/pace.ts'
import { PLATFORM_TYPES, type Platform } from '../gateways/registry.ts'
import type { Stretch } from './repository.ts'
import type { SegmentEstimate } from './types.ts'

/** Installs up to which all are checked; beyond, stretches at even distances. */
const WHOLE_UP_TO = 50_000
/** Of a sample: how many installs are checked in all, and in one statement. */
const SAMPLE = 30_000
const STRETCH_SIZE = 500
/** Installs that one statement of a count of all checks. */
const WHOLE_STRETCH = 2000
/** Number of installs that are shown: in all, and of one platform. */
const MAX_SHOWN = 6
const SHOWN_OF_PLATFORM = 3

/** What is needed to estimate: the statements of the segments' repository. */
interface Reads {
  count(
    stretch: Stretch,
    size: number,
    condition: Knex.Raw,
  ): Promise<{ last: number | null; seen: number; matching: number }>
  firstOf(
    stretch: Stretch,
    size: number,
    condition: Knex.Raw,
    limit: number,
  ): Promise<{ installId: string; userIdentifier: string }[]>
  edges(appId: number, platform: number): Promise<{ first: number; last: number } | undefined>
}

/** What was checked of one platform. */
interface Checked {
  platform: Platform
  /** Subscribed installs, as they are counted when they change. */
  reachable: number
  seen: number
  matching: number
  isWhole: boolean
}

interface Step {
  platform: Platform
  after: number
  /** How far along its platform it is, from 0 to 1: steps are taken in this order, so that each platform has its share when the time is over. */
  place: number
}

/**
 * How many subscribed installs match, quickly: all are checked in a small app, a sample of them in a large one. What the time of `pace`
 * leaves unchecked is estimated from what was checked. Undefined when there was no time to check any.
 *
 * @param reachable Subscribed installs by platform, as they are kept.
 */
export async function estimate(
  repo: Reads,
  { appId, condition, reachable }: { appId: number; condition: Knex.Raw; reachable: ReadonlyMap<Platform, number> },
  pace: Pace = unhurried,
): Promise<SegmentEstimate | undefined> {
  const all = [...reachable.values()].reduce((sum, one) => sum + one, 0)
  const checked = new Map<Platform, Checked>()
  const first: SegmentEstimate['first'] = []

  async function check({ platform, after }: Pick<Step, 'platform' | 'after'>, size: number) {
    const stretch = { appId, platform: PLATFORM_TYPES[platform], after }
    const found = await repo.count(stretch, size, condition)
    const of = checked.get(platform)!
    of.seen += found.seen
    of.matching += found.matching
    const shown = first.filter((one) => one.platform === platform).length
    const wanted = Math.min(MAX_SHOWN - first.length, SHOWN_OF_PLATFORM - shown)
    if (found.matching > 0 && wanted > 0) {
      const matches = await repo.firstOf(stretch, size, condition, wanted)
      first.push(...matches.map((match) => ({ ...match, platform })))
    }
    return found
  }

  /** False when the time is over. */
  async function checkWhole(platform: Platform): Promise<boolean> {
    for (let after = 0; ; ) {
      if (!(await pace.turn())) return false
      const { seen, last } = await check({ platform, after }, WHOLE_STRETCH)
      if (seen < WHOLE_STRETCH) break
      after = last!
    }
    checked.get(platform)!.isWhole = true
    return true
  }

  const steps: Step[] = []
  const small: Platform[] = []
  for (const [platform, count] of reachable) {
    if (count === 0) continue
    checked.set(platform, { platform, reachable: count, seen: 0, matching: 0, isWhole: false })
    const share = Math.ceil((SAMPLE * count) / all / STRETCH_SIZE)
    const edges =
      all > WHOLE_UP_TO && count > share * STRETCH_SIZE ? await repo.edges(appId, PLATFORM_TYPES[platform]) : undefined
    if (edges === undefined) small.push(platform)
    else steps.push(...stepsThrough(platform, share, edges))
  }
  steps.sort((a, b) => a.place - b.place)
  let isInTime = true
  for (const step of steps) {
    isInTime &&= await pace.turn()
    if (!isInTime) break
    await check(step, STRETCH_SIZE)
  }
  for (const platform of small) isInTime &&= await checkWhole(platform)
  return summed([...checked.values()], first)
}

/** Places at even distances between the first and the last row. */
function stepsThrough(platform: Platform, count: number, { first, last }: { first: number; last: number }): Step[] {
  return Array.from({ length: count }, (_, i) => {
    const place = i / count
    return { platform, place, after: first - 1 + Math.floor((last - first + 1) * place) }
  })
}

/** Each platform in the proportion of what was checked of it; one of which nothing was checked, in that of all. */
function summed(checked: readonly Checked[], first: SegmentEstimate['first']): SegmentEstimate | undefined {
  const sum = (of: (one: Checked) => number) => checked.reduce((all, one) => all + of(one), 0)
  const examined = sum(({ seen }) => seen)
  const isWhole = checked.every((one) => one.isWhole)
  if (examined === 0 && !isWhole) return undefined
  const share = examined === 0 ? 0 : sum(({ matching }) => matching) / examined
  const platforms: SegmentEstimate['platforms'] = {}
  for (const { platform, reachable, seen, matching, ...one } of checked) {
    const number = one.isWhole ? matching : Math.round(reachable * (seen > 0 ? matching / seen : share))
    if (number > 0) platforms[platform] = number
  }
  const total = Object.values(platforms).reduce((all, one) => all + one, 0)
  return { total, platforms, first, examined, of: sum(({ reachable }) => reachable), isEstimate: !isWhole }
}
