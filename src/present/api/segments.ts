import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { Segment, SegmentPreview } from '../../domain/segments/types.ts'
import { plainUtc } from '../../platform/time/clock.ts'
import { answerOf, count, free, integer, list, object, oneOf, pageOf, plainTime, string } from '../schema.ts'

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

export const segment = answerOf<typeof presentSegment>('Segment', {
  id: integer,
  appId: integer,
  uuid: string,
  name: string,
  filter: free,
  createdAt: plainTime,
  updatedAt: plainTime,
})
export const segmentPage = pageOf('segments', segment)

export const segmentPreview = answerOf<typeof presentSegmentPreview>('SegmentPreview', {
  total: count,
  platforms: { type: 'object', additionalProperties: count },
  first: list(
    object({ installId: string, userId: string, platform: oneOf(Object.keys(PLATFORM_TYPES)) }, 'MatchingInstall'),
  ),
})
