import type { Segment } from '../../domain/segments/types.ts'

/** The last count of a segment as people read it: `240`, `about 51000`, or `-` when nobody has counted it. */
export function sizeInWords({ size, isSizeEstimated }: Pick<Segment, 'size' | 'isSizeEstimated'>): string {
  if (size === null) return '-'
  return isSizeEstimated ? `about ${size}` : String(size)
}
