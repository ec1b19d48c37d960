import { boundsSchema } from '../../domain/geofences/schema.ts'
import type { CountedGeofence } from '../../domain/geofences/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, boolean, count, integer, list, pageOf, string, time } from '../schema.ts'

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

export const geofence = answerOf<typeof presentGeofence>('Geofence', {
  id: integer,
  name: string,
  isEnabled: boolean,
  boundsGeoJson: boundsSchema,
  tags: list(string),
  activationCount: count,
  activeUsers: count,
  appId: integer,
  createdAt: time,
  updatedAt: time,
})
export const geofencePage = pageOf('geofences', geofence)
