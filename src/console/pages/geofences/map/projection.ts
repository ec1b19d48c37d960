/** The part of the world that the map shows: its centre in degrees, and the zoom. */
export interface View {
  lng: number
  lat: number
  /** The whole earth is 256 px wide at 0, and twice as wide with each step. */
  zoom: number
}

export interface Size {
  width: number
  height: number
}

/** A point of the map in CSS pixels, from its upper left. */
export interface Spot {
  x: number
  y: number
}

/** `[longitude, latitude]`, as GeoJSON has it. */
export type LngLat = readonly [lng: number, lat: number]

const MIN_ZOOM = 0
const MAX_ZOOM = 19
const TILE = 256
/** Mercator's map has no poles. */
const MAX_LAT = 85.0511
const EARTH_M = 6_371_008.8

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Width of the whole earth in pixels. */
export const worldWidth = (zoom: number): number => TILE * 2 ** zoom

/** Longitude as a share of the world's width. */
export const shareX = (lng: number): number => (lng + 180) / 360
/** Latitude as a share of the world's height, from the north. */
export function shareY(lat: number): number {
  const sine = Math.sin(radians(Math.max(-MAX_LAT, Math.min(MAX_LAT, lat))))
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

/** The pixel of a position; `lng` may lie outside -180 to 180, for shapes across the antimeridian. */
export function spotOf([lng, lat]: LngLat, { lng: midLng, lat: midLat, zoom }: View, { width, height }: Size): Spot {
  const world = worldWidth(zoom)
  return {
    x: width / 2 + (shareX(lng) - shareX(midLng)) * world,
    y: height / 2 + (shareY(lat) - shareY(midLat)) * world,
  }
}

/** The position at a place of the map. The longitude goes on beyond 180. */
export function positionAt({ x, y }: Spot, { lng, lat, zoom }: View, { width, height }: Size): LngLat {
  const world = worldWidth(zoom)
  const share = shareY(lat) + (y - height / 2) / world
  const degrees = (Math.atan(Math.sinh(Math.PI * (1 - 2 * share))) * 180) / Math.PI
  return [lng + ((x - width / 2) / world) * 360, degrees]
}

/** A longitude from -180 to 180. */
export const turned = (lng: number): number => ((((lng + 180) % 360) + 360) % 360) - 180

/** The view with its centre on the earth. */
export function kept({ lng, lat, zoom }: View): View {
  return {
    lng: turned(lng),
    lat: Math.max(-MAX_LAT, Math.min(MAX_LAT, lat)),
    zoom: Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, zoom)),
  }
}

/** Metres that one pixel is at this latitude. */
export const metresOfPixel = (lat: number, zoom: number): number =>
  (2 * Math.PI * EARTH_M * Math.cos(radians(lat))) / worldWidth(zoom)

/** Metres between two positions, along a great circle. */
export function metresBetween([lng1, lat1]: LngLat, [lng2, lat2]: LngLat): number {
  const [dLat, dLng] = [radians(lat2 - lat1), radians(lng2 - lng1)]
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(dLng / 2) ** 2
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The position at a distance in metres and a bearing in degrees (0: north, 90: east). The longitude may pass 180. */
export function moved([lng, lat]: LngLat, metres: number, bearing: number): LngLat {
  const [angle, turn, from] = [metres / EARTH_M, radians(bearing), radians(lat)]
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(turn))
  const east = Math.atan2(
    Math.sin(turn) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  )
  return [lng + (east * 180) / Math.PI, (to * 180) / Math.PI]
}

/** The border of a circle, as the earth has it, so that it is right at every latitude. */
export function circleRing(center: LngLat, radius: number, points = 72): LngLat[] {
  return Array.from({ length: points }, (_, i) => moved(center, radius, (i * 360) / points))
}

/** The least of a list that is too long to be arguments. */
const least = (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b), Infinity)
const most = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), -Infinity)

/** The view that shows these positions with some room. */
export function viewOf(positions: readonly LngLat[], { width, height }: Size): View {
  if (positions.length === 0) return { lng: 10, lat: 25, zoom: Math.max(0.6, Math.log2(width / TILE)) }
  const [xs, ys] = [positions.map(([lng]) => shareX(lng)), positions.map(([, lat]) => shareY(lat))]
  const [west, east, north, south] = [least(xs), most(xs), least(ys), most(ys)]
  const room = 0.7
  const zoom = Math.min(
    Math.log2((width * room) / TILE / Math.max(east - west, 1e-9)),
    Math.log2((height * room) / TILE / Math.max(south - north, 1e-9)),
    17,
  )
  const y = (north + south) / 2
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
  return kept({ lng: ((west + east) / 2) * 360 - 180, lat, zoom })
}

/** The box in sight, in degrees. */
export function boxInSight(view: View, size: Size): { west: number; south: number; east: number; north: number } {
  const [west, north] = positionAt({ x: 0, y: 0 }, view, size)
  const [east, south] = positionAt({ x: size.width, y: size.height }, view, size)
  if (east - west >= 360) return { west: -180, east: 180, south, north }
  return { west: turned(west), east: turned(west) + (east - west), south, north }
}

/** The longest round length that fits into `longest` pixels. */
export function scaleOf(view: View, longest: number): { pixels: number; text: string } {
  const perPixel = metresOfPixel(view.lat, view.zoom)
  const power = 10 ** Math.floor(Math.log10(perPixel * longest))
  const metres = [5, 2, 1].map((n) => n * power).find((n) => n <= perPixel * longest) ?? power
  return { pixels: metres / perPixel, text: metresText(metres) }
}

/** `1500` -> `1.5 km` */
export function metresText(metres: number): string {
  const format = (value: number, digits: number) => value.toLocaleString(undefined, { maximumFractionDigits: digits })
  return metres >= 1000
    ? `${format(metres / 1000, metres < 10_000 ? 1 : 0)} km`
    : `${format(metres, metres < 10 ? 1 : 0)} m`
}
