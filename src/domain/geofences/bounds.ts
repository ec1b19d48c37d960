import type { FieldErrors } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json.ts'
import { faultOf, unwind } from './ring.ts'
import type { LngLat } from './types.ts'

/** Largest radius in metres: a quarter of the way round the earth, half of all there is. More can only be a mistake. */
export const LARGEST_RADIUS = 10_000_000

/** Positions of all rings together. Checking that a ring does not cross itself compares them with each other. */
export const MOST_POSITIONS = 2000

const IS_REQUIRED = 'is required'
const LNG_LAT = 'must be [longitude, latitude]: two numbers from -180 to 180 and from -90 to 90'

/** Every wrong key of a `boundsGeoJson`, relative to it: the contract's two shapes, nothing else. */
export function judgeBounds(value: unknown): FieldErrors {
  if (!isPlainObject(value)) return { '': ['must be a GeoJSON Feature'] }
  const errors: FieldErrors = {}
  const { type, geometry, properties } = value
  if (type !== 'Feature') errors.type = [type === undefined ? IS_REQUIRED : 'must be "Feature"']
  if (!isPlainObject(properties)) errors.properties = [properties == null ? IS_REQUIRED : 'must be an object']
  if (!isPlainObject(geometry)) {
    errors.geometry = [geometry == null ? IS_REQUIRED : 'must be an object']
    return errors
  }
  const given = isPlainObject(properties) ? properties : undefined
  if (geometry.type === 'Point') return { ...errors, ...judgeCircle(geometry.coordinates, given) }
  if (geometry.type === 'Polygon') return { ...errors, ...judgePolygon(geometry.coordinates, given) }
  errors['geometry.type'] = [geometry.type === undefined ? IS_REQUIRED : 'must be Point (a circle) or Polygon']
  return errors
}

function judgeCircle(coordinates: unknown, properties?: Record<string, unknown>): FieldErrors {
  const errors: FieldErrors = {}
  if (!isLngLat(coordinates)) errors['geometry.coordinates'] = [coordinates === undefined ? IS_REQUIRED : LNG_LAT]
  if (!properties) return errors
  const { radius } = properties
  if (typeof radius !== 'number' || !(radius > 0 && radius <= LARGEST_RADIUS)) {
    const rule = `must be a number of metres, more than 0 and at most ${LARGEST_RADIUS}`
    errors['properties.radius'] = [radius === undefined ? IS_REQUIRED : rule]
  }
  return errors
}

function judgePolygon(coordinates: unknown, properties?: Record<string, unknown>): FieldErrors {
  const errors = judgeRings(coordinates)
  if (properties) Object.assign(errors, judgeEditing(properties, outerLength(coordinates)))
  return errors
}

function judgeRings(rings: unknown): FieldErrors {
  const path = 'geometry.coordinates'
  if (rings === undefined) return { [path]: [IS_REQUIRED] }
  if (!Array.isArray(rings)) return { [path]: ['must be an array of rings'] }
  if (rings.length === 0) return { [path]: ['must hold at least one ring: the outer one'] }
  const positions = rings.reduce((sum: number, ring: unknown) => sum + (Array.isArray(ring) ? ring.length : 1), 0)
  if (positions > MOST_POSITIONS) return { [path]: [`must have at most ${MOST_POSITIONS} positions in all its rings`] }
  return Object.assign({}, ...rings.map((ring: unknown, i) => judgeRing(ring, `${path}[${i}]`)))
}

function judgeRing(ring: unknown, path: string): FieldErrors {
  if (!Array.isArray(ring)) return { [path]: ['must be a ring: an array of positions'] }
  const errors: FieldErrors = {}
  ring.forEach((position: unknown, i) => {
    if (!isLngLat(position)) errors[`${path}[${i}]`] = [LNG_LAT]
  })
  if (ring.length < 4) errors[path] = ['must have at least 4 positions, the last repeating the first']
  if (Object.keys(errors).length > 0) return errors
  const corners = ring as LngLat[]
  const [first, last] = [corners[0]!, corners.at(-1)!]
  if (first[0] !== last[0] || first[1] !== last[1]) {
    return { [`${path}[${corners.length - 1}]`]: ['must repeat the first position of the ring'] }
  }
  const fault = faultOf(unwind(corners))
  return fault ? { [`${path}[${fault.corner}]`]: [fault.message] } : {}
}

/** What the console keeps for later editing. `length` is that of the outer ring, undefined when there is none to speak of. */
function judgeEditing({ orderAdded, markerLocation }: Record<string, unknown>, length?: number): FieldErrors {
  const errors: FieldErrors = {}
  if (!Array.isArray(orderAdded)) {
    errors['properties.orderAdded'] = [orderAdded === undefined ? IS_REQUIRED : 'must be an array of integers']
  } else if (orderAdded.length > MOST_POSITIONS) {
    errors['properties.orderAdded'] = [`must have at most ${MOST_POSITIONS} items`]
  } else {
    const last = length === undefined ? Infinity : length - 1
    orderAdded.forEach((index: unknown, i) => {
      if (Number.isInteger(index) && (index as number) >= 0 && (index as number) <= last) return
      const range = last === Infinity ? '' : `, 0 to ${last}`
      errors[`properties.orderAdded[${i}]`] = [`must be the index of a position of the outer ring${range}`]
    })
  }
  if (markerLocation !== undefined && !isLatLng(markerLocation)) {
    errors['properties.markerLocation'] = [
      'must be [latitude, longitude]: two numbers from -90 to 90 and from -180 to 180',
    ]
  }
  return errors
}

function outerLength(rings: unknown): number | undefined {
  const outer: unknown = Array.isArray(rings) ? rings[0] : undefined
  return Array.isArray(outer) && outer.length > 0 ? outer.length : undefined
}

function isLngLat(value: unknown): value is LngLat {
  return Array.isArray(value) && value.length === 2 && isDegrees(value[0], 180) && isDegrees(value[1], 90)
}

function isLatLng(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isDegrees(value[0], 90) && isDegrees(value[1], 180)
}

function isDegrees(value: unknown, most: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= most
}
