import type { CircleFeature, LngLat, PolygonFeature } from '../../src/domain/geofences/types.ts'

/** Bounds of a circle. */
export function circle(center: LngLat, radius: number): CircleFeature {
  return { type: 'Feature', geometry: { type: 'Point', coordinates: center }, properties: { radius } }
}

/** Bounds of a polygon: outer ring, then holes. */
export function polygon(...rings: LngLat[][]): PolygonFeature {
  return { type: 'Feature', geometry: { type: 'Polygon', coordinates: rings }, properties: { orderAdded: [0, 1, 2] } }
}
