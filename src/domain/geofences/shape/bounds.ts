import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  atLeast,
  atMost,
  byType,
  choice,
  list,
  MUST_BE,
  object,
  only,
  type Reader,
  readWhole,
} from '../../../platform/values/reader.ts'
import type { LngLat } from '../types.ts'
import { faultOf, unwind } from './ring.ts'

/**
 * Maximum radius in metres: a quarter of the earth's circumference, which covers half the earth. More can only be a
 * mistake.
 */
export const MAX_RADIUS = 10_000_000

/** Maximum number of positions of all rings together: the check for crossings compares edges with each other. */
const MAX_POSITIONS = 2000

const LNG_LAT = 'must be [longitude, latitude]: two numbers from -180 to 180 and from -90 to 90'
const LAT_LNG = 'must be [latitude, longitude]: two numbers from -90 to 90 and from -180 to 180'

/** Every wrong key of a `boundsGeoJson`, relative to it. Only the two shapes of the contract are accepted. */
export function judgeBounds(value: unknown): FieldErrors {
  return readWhole(readFeature, value).errors ?? {}
}

/** GeoJSON allows members that it does not define. */
const open = { open: true }

const readFeature: Reader = (value, at, problems) => {
  const properties = propertiesOf(isPlainObject(value) ? value.geometry : undefined)
  const fields = { 'type!': choice(['Feature']), 'geometry!': readGeometry, 'properties!': properties }
  return object(fields, { ...open, wanted: 'must be a GeoJSON Feature' })(value, at, problems)
}

const readLngLat = only(isLngLat, LNG_LAT)

const readRings: Reader = (value, at, problems) => {
  if (!Array.isArray(value)) return problems.say(at, MUST_BE.array)
  const positions = value.reduce((sum: number, ring: unknown) => sum + (Array.isArray(ring) ? ring.length : 1), 0)
  if (positions > MAX_POSITIONS) return problems.say(at, `${atMost(MAX_POSITIONS, 'positions')} in all its rings`)
  return list(readRing, { max: MAX_POSITIONS, what: 'rings' })(value, at, problems)
}

const readRing: Reader = (value, at, problems) => {
  if (!Array.isArray(value)) return problems.say(at, MUST_BE.array)
  const isShort = value.length < 4
  if (isShort) problems.say(at, `${atLeast(4, 'positions')}, the last repeating the first`)
  const positions = value.map((position, i) => readLngLat(position, `${at}[${i}]`, problems))
  if (isShort || !positions.every((position) => position !== undefined)) return undefined
  const [first, last] = [positions[0]!, positions.at(-1)!]
  if (first[0] !== last[0] || first[1] !== last[1]) {
    return problems.say(`${at}[${positions.length - 1}]`, 'must repeat the first position of the ring')
  }
  const fault = faultOf(unwind(positions))
  return fault ? problems.say(`${at}[${fault.corner}]`, fault.message) : positions
}

const readGeometry = byType({ Point: { 'coordinates!': readLngLat }, Polygon: { 'coordinates!': readRings } }, open)

const circleProperties = object(
  { 'radius!': only(isRadius, `must be a number of metres, more than 0 and at most ${MAX_RADIUS}`) },
  open,
)

/** What the properties must hold depends on the shape. */
function propertiesOf(geometry: unknown): Reader {
  const { type, coordinates } = isPlainObject(geometry) ? geometry : {}
  if (type === 'Point') return circleProperties
  if (type !== 'Polygon') return object({}, open)
  // The console stores both for later editing.
  return object({ 'orderAdded!': indexesOf(outerLength(coordinates)), markerLocation: only(isLatLng, LAT_LNG) }, open)
}

/** Indexes of positions of the outer ring, whose `length` is undefined when it cannot be read. */
function indexesOf(length?: number): Reader {
  const last = length === undefined ? Infinity : length - 1
  const isIndex = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= last
  const range = last === Infinity ? '' : `, 0 to ${last}`
  const index = only(isIndex, `must be the index of a position of the outer ring${range}`)
  return list(index, { min: 0, max: MAX_POSITIONS })
}

function outerLength(rings: unknown): number | undefined {
  const outer: unknown = Array.isArray(rings) ? rings[0] : undefined
  return Array.isArray(outer) && outer.length > 0 ? outer.length : undefined
}

function isRadius(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_RADIUS
}

function isLngLat(value: unknown): value is LngLat {
  return Array.isArray(value) && value.length === 2 && isDegrees(value[0], 180) && isDegrees(value[1], 90)
}

function isLatLng(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && isDegrees(value[0], 90) && isDegrees(value[1], 180)
}

function isDegrees(value: unknown, most: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= most
}
