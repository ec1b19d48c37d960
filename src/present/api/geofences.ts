import { boundsSchema } from '../../domain/geofences/schema.ts'
import type { CountedGeofence } from '../../domain/geofences/types.ts'
import { answer, boolean, count, integer, list, pageOf, string, time, told, type Words } from '../schema.ts'
import { APP_ID, CREATED_AT, GEOFENCE_NAME, ID, UPDATED_AT } from '../words.ts'

const BOUNDS_GEO_JSON: Words = [
  'Where it is.',
  { type: 'Feature', geometry: { type: 'Point', coordinates: [13.4, 52.5] }, properties: { radius: 250 } },
]

/** The contract's Geofence. */
export const geofence = answer<CountedGeofence>()('Geofence', 'A circle or polygon on the map.', {
  id: told(integer, ID),
  name: told(string, GEOFENCE_NAME, 'Office'),
  isEnabled: told(boolean, 'Whether it is enabled. Nobody is inside a disabled geofence.', true),
  boundsGeoJson: told(boundsSchema, BOUNDS_GEO_JSON),
  tags: told(list(string), 'Tags by which notifications can target it.', ['work']),
  activationCount: told(count, 'How often it was entered since it was created.', 12),
  activeUsers: told(count, 'Number of users inside, by their last known position.', 3),
  appId: told(integer, APP_ID),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
})
export const presentGeofence = geofence.present
export const geofencePage = pageOf('geofences', 'One page of geofences.', 'The geofences of this page.', geofence)
