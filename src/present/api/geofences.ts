import type { GeofenceImport } from '../../domain/geofences/files/import.ts'
import { boundsSchema } from '../../domain/geofences/schema.ts'
import type { CountedGeofence } from '../../domain/geofences/types.ts'
import {
  answer,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  pageOf,
  string,
  time,
  told,
  type Words,
} from '../schema.ts'
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

const IMPORTED = { feature: 0, name: 'Office', shape: 'circle', outcome: 'new', id: 7, problems: [] }

/** The features of a GeoJSON file, and what became of them. */
export const geofenceImport = answer<GeofenceImport>()(
  'GeofenceImport',
  'What became of the features of a GeoJSON file.',
  {
    created: told(count, 'Number of new geofences.', 1),
    existing: told(count, 'Number of features whose name and bounds a geofence has already; they are left alone.', 0),
    refused: told(count, 'Number of features that cannot be geofences.', 0),
    features: told(
      list(
        object(
          'ImportedFeature',
          'A feature of the file.',
          {
            feature: told(integer, 'Index in the file, from 0.', 0),
            name: told(nullable(string), 'Its name; null when it has none.', 'Office'),
            shape: told(nullable(oneOf(['circle', 'polygon'])), 'Null for a refused one.', 'circle'),
            outcome: told(
              oneOf(['new', 'existing', 'refused']),
              'New geofence, the same as one that exists, or none.',
              'new',
            ),
            id: told(nullable(integer), 'The new geofence; null for the others, and in a preview.', 7),
            problems: told(list(string), 'Every reason for refusing it.', []),
          },
          IMPORTED,
        ),
      ),
      'Every feature, in the order of the file.',
      [IMPORTED],
    ),
  },
  { created: 1, existing: 0, refused: 0, features: [IMPORTED] },
)
export const presentGeofenceImport = geofenceImport.present
