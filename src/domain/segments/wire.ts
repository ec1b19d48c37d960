import { type Base, once } from '../../platform/wiring.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { MetricsWire } from '../metrics/wire.ts'
import type { StatisticsWire } from '../statistics/wire.ts'
import { segmentsRepository } from './repository.ts'
import { type Geofences, type SegmentsParts, segmentsService } from './service.ts'
import { suggestionsRepository } from './suggestions/repository.ts'
import { suggestionsService } from './suggestions/service.ts'
import { userSearchRepository } from './user-search/repository.ts'
import { userSearchService } from './user-search/service.ts'

export type SegmentsWire = ReturnType<typeof wireSegments>

interface Needs {
  channels: () => ChannelsWire
  metrics: () => MetricsWire
  geofences: () => Geofences
  awaitedBy: NonNullable<SegmentsParts['awaitedBy']>
  usedBy: SegmentsParts['usedBy']
  deleted: SegmentsParts['deleted']
  statistics: () => StatisticsWire
}

/** Segments: named filters over installs and their users; and the search for users. */
export function wireSegments(
  { sql, clock }: Base,
  { channels, metrics, geofences, awaitedBy, usedBy, deleted, statistics }: Needs,
) {
  const segments = once(() =>
    segmentsService({
      sql,
      repo: segmentsRepository(sql),
      channels: channels().channels(),
      metrics: metrics().metrics(),
      geofences: geofences(),
      awaitedBy,
      usedBy,
      deleted,
      async reachable(appId) {
        const { platforms } = await statistics().statistics().installs(appId)
        return new Map(platforms.flatMap(({ platform, reachable }) => (platform ? [[platform, reachable]] : [])))
      },
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
  const suggestions = once(() => suggestionsService({ repo: suggestionsRepository(sql) }))
  return { segments, userSearch, suggestions }
}
