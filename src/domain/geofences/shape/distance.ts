import type { Position } from '../types.ts'

/**
 * Mean radius of the earth in metres (IUGG, R1). Distances on this sphere differ from those on the ellipsoid by up to
 * 0.5 %.
 */
export const EARTH_RADIUS_M = 6_371_008.8

/** Degrees to radians. */
export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

/**
 * Great-circle distance in metres (haversine). The rounding error is below a micrometre nearby and some decimetres at
 * the antipode.
 */
export function distanceMetres(a: Position, b: Position): number {
  const lat = Math.sin(radians(b.lat - a.lat) / 2)
  const lng = Math.sin(radians(b.lng - a.lng) / 2)
  const h = Math.min(1, lat * lat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * lng * lng)
  return 2 * EARTH_RADIUS_M * Math.atan2(Math.sqrt(h), Math.sqrt(1 - h))
}
