import { circleRing, type LngLat, metresBetween, moved, turned } from './map/projection.ts'

/** A shape while somebody draws it: longitudes may pass 180, so that it stays in one piece. */
export type Shape =
  | { kind: 'circle'; center: LngLat; radius: number }
  | {
      kind: 'polygon'
      /** Corners of the outer ring, without the repeated last one. */
      points: LngLat[]
      /** Indexes of corners in the order in which they were drawn, as the contract has it. */
      order: number[]
      /** Rings of holes, which are kept as they are. */
      holes: LngLat[][]
      /** `[longitude, latitude]` of the marker; undefined: the middle. */
      marker: LngLat | undefined
      /** Members of `properties` and of the feature that this editor does not know. They are kept. */
    }

/** `boundsGeoJson` of the interface. */
export interface Bounds {
  type: 'Feature'
  geometry: { type: 'Point'; coordinates: LngLat } | { type: 'Polygon'; coordinates: LngLat[][] }
  properties: Record<string, unknown>
}

/** Five decimals are a metre. */
const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
const written = ([lng, lat]: LngLat): LngLat => [round(turned(lng)), round(lat)]
/** 180 and -180 are the same place; a corner there stays on its side. */
const corner = ([lng, lat]: LngLat): LngLat => (Math.abs(lng) <= 180 ? [round(lng), round(lat)] : written([lng, lat]))

/** The interface's form -> the shape that is drawn. */
export function shapeOf({ geometry, properties }: Bounds): Shape {
  if (geometry.type === 'Point') {
    return { kind: 'circle', center: geometry.coordinates, radius: Number(properties['radius']) }
  }
  const [outer = [], ...holes] = geometry.coordinates
  const points = unwound(outer.slice(0, -1))
  const given = properties['orderAdded']
  const order = Array.isArray(given) ? (given as number[]).filter((i) => i < points.length) : []
  const missing = points.map((_, i) => i).filter((i) => !order.includes(i))
  const marker = properties['markerLocation'] as [number, number] | undefined
  return {
    kind: 'polygon',
    points,
    order: [...new Set(order), ...missing],
    holes,
    marker: marker && [marker[1], marker[0]],
  }
}

/** Neighbours are less than half the earth apart: a ring across the antimeridian goes on beyond 180. */
function unwound(points: readonly LngLat[]): LngLat[] {
  let before: number | undefined
  return points.map(([lng, lat]) => {
    const next = before === undefined ? lng : lng + 360 * Math.round((before - lng) / 360)
    before = next
    return [next, lat]
  })
}

/** The shape -> the interface's form, which is also a GeoJSON feature. `before`: what else it had is kept. */
export function boundsOf(shape: Shape, before?: Bounds): Bounds {
  const others = before?.properties ?? {}
  if (shape.kind === 'circle') {
    const { orderAdded: _, markerLocation: __, ...rest } = others
    return {
      ...before,
      type: 'Feature',
      geometry: { type: 'Point', coordinates: written(shape.center) },
      properties: { ...rest, radius: Math.round(shape.radius * 10) / 10 },
    }
  }
  const { radius: _, ...rest } = others
  const ring = shape.points.map(corner)
  const marker = written(shape.marker ?? middleOf(shape))
  return {
    ...before,
    type: 'Feature',
    geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]!], ...shape.holes] },
    properties: { ...rest, orderAdded: shape.order, markerLocation: [marker[1], marker[0]] },
  }
}

/** Adds a corner behind the corner `after`; the one drawn last is the last of `order`. */
export function withCorner(shape: Shape & { kind: 'polygon' }, after: number, point: LngLat): Shape {
  const at = after + 1
  const order = shape.order.map((i) => (i >= at ? i + 1 : i))
  return { ...shape, points: shape.points.toSpliced(at, 0, point), order: [...order, at] }
}

