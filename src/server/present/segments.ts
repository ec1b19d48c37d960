import type { Segment, SegmentPreview } from '../../domain/segments/types.ts'
import { plainUtc } from '../../platform/clock.ts'

/** A segment with its filter as it was given. */
export function presentSegment({ id, appId, uuid, name, filter, createdAt, updatedAt }: Segment) {
  return { id, appId, uuid, name, filter, createdAt: plainUtc(createdAt), updatedAt: plainUtc(updatedAt) }
}

/** Whom a segment means now: how many subscribed installs, by platform, and the first of them. */
export function presentSegmentPreview({ total, platforms, first }: SegmentPreview) {
  return {
    total,
    platforms,
    first: first.map(({ installId, userIdentifier, platform }) => ({ installId, userId: userIdentifier, platform })),
  }
}
