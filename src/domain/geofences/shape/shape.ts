import type { BoundsFeature, Box, Position } from '../types.ts'
import { distanceMetres, EARTH_RADIUS_M, radians } from './distance.ts'
import { type Ring, sideOf, touchesPole, unwind } from './ring.ts'

/** The bounds of a geofence, prepared for the exact test. */
export type Shape =
  | { kind: 'circle'; center: Position; radius: number }
  | { kind: 'polygon'; outer: Ring; holes: readonly Ring[] }

/** Margin of a box in degrees (some centimetres), so that rounding cannot exclude a position of the geofence. */
const MARGIN = 1e-6

/** Checked GeoJSON -> shape. */
export function shapeOf({ geometry, properties }: BoundsFeature): Shape {
  if (geometry.type === 'Point') {
    const [lng, lat] = geometry.coordinates
    return { kind: 'circle', center: { lat, lng }, radius: (properties as { radius: number }).radius }
  }
  const [outer, ...holes] = geometry.coordinates.map(unwind)
  return { kind: 'polygon', outer: outer!, holes }
}

/** No position is inside. */
export const NOWHERE: Shape = { kind: 'circle', center: { lat: 0, lng: 0 }, radius: -1 }

/** `shapeOf` of bounds as they are stored; `NOWHERE` for those that cannot be read. */
export function shapeOfStored(bounds: unknown): Shape {
  try {
    const shape = shapeOf(bounds as BoundsFeature)
    const isWhole =
      shape.kind === 'circle'
        ? [shape.center.lat, shape.center.lng, shape.radius].every(Number.isFinite)
        : shape.outer.points.length > 0 &&
          shape.outer.points.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))
    return isWhole ? shape : NOWHERE
  } catch {
    return NOWHERE
  }
}

/**
 * Whether the position is inside. The distance to the centre of a circle is measured along great circles. Borders
 * belong to the geofence, including those of holes. A polygon round the earth contains the nearer pole. A position
 * exactly at a pole, where the longitude is arbitrary, is inside if the outer ring contains or touches the pole and no
 * hole contains it.
 */
export function contains(shape: Shape, position: Position): boolean {
  if (shape.kind === 'circle') return distanceMetres(shape.center, position) <= shape.radius
  const { outer, holes } = shape
  if (Math.abs(position.lat) === 90) {
    const pole = position.lat > 0 ? 'north' : 'south'
    return reaches(outer, pole) && !holes.some((hole) => hole.pole === pole)
  }
  return sideOf(outer, position) !== 'outside' && !holes.some((hole) => sideOf(hole, position) === 'inside')
}

function reaches(ring: Ring, pole: 'north' | 'south'): boolean {
  return ring.pole === pole || touchesPole(ring, pole)
}

/** The bounding box of the shape, plus the margin. */
export function boxOf(shape: Shape): Box {
  return shape.kind === 'circle' ? boxOfCircle(shape.center, shape.radius) : boxOfRing(shape.outer)
}

function boxOfCircle({ lat, lng }: Position, radius: number): Box {
  const angle = radius / EARTH_RADIUS_M
  const reach = (angle * 180) / Math.PI
  const south = lat - reach
  const north = lat + reach
  // A circle that reaches a pole spans all longitudes.
  if (south <= -90 || north >= 90) return box(-180, south, 180, north)
  const half = (Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(lat)))) * 180) / Math.PI
  return box(lng - half, south, lng + half, north)
}

function boxOfRing(ring: Ring): Box {
  const [west, south, east, north] = ring.points.reduce(
    ([w, s, e, n], [x, y]) => [Math.min(w, x), Math.min(s, y), Math.max(e, x), Math.max(n, y)] as const,
    [Infinity, Infinity, -Infinity, -Infinity] as readonly [number, number, number, number],
  )
  const [atNorth, atSouth] = [reaches(ring, 'north'), reaches(ring, 'south')]
  if (atNorth || atSouth) return box(-180, atSouth ? -90 : south, 180, atNorth ? 90 : north)
  return box(west, south, east, north)
}

function box(west: number, south: number, east: number, north: number): Box {
  const vertical = { south: Math.max(-90, south - MARGIN), north: Math.min(90, north + MARGIN) }
  if (east - west + 2 * MARGIN >= 360) return { ...vertical, west: -180, east: 180 }
  const start = west - MARGIN
  const turned = start - 360 * Math.floor((start + 180) / 360)
  return { ...vertical, west: turned, east: turned + (east - west) + 2 * MARGIN }
}
