import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { instantFrom } from '../../parts/zones.ts'
import type { Report } from './words.ts'

/** Differences below this share of the usual are none. */
const SAME = 0.05
/** The time (ms) in which people still open it: fewer than usual means nothing before. */
const OPENING_MS = 24 * 3600 * 1000

/** The share of openings beside the usual one, in a sentence; undefined where it cannot be told. `now` in ms. */
export function usualInWords(
  {
    usual,
    counts: { accepted, opened },
    dueInstants,
    createdAt,
  }: Pick<Report, 'usual' | 'counts' | 'dueInstants' | 'createdAt'>,
  now: number,
): string | undefined {
  if (usual === null || accepted === 0) return undefined
  const { sends, openedShare } = usual
  const share = opened / accepted
  const how =
    Math.abs(share - openedShare) <= openedShare * SAME
      ? ', as usual'
      : share > openedShare
        ? ', above the usual'
        : now - instantFrom(dueInstants.at(-1)?.at ?? createdAt).getTime() < OPENING_MS
          ? ' so far'
          : ', below the usual'
  const usually = `usually ${formatShare(openedShare, 1)} of ${formatNumber(usual.accepted)} accepted`
  return `Opened by ${formatShare(opened, accepted)}${how}: ${usually}, the median of the ${sends} sends like it before.`
}
