import { type Base, once } from '../../platform/wiring.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import { segmentsRepository } from './repository.ts'
import { type Geofences, type SegmentsParts, segmentsService } from './service.ts'

export type SegmentsWire = ReturnType<typeof wireSegments>

interface Needs {
  channels: () => ChannelsWire
  geofences: () => Geofences
  awaitedBy: NonNullable<SegmentsParts['awaitedBy']>
}

/** Segments: named filters over installs and their users. */
export function wireSegments({ sql, clock }: Base, { channels, geofences, awaitedBy }: Needs) {
  const segments = once(() =>
    segmentsService({
      sql,
      repo: segmentsRepository(sql),
      channels: channels().channels(),
      geofences: geofences(),
      awaitedBy,
      clock,
    }),
  )
  return { segments }
}
