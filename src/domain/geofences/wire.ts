import { type Base, once } from '../../platform/wiring.ts'
import type { EventsWire } from '../events/wire.ts'
import type { Geofences } from '../segments/service.ts'
import { densityReader } from './density.ts'
import { createPositionHandler } from './event-handler.ts'
import { insideCondition, presenceRepository } from './presence.repository.ts'
import { geofencesRepository } from './repository.ts'
import { geofencesService } from './service.ts'

export type GeofencesWire = ReturnType<typeof wireGeofences>

/** Geofences, and the installs inside them. */
export function wireGeofences({ sql, config, clock }: Base, { events }: { events: () => EventsWire }) {
  const maxAge = config['geofences.maxAge'] * 1000
  const geofences = once(() =>
    geofencesService({
      repo: geofencesRepository(sql),
      presence: presenceRepository(sql),
      record: (appId, list) => events().events().recordAll(appId, list),
      clock,
      maxAge,
    }),
  )
  /** The functions of geofences that the filters of segments need. */
  const forSegments = once(
    (): Geofences => ({
      unknownIds: (appId, ids) => geofences().unknownIds(appId, ids),
      insideCondition: (appId, geofenceIds, now) => insideCondition(sql, { appId, geofenceIds, now, maxAge }),
    }),
  )
  const density = once(() => densityReader(presenceRepository(sql)))
  const eventHandler = once(() => createPositionHandler(geofences()))
  return { geofences, density, forSegments, eventHandler }
}
