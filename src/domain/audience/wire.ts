import { type Base, once } from '../../platform/wiring.ts'
import { subscribedCondition } from '../channels/subscriptions.repository.ts'
import type { SegmentsWire } from '../segments/wire.ts'
import { audienceRepository } from './walk/audience.repository.ts'
import { createAudience } from './walk/install-walk.ts'
import { type Conditions, insideAny } from './walk/narrow.ts'

export type AudienceWire = ReturnType<typeof wireAudience>

/** Finds the installs and users that a target means at the moment. */
export function wireAudience({ sql, config, clock }: Base, { segments }: { segments: () => SegmentsWire }) {
  const maxAge = config['geofences.maxAge'] * 1000
  const conditions = once(
    (): Conditions => ({
      inSegment: (appId, segmentId, now) => segments().segments().condition(appId, segmentId, now),
      subscribed: (appId, channelIds) => subscribedCondition(sql, appId, channelIds),
      inside: (appId, fences, now) => insideAny(sql, appId, fences, { now, maxAge }),
    }),
  )
  const audience = once(() => createAudience({ repo: audienceRepository(sql), conditions: conditions(), clock }))
  return { audience }
}
