import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import { isPlainObject, objectOf } from '../../../platform/json/json.ts'
import { check } from '../../../platform/values/parse.ts'
import { createGeofence } from '../schema.ts'
import type { BoundsFeature, NewGeofence } from '../types.ts'

/** Maximum number of features of a file: they are stored in one transaction. */
export const MAX_FEATURES = 10_000

/** A feature of a file: the geofence that it becomes, or every reason why it becomes none. */
export interface ReadFeature {
  /** Its name as far as it has one. */
  name: string | null
  geofence: NewGeofence | undefined
  problems: string[]
}

/**
 * Reads a GeoJSON FeatureCollection, or one Feature, as geofences. `radius` (metres) is that of points without
 * `properties.radius`. Throws `invalid` for a file that is something else, is empty, has too many features, or has positions
 * in another coordinate system than WGS 84.
 */
export function readCollection(value: unknown, radius?: number): ReadFeature[] {
  const { type, features, crs } = objectOf(value)
  const problems: FieldErrors = {}
  const all = type === 'Feature' ? [value] : features
  if (type !== 'FeatureCollection' && type !== 'Feature') problems.type = ['must be FeatureCollection or Feature']
  else if (!Array.isArray(all)) problems.features = ['must be an array']
  else if (all.length === 0) problems.features = ['must not be empty']
  else if (all.length > MAX_FEATURES) {
    problems.features = [`must have at most ${MAX_FEATURES} features: split the file`]
  }
  if (!isWgs84(crs)) problems.crs = ['must be WGS 84 (EPSG:4326 or CRS84), in degrees: export the file in it']
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return (all as unknown[]).map((feature) => readFeature(feature, radius))
}

/** The coordinate system of GeoJSON of 2008; RFC 7946 knows WGS 84 alone and has no member for it. */
function isWgs84(crs: unknown): boolean {
  if (crs === undefined || crs === null) return true
  const { name } = objectOf(objectOf(crs).properties)
  return typeof name === 'string' && /(?:CRS:?84|EPSG:{1,2}4326)$/i.test(name)
}

function readFeature(value: unknown, radius: number | undefined): ReadFeature {
  if (!isPlainObject(value) || value.type !== 'Feature') {
    return { name: null, geofence: undefined, problems: ['type must be Feature'] }
  }
  // `id` and `bbox` are of the feature in its file, and would be wrong once the geofence is changed.
  const { id: _, bbox: __, geometry, properties: given, ...others } = value
  const properties = objectOf(given)
  const [nameKey, name] = nameOf(properties)
  const { [nameKey]: ___, tags, isEnabled, ...rest } = properties
  const shown = typeof name === 'string' ? name : null
  const problem = geometryProblem(geometry)
  if (problem !== undefined) return { name: shown, geofence: undefined, problems: [problem] }
  const bounds = { type: 'Feature', geometry: plainGeometry(geometry), properties: rest, ...others }
  const geofence = {
    name,
    boundsGeoJson: withDefaults(bounds, radius),
    tags: readTags(tags),
    ...(isEnabled !== undefined && isEnabled !== null && { isEnabled }),
  }
  const problems = problemsOf(geofence, nameKey)
  return { name: shown, problems, geofence: problems.length === 0 ? (geofence as NewGeofence) : undefined }
}

/** Names of the property that is the name, in the order in which they are looked for; programs differ in their letters. */
const NAME_KEYS = ['name', 'title']

function nameOf(properties: Readonly<Record<string, unknown>>): [key: string, name: unknown] {
  for (const wanted of NAME_KEYS) {
    const key = Object.hasOwn(properties, wanted)
      ? wanted
      : Object.keys(properties).find((one) => one.toLowerCase() === wanted)
    const found = key === undefined ? undefined : properties[key]
    // Numbers are names of shops and districts.
    if (key !== undefined && found !== null) return [key, typeof found === 'number' ? String(found) : found]
  }
  return ['name', undefined]
}

