import { invalid } from '../../platform/errors.ts'
import type { GatheringHandler } from '../events/handlers.ts'
import { readPosition } from './schema.ts'
import type { GeofencesService, Report } from './service.ts'

/** Reports of positions (docs/reference/device-protocol.md section 12). Devices hold no geofences, so they report nothing else. */
export function geofenceEventHandlers(geofences: Pick<GeofencesService, 'move'>) {
  const moved: GatheringHandler<Report> = {
    read({ data, at }, { install, userIdentifier }) {
      const position = readPosition(data)
      if (!position) {
        throw invalid({ '': ['lat and lng must be numbers from -90 to 90 and from -180 to 180'] })
      }
      return { row: install.row, userIdentifier, position, at }
    },
    act: (appId, reports) => geofences.move(appId, reports),
  }
  return { 'k.engage.locationUpdated': moved }
}
