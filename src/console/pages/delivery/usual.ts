import { formatNumber, formatShare } from '../../parts/numbers.ts'
import type { Report } from './words.ts'

/** Differences below this share of the usual are none. */
const SAME = 0.05

/** The share of openings beside the usual one, in a sentence; undefined where it cannot be told. */
export function usualInWords({
  usual,
  counts: { accepted, opened },
}: Pick<Report, 'usual' | 'counts'>): string | undefined {
  if (usual === null || accepted === 0) return undefined
  const { sends, openedShare } = usual
  const share = opened / accepted
  const how =
    Math.abs(share - openedShare) <= openedShare * SAME
      ? 'as usual'
      : share > openedShare
        ? 'above the usual'
        : 'below the usual'
  const usually = `usually ${formatShare(openedShare, 1)} of ${formatNumber(usual.accepted)} accepted`
  return `Opened by ${formatShare(opened, accepted)}, ${how}: ${usually}, the median of the ${sends} sends like it before.`
}
