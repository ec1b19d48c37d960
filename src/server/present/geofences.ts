import type { CountedGeofence } from '../../domain/geofences/types.ts'
import { isoOffset } from '../../platform/clock.ts'

/** The contract's Geofence. */
export function presentGeofence(geofence: CountedGeofence) {
  const { id, appId, name, isEnabled, boundsGeoJson, tags, activationCount, activeUsers } = geofence
  return {
    id,
    name,
    isEnabled,
    boundsGeoJson,
    tags,
    activationCount,
    activeUsers,
    appId,
    createdAt: isoOffset(geofence.createdAt),
    updatedAt: isoOffset(geofence.updatedAt),
  }
}