export function withoutCorner(shape: Shape & { kind: 'polygon' }, at: number): Shape {
  const order = shape.order.filter((i) => i !== at).map((i) => (i > at ? i - 1 : i))
  return { ...shape, points: shape.points.toSpliced(at, 1), order }
}

/** Moves a corner; the marker stays where it was put. */
export function withMoved(shape: Shape & { kind: 'polygon' }, at: number, to: LngLat): Shape {
  return { ...shape, points: shape.points.with(at, to) }
}

/** Moves the whole shape by degrees. */
export function shifted(shape: Shape, dLng: number, dLat: number): Shape {
  const by = ([lng, lat]: LngLat): LngLat => [lng + dLng, Math.max(-89, Math.min(89, lat + dLat))]
  if (shape.kind === 'circle') return { ...shape, center: by(shape.center) }
  return {
    ...shape,
    points: shape.points.map(by),
    holes: shape.holes.map((hole) => hole.map(by)),
    marker: shape.marker && by(shape.marker),
  }
}

export function middleOf(shape: Shape): LngLat {
  if (shape.kind === 'circle') return shape.center
  const n = Math.max(1, shape.points.length)
  const sum = shape.points.reduce<[number, number]>(([x, y], [lng, lat]) => [x + lng, y + lat], [0, 0])
  return [sum[0] / n, sum[1] / n]
}

/** The outer ring, for drawing. */
export const ringOf = (shape: Shape): LngLat[] =>
  shape.kind === 'circle' ? circleRing(shape.center, shape.radius) : shape.points

/** A circle as a polygon of eight corners, and back: changing the kind keeps the place. */
export function turnedInto(shape: Shape, kind: Shape['kind']): Shape {
  if (shape.kind === kind) return shape
  if (shape.kind === 'circle') {
    const points = Array.from({ length: 6 }, (_, i) => moved(shape.center, shape.radius, i * 60))
    return { kind: 'polygon', points, order: points.map((_, i) => i), holes: [], marker: shape.center }
  }
  const center = middleOf(shape)
  const radius = Math.max(50, ...shape.points.map((point) => metresBetween(center, point)))
  return { kind: 'circle', center, radius: Math.round(radius) }
}

/**
 * Reads GeoJSON in any usual form: our feature, another feature, a geometry, or a collection of one. Throws an Error that says
 * what it needs.
 */
export function readGeoJson(text: string): Bounds {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  const found = featureOf(value)
  const { geometry } = found
  if (geometry.type === 'Point') {
    const radius = found.properties['radius']
    if (typeof radius !== 'number') throw new Error('A point needs properties.radius, in metres.')
    return { ...found, properties: { ...found.properties, radius } }
  }
  if (geometry.type !== 'Polygon') {
    throw new Error(
      `The geometry is a ${String((geometry as { type: unknown }).type)}: bring a Point with a radius, or a Polygon.`,
    )
  }
  return boundsOf(shapeOf(found), found)
}

function featureOf(value: unknown): Bounds {
  if (typeof value !== 'object' || value === null) throw new Error('GeoJSON is an object with a type.')
  const { type, features, geometry, properties, coordinates, geometries } = value as Record<string, unknown>
  if (type === 'FeatureCollection' || type === 'GeometryCollection') {
    const all = (features ?? geometries) as unknown[]
    if (!Array.isArray(all) || all.length !== 1) {
      throw new Error(
        `The collection has ${Array.isArray(all) ? all.length : 'no'} features: a geofence is one. Choose one of them.`,
      )
    }
    return featureOf(all[0])
  }
  if (type === 'Feature' && typeof geometry === 'object' && geometry !== null) {
    return { ...value, type: 'Feature', geometry, properties: properties ?? {} } as Bounds
  }
  if (typeof type === 'string' && Array.isArray(coordinates)) {
    return { type: 'Feature', geometry: { type, coordinates } as unknown as Bounds['geometry'], properties: {} }
  }
  throw new Error('This is not GeoJSON: it needs a type, and a geometry or coordinates.')
}