/** Tags as a list, or separated by commas, as spreadsheets and map programs write them. */
function readTags(given: unknown): unknown {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'string') return given
  return given
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** The reason why a geometry is none of a geofence, whatever its positions. */
function geometryProblem(geometry: unknown): string | undefined {
  const { type, coordinates } = objectOf(geometry)
  if (type === 'Point' || type === 'Polygon') return undefined
  if (geometry === null || geometry === undefined) return 'geometry is missing: a geofence needs a Point or a Polygon'
  if (type === 'MultiPolygon' && Array.isArray(coordinates)) {
    if (coordinates.length === 1) return undefined
    return `geometry is a MultiPolygon of ${coordinates.length} areas: a geofence is one, so make each a feature of its own`
  }
  return `geometry is a ${typeof type === 'string' ? type.slice(0, 40) : 'value without type'}: a geofence is a Point with a radius, or a Polygon`
}

/** The geometry as geofences have it: one polygon, positions without their height. */
function plainGeometry(geometry: unknown): Record<string, unknown> {
  const { bbox: _, ...plain } = objectOf(geometry)
  const { type, coordinates } = plain
  if (type === 'Point') return { ...plain, coordinates: flat(coordinates) }
  const rings = type === 'MultiPolygon' ? (coordinates as unknown[])[0] : coordinates
  const flatRings = Array.isArray(rings)
    ? rings.map((ring: unknown) => (Array.isArray(ring) ? ring.map(flat) : ring))
    : rings
  return { ...plain, type: 'Polygon', coordinates: flatRings }
}

const flat = (position: unknown): unknown =>
  Array.isArray(position) && position.length > 2 && position.every((part) => typeof part === 'number')
    ? position.slice(0, 2)
    : position

interface Bounds {
  type: string
  geometry: Record<string, unknown>
  properties: Record<string, unknown>
}

/** The bounds with what the interface wants and files lack: a radius that is a number, and the order of the corners. */
function withDefaults(bounds: Bounds, radius: number | undefined): Bounds {
  const { geometry, properties } = bounds
  if (geometry.type === 'Point') {
    const given = properties.radius ?? radius
    const isWritten = typeof given === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(given)
    return given === undefined
      ? bounds
      : { ...bounds, properties: { ...properties, radius: isWritten ? Number(given) : given } }
  }
  const outer: unknown = Array.isArray(geometry.coordinates) ? geometry.coordinates[0] : undefined
  if (properties.orderAdded !== undefined || !Array.isArray(outer)) return bounds
  return { ...bounds, properties: { ...properties, orderAdded: outer.slice(1).map((_, i) => i) } }
}

/** Problems that are named of a feature; a polygon may have thousands. */
const MOST_PROBLEMS = 5

/** Every problem of a geofence, with the place in the feature: `geometry.coordinates[0][3] must …`. */
function problemsOf(geofence: unknown, nameKey: string): string[] {
  const errors = Object.entries(check(createGeofence, geofence, true) ?? {})
  const said = errors.flatMap(([path, problems]) => {
    const place = path.startsWith('boundsGeoJson.') ? path.slice('boundsGeoJson.'.length) : `properties.${path}`
    if (path === 'name') return problems.map((problem) => `properties.${nameKey} ${problem}`)
    if (place === 'properties.radius' && problems.includes('is required')) {
      return ['properties.radius is required: metres, of this point or of all points without one']
    }
    return problems.map((problem) => `${place} ${problem}`)
  })
  if (said.length <= MOST_PROBLEMS) return said
  return [...said.slice(0, MOST_PROBLEMS - 1), `and ${said.length - MOST_PROBLEMS + 1} more problems`]
}

/** A geofence as a GeoJSON feature, which `readCollection` reads as the same geofence. */
export function featureOf(geofence: {
  id: number
  name: string
  isEnabled: boolean
  tags: string[]
  boundsGeoJson: BoundsFeature
}) {
  const { id, name, isEnabled, tags, boundsGeoJson } = geofence
  return { ...boundsGeoJson, id, properties: { ...boundsGeoJson.properties, name, tags, isEnabled } }
}
