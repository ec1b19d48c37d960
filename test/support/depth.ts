/**
 * Depth of a run of tests. `daily` is `npm test`, which notices what a change breaks. `whole` is for a change before it
 * lands (`.ci/run`, `npm test -- --whole`): besides, doors on both databases and the whole handbook. `long` is for a
 * release (`npm run test:long`): besides, hundreds of kills and races, growth, and fresh seeds.
 */
export type Depth = 'daily' | 'whole' | 'long'

const DEPTHS: readonly Depth[] = ['daily', 'whole', 'long']

/** The variable by which run.ts tells its children. */
export const DEPTH_VARIABLE = 'MOCHA_DEPTH'

/** The depth of this run. */
export const depth: Depth = DEPTHS.find((one) => one === process.env[DEPTH_VARIABLE]) ?? 'daily'

/** Tells whether the run does everything of a run of this depth. */
export const reaches = (least: Depth): boolean => DEPTHS.indexOf(depth) >= DEPTHS.indexOf(least)

/** A number by the depth: without one for `whole`, that of `daily`; without one for `long`, that of `whole`. */
export function many(daily: number, { whole = daily, long = whole }: { whole?: number; long?: number }): number {
  return { daily, whole, long }[depth]
}
