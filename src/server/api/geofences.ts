import { readCollection } from '../../domain/geofences/files/collection.ts'
import { importFeatures, previewImport } from '../../domain/geofences/files/import.ts'
import {
  createGeofence,
  geofenceFile,
  geofenceImportPreview,
  geofenceImportQuery,
  geofencesPage,
  updateGeofence,
} from '../../domain/geofences/schema.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  geofence,
  geofenceImport,
  geofencePage,
  presentGeofence,
  presentGeofenceImport,
} from '../../present/api/geofences.ts'
import { CIRCLE, GEOJSON_FILE } from '../openapi/words/audience.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'

const SERVER = { area: 'messages', needs: 'server-key' } as const
const FILE = { bodyLimit: 'limits.dataBody', takes: 'GeofenceFile', sends: GEOJSON_FILE, body: geofenceFile } as const
const UNKNOWN = { 404: 'There is no such geofence' }

/** Geofences, for servers. */
export const geofenceRoutes: Route[] = [
  post('/v1/geofences', {
    ...SERVER,
    summary: 'Create a geofence: a circle or a polygon',
    description: 'A Point with `properties.radius` is a circle; a Polygon has `properties.orderAdded`.',
    takes: 'NewGeofence',
    sends: { name: 'Office', boundsGeoJson: CIRCLE, isEnabled: true, tags: ['work'] },
    scope: 'admin',
    body: createGeofence,
    status: 201,
    returns: geofence,
    run: async ({ tx, appId, body }) => presentGeofence(await tx.geofences.create(appId, body)),
  }),
  post('/v1/geofences/import', {
    ...SERVER,
    ...FILE,
    summary: 'Create geofences of the features of a GeoJSON file',
    description:
      'A Point with `properties.radius` becomes a circle, a Polygon (or a MultiPolygon of one) an area. The name is `properties.name` or ' +
      '`title`; `tags` and `isEnabled` are read too, and other properties are kept. At most 10 000 features. A feature with the name ' +
      'and the bounds of a geofence that exists is left alone, so a file may be imported again. All or nothing: one that cannot be a ' +
      'geofence refuses the file with 422, unless `skipRefused` is true; the answer then tells of each.',
    scope: 'admin',
    query: geofenceImportQuery,
    returns: geofenceImport,
    run: async ({ tx, appId, body, query }) => {
      const { known, createAll } = tx.geofences
      const { radius, skipRefused } = query
      const read = readCollection(body, radius)
      return presentGeofenceImport(await importFeatures(appId, read, { skipRefused, known, createAll }))
    },
  }),
  post('/v1/geofences/import/preview', {
    ...SERVER,
    ...FILE,
    summary: 'Look at what an import would do',
    description: 'Tells of each feature of a GeoJSON file what would become of it. Nothing is stored.',
    scope: 'read',
    query: geofenceImportPreview,
    transaction: false,
    returns: geofenceImport,
    run: async ({ tx, appId, body, query }) =>
      presentGeofenceImport(await previewImport(appId, readCollection(body, query.radius), tx.geofences.known)),
  }),
  get('/v1/geofences', {
    ...SERVER,
    summary: 'List geofences in the order of their creation',
    description: 'Returns geofences in the order of their creation.',
    scope: 'read',
    query: geofencesPage,
    returns: geofencePage,
    run: async ({ tx, appId, query }) => {
      const { geofences, next } = await tx.geofences.list(appId, query)
      return { geofences: geofences.map(presentGeofence), next }
    },
  }),
  get('/v1/geofences/:id', {
    ...SERVER,
    summary: 'Read a geofence',
    description: 'Includes how often it was entered and how many users are inside.',
    scope: 'read',
    also: UNKNOWN,
    returns: geofence,
    run: async ({ tx, appId, params }) => presentGeofence(await tx.geofences.get(appId, geofenceId(params))),
  }),
  put('/v1/geofences/:id', {
    ...SERVER,
    summary: 'Change a geofence',
    description: 'An absent field stays as it is. New bounds decide who is inside from the next reported position on.',
    takes: 'GeofenceChange',
    sends: { isEnabled: false },
    scope: 'admin',
    body: updateGeofence,
    also: UNKNOWN,
    returns: geofence,
    run: async ({ tx, appId, params, body }) =>
      presentGeofence(await tx.geofences.update(appId, geofenceId(params), body)),
  }),
  del('/v1/geofences/:id', {
    ...SERVER,
    summary: 'Delete a geofence',
    description: 'Its counts are deleted with it.',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.geofences.delete(appId, geofenceId(params)),
  }),
]

function geofenceId(params: Record<string, string>): number {
  return idSegment(params.id!, 'geofence')
}
