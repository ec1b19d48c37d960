import { distanceMetres, EARTH_RADIUS_M, radians } from './distance.ts'
import { type Ring, sideOf, touchesPole, unwind } from './ring.ts'
import type { BoundsFeature, Box, Position } from './types.ts'

/** A fence's bounds, ready for the exact test. */
export type Shape =
  | { kind: 'circle'; center: Position; radius: number }
  | { kind: 'polygon'; outer: Ring; holes: readonly Ring[] }

/** Margin of a box in degrees (some centimetres): rounding must not put a position of the fence outside of it. */
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

/**
 * Whether the position is inside. A circle holds everything up to its radius, along great circles. A border belongs to its fence,
 * a hole's too. A polygon round the earth holds the nearer pole; a position exactly at a pole, where longitude says nothing, is
 * inside when the outer ring holds the pole or touches it and no hole holds it.
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

/** The smallest box round the shape, a little larger. */
export function boxOf(shape: Shape): Box {
  return shape.kind === 'circle' ? boxOfCircle(shape.center, shape.radius) : boxOfRing(shape.outer)
}

function boxOfCircle({ lat, lng }: Position, radius: number): Box {
  const angle = radius / EARTH_RADIUS_M
  const reach = (angle * 180) / Math.PI
  const south = lat - reach
  const north = lat + reach
  // At a pole the circle has every longitude.
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
