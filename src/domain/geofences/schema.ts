import {
  checked,
  decimal,
  documented,
  flag,
  integer,
  type JsonSchema,
  judged,
  list,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { judgeBounds, MAX_RADIUS } from './shape/bounds.ts'
import type { BoundsFeature, Position } from './types.ts'

/** Maximum length of a name and of a tag in code points. */
const MAX_LENGTH = 255
const MAX_TAGS = 100

const lngLat = { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], minItems: 2, maxItems: 2 }

/** The two shapes as a JSON schema. GeoJSON allows members that it does not define. */
export const boundsSchema = {
  anyOf: [
    feature('Circle', 'Point', lngLat, {
      properties: { radius: { type: 'number', exclusiveMinimum: 0, maximum: MAX_RADIUS } },
      required: ['radius'],
    }),
    feature(
      'Polygon',
      'Polygon',
      { type: 'array', minItems: 1, items: { type: 'array', minItems: 4, items: lngLat } },
      {
        properties: {
          orderAdded: { type: 'array', items: { type: 'integer', minimum: 0 } },
          markerLocation: lngLat,
        },
        required: ['orderAdded'],
      },
    ),
  ],
}

const bounds = documented(checked<BoundsFeature>(judgeBounds), boundsSchema)

/** The schema of one of the two shapes. */
function feature(title: string, type: string, coordinates: JsonSchema, properties: JsonSchema): JsonSchema {
  return {
    title,
    type: 'object',
    additionalProperties: true,
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { const: 'Feature' },
      geometry: {
        type: 'object',
        additionalProperties: true,
        required: ['type', 'coordinates'],
        properties: { type: { const: type }, coordinates },
      },
      properties: { type: 'object', additionalProperties: true, ...properties },
    },
  }
}

const fields = { isEnabled: flag(), tags: list(text({ max: MAX_LENGTH }), { max: MAX_TAGS }) }

/** Body of creating a geofence: name and bounds are required; it is enabled by default. */
export const createGeofence = shape({
  name: text({ max: MAX_LENGTH }).defined(),
  boundsGeoJson: bounds.required(),
  ...fields,
}).required()

/** Body of changing a geofence: absent fields are left unchanged. */
export const updateGeofence = shape({ name: text({ max: MAX_LENGTH }), boundsGeoJson: bounds, ...fields }).required()

/** Query of lists: `after` is the `next` of the previous page. */
export const geofencesPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** Body of an import: a GeoJSON file, which `readCollection` reads. */
export const geofenceFile = documented(
  checked<unknown>(() => ({})),
  {
    type: 'object',
    description: 'A GeoJSON FeatureCollection, or a Feature',
  },
).required()

const pointRadius = decimal({ max: MAX_RADIUS }).moreThan(0, 'must be more than 0')

/** Query of the look at an import: `radius` in metres, of points that have none. */
export const geofenceImportPreview = shape({ radius: pointRadius })
/** Query of an import. */
export const geofenceImportQuery = shape({ radius: pointRadius, skipRefused: flag().default(false) })

/** Query of the density: a box in degrees. `east` is above 180 for one across the antimeridian. */
export const densityBox = judged(
  shape({
    west: decimal({ min: -180, max: 180 }).required(),
    south: decimal({ min: -90, max: 90 }).required(),
    east: decimal({ min: -180, max: 540 }).required(),
    north: decimal({ min: -90, max: 90 }).required(),
  }),
  ({ west, south, east, north }) => ({
    ...(Number(east) <= Number(west) && { east: ['must be greater than west; add 360 across the antimeridian'] }),
    ...(Number(east) - Number(west) > 360 && { east: ['must be at most 360 degrees from west'] }),
    ...(Number(north) <= Number(south) && { north: ['must be greater than south'] }),
  }),
).required()

/** Reads a position reported by a device, whose numbers may be text. Null if it is not a position on the earth. */
export function readPosition(data: Record<string, unknown>): Position | null {
  const lat = readDegrees(data.lat, 90)
  const lng = readDegrees(data.lng, 180)
  return lat === null || lng === null ? null : { lat, lng }
}

function readDegrees(value: unknown, most: number): number | null {
  const isNumeric = typeof value === 'string' && /^\s*[+-]?\d+(\.\d*)?(e[+-]?\d+)?\s*$/i.test(value)
  const given = isNumeric ? Number(value) : value
  return typeof given === 'number' && Math.abs(given) <= most ? given : null
}
