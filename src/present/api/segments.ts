import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { Segment, SegmentPreview } from '../../domain/segments/types.ts'
import {
  answer,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  pageOf,
  plainTime,
  string,
  time,
  told,
} from '../schema.ts'
import {
  APP_ID,
  CREATED_AT,
  GEOFENCE_NAME,
  ID,
  OF_INSTALL,
  OF_USER,
  TOKEN_PLATFORM,
  UPDATED_AT,
  UUID,
} from '../words.ts'

interface SizedSegment {
  size: number
  isSizeEstimated: boolean
  sizedAt: number
}
const isSized = (segment: Segment): segment is Segment & SizedSegment => segment.size !== null

/** A segment with its filter as it was given. */
export const segment = answer<Segment>()('Segment', 'A named filter over installs and their users.', {
  id: told(integer, ID),
  appId: told(integer, APP_ID),
  uuid: told(string, UUID),
  name: told(string, GEOFENCE_NAME, 'On iOS'),
  filter: told(free, 'The filter as it was written; see `docs/segments.md`.', {
    field: 'os',
    op: 'equals',
    value: 'iOS',
  }),
  size: told(
    nullable(
      answer<SizedSegment>()('SegmentSize', 'How many installs matched when they were last counted.', {
        total: told(count, 'Installs that pushes reach and that matched.', 240, ({ size }) => size),
        isEstimate: told(
          boolean,
          'Whether the number is estimated from a sample.',
          false,
          ({ isSizeEstimated }) => isSizeEstimated,
        ),
        countedAt: told(time, 'When they were counted.', '2026-03-01T12:00:00+0000', ({ sizedAt }) => sizedAt),
      }),
    ),
    'The last count; null when nobody has counted them since the filter changed.',
    (segment: Segment) => (isSized(segment) ? segment : null),
  ),
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentSegment = segment.present
export const segmentPage = pageOf('segments', 'One page of segments.', 'The segments of this page.', segment)

/** Subscribed installs that match a segment now: their number, by platform, and the first of them. */
export const segmentPreview = answer<SegmentPreview>()('SegmentPreview', 'The subscribed installs that match now.', {
  total: told(count, 'Number of matching installs.', 240),
  platforms: told({ type: 'object', additionalProperties: count }, 'Number of matching installs by platform.', {
    ios: 240,
  }),
  first: told(
    list(
      object('MatchingInstall', 'An install that matches.', {
        installId: told(string, OF_INSTALL),
        userId: told(string, OF_USER),
        platform: told(oneOf(Object.keys(PLATFORM_TYPES)), TOKEN_PLATFORM),
      }),
    ),
    'The first of them.',
    ({ first }) =>
      first.map(({ installId, userIdentifier, platform }) => ({ installId, userId: userIdentifier, platform })),
  ),
})
export const presentSegmentPreview = segmentPreview.present
