import { invalid } from '../../platform/errors.ts'
import type { TypesOf } from '../events/event-types.ts'
import type { EventHandler } from '../events/handler.ts'
import { readPosition } from './schema.ts'
import type { GeofencesService, Report } from './service.ts'

/**
 * Positions of devices (docs/reference/device-protocol.md section 12). Devices do not report geofences: the server
 * works them out.
 */
export function createPositionHandler(
  geofences: Pick<GeofencesService, 'move'>,
): EventHandler<Report, TypesOf<'geofences'>> {
  return {
    read: {
      'k.engage.locationUpdated'({ data, at }, { install, userIdentifier }) {
        const position = readPosition(data)
        if (!position) {
          throw invalid({ '': ['lat and lng must be numbers from -90 to 90 and from -180 to 180'] })
        }
        return { row: install.row, userIdentifier, position, at }
      },
    },
    act: (appId, reports) => geofences.move(appId, reports),
  }
}
