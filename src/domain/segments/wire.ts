import { type Base, once } from '../../platform/wiring.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { MetricsWire } from '../metrics/wire.ts'
import { segmentsRepository } from './repository.ts'
import { type Geofences, type SegmentsParts, segmentsService } from './service.ts'
import { userSearchRepository } from './user-search.repository.ts'
import { userSearchService } from './user-search.service.ts'

export type SegmentsWire = ReturnType<typeof wireSegments>

interface Needs {
  channels: () => ChannelsWire
  metrics: () => MetricsWire
  geofences: () => Geofences
  awaitedBy: NonNullable<SegmentsParts['awaitedBy']>
}

/** Segments: named filters over installs and their users; and the search for users. */
export function wireSegments({ sql, clock }: Base, { channels, metrics, geofences, awaitedBy }: Needs) {
  const segments = once(() =>
    segmentsService({
      sql,
      repo: segmentsRepository(sql),
      channels: channels().channels(),
      metrics: metrics().metrics(),
      geofences: geofences(),
      awaitedBy,
      clock,
    }),
  )
  const userSearch = once(() =>
    userSearchService({
      sql,
      repo: userSearchRepository(sql),
      channels: channels().channels(),
      segments: segments(),
      clock,
    }),
  )
  return { segments, userSearch }
}
