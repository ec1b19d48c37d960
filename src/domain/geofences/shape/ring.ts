import type { LngLat, Position } from '../types.ts'

/**
 * A closed line on the earth. Its edges are straight in longitude and latitude (RFC 7946, section 3.1.1), but unlike in
 * the plane, an edge of more than 180 degrees of longitude takes the shorter way across the antimeridian. An edge of
 * exactly 360 degrees along a parallel goes once round the earth, as in `[-180, 60], [180, 60]`.
 */
export interface Ring {
  /**
   * Corners with unwound longitudes, so that every edge is a straight line. The last is the first again, a turn further
   * at a pole ring.
   */
  points: readonly LngLat[]
  /**
   * The pole inside a ring that goes round the earth: the one nearer to its mean latitude, whichever way it is drawn.
   * Null for a ring that does not go round the earth.
   */
  pole: 'north' | 'south' | null
  /** How many times it goes round the earth, eastwards; only -1, 0 and 1 make a ring. */
  turns: number
}

/**
 * Distance in degrees (a tenth of a millimetre) within which a position counts as on an edge, so that rounding does not
 * decide.
 */
const ON_EDGE = 1e-9

/** Corners as given, the last of which repeats the first -> ring. */
export function unwind(corners: readonly LngLat[]): Ring {
  let turn = 0
  let area = 0
  const points: LngLat[] = []
  for (const [i, [lng, lat]] of corners.entries()) {
    const [lngBefore, latBefore] = corners[i - 1] ?? [lng, lat]
    const step = lng - lngBefore
    const isShort = Math.abs(step) <= 180 || (Math.abs(step) === 360 && lat === latBefore)
    if (!isShort) turn -= Math.sign(step)
    const x = lng + 360 * turn
    const before = points.at(-1)
    if (before) area += ((before[1] + lat) / 2) * (x - before[0])
    points.push([x, lat])
  }
  if (turn === 0) return { points, pole: null, turns: 0 }
  return { points, pole: area / turn >= 0 ? 'north' : 'south', turns: turn }
}

/**
 * Where a position (not a pole) lies: counts the edges between it and the north pole. An odd number means that the ring
 * separates the two. On the sphere this needs no special case at the antimeridian.
 */
export function sideOf({ points, pole }: Ring, { lat, lng }: Position): 'inside' | 'outside' | 'edge' {
  let inside = pole === 'north'
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1]!
    const [x2, y2] = points[i]!
    const west = Math.min(x1, x2)
    const east = Math.max(x1, x2)
    // No edge is longer than one turn, so one equivalent of the longitude is enough. Computed as in `unwind`, so equal
    // values stay equal.
    const x = lng + 360 * Math.round(((west + east) / 2 - lng) / 360)
    if (x < west - ON_EDGE || x > east + ON_EDGE) continue
    const isUpright = east - west <= ON_EDGE
    if (isUpright && lat >= Math.min(y1, y2) - ON_EDGE && lat <= Math.max(y1, y2) + ON_EDGE) return 'edge'
    const y = isUpright ? y1 : y1 + ((Math.min(Math.max(x, west), east) - x1) * (y2 - y1)) / (x2 - x1)
    if (Math.abs(y - lat) <= ON_EDGE) return 'edge'
    // Half open, so that the meridian through a corner meets only one of its two edges.
    const meets = east - west >= 360 || (x >= west && x < east)
    if (meets && y > lat) inside = !inside
  }
  return inside ? 'inside' : 'outside'
}

/** Whether a corner lies at the pole. */
export function touchesPole({ points }: Ring, pole: 'north' | 'south'): boolean {
  return points.some(([, lat]) => lat === (pole === 'north' ? 90 : -90))
}

/** The problem of a ring as a whole: index of the corner, and message. Undefined if the ring is a valid border. */
export function faultOf(ring: Ring): { corner: number; message: string } | undefined {
  const { points, turns } = ring
  if (Math.abs(turns) > 1)
    return { corner: points.length - 1, message: 'ends a ring that goes round the earth more than once' }
  const spike = points.findIndex((_, i) => i > 0 && turnsBack(points[i - 1]!, points[i]!, nextOf(points, i)))
  if (spike >= 0) return { corner: spike, message: 'is a spike: the ring goes back over the line that led here' }
  if (enclosesNothing(ring)) return { corner: 0, message: 'begins a ring that encloses nothing' }
  const crossing = findCrossing(points)
  if (!crossing) return undefined
  const [corner, other] = crossing
  return { corner, message: `begins a line that crosses the one from [${other}]: the ring must not cross itself` }
}

/** The corner after `i`; after the last, which equals the first, the second. */
function nextOf(points: readonly LngLat[], i: number): LngLat {
  const next = points[i + 1]
  if (next) return next
  const turn = points[i]![0] - points[0]![0]
  return [points[1]![0] + turn, points[1]![1]]
}

function turnsBack(a: LngLat, b: LngLat, c: LngLat): boolean {
  const before = [b[0] - a[0], b[1] - a[1]] as const
  const after = [c[0] - b[0], c[1] - b[1]] as const
  const cross = before[0] * after[1] - before[1] * after[0]
  return cross === 0 && before[0] * after[0] + before[1] * after[1] < 0
}

function enclosesNothing({ points, pole }: Ring): boolean {
  if (pole !== null) return points.every(([, lat]) => Math.abs(lat) === 90)
  const [x0, y0] = points[0]!
  let twice = 0
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1]!
    const [x2, y2] = points[i]!
    twice += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
  }
  return twice === 0
}

/**
 * Two edges that cross, by the corners at which they begin. Touching is allowed, because the inside stays well defined.
 */
function findCrossing(points: readonly LngLat[]): [number, number] | undefined {
  // Sorted by latitude, which does not wrap: each edge is compared only with edges that begin before it ends.
  const edges = points.slice(1).map((to, i) => {
    const from = points[i]!
    return { i, from, to, south: Math.min(from[1], to[1]), north: Math.max(from[1], to[1]) }
  })
  edges.sort((a, b) => a.south - b.south)
  for (const [n, a] of edges.entries()) {
    for (let m = n + 1; m < edges.length && edges[m]!.south <= a.north; m++) {
      const b = edges[m]!
      if (!cross(a.from, a.to, b.from, b.to)) continue
      return a.i < b.i ? [a.i, b.i] : [b.i, a.i]
    }
  }
  return undefined
}

function cross(a: LngLat, b: LngLat, c: LngLat, d: LngLat): boolean {
  const shift = 360 * Math.round((a[0] + b[0] - c[0] - d[0]) / 720)
  const [cx, dx] = [c[0] + shift, d[0] + shift]
  if (Math.max(cx, dx) < Math.min(a[0], b[0]) || Math.min(cx, dx) > Math.max(a[0], b[0])) return false
  const side = (p: LngLat, q: LngLat, x: number, y: number) => (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
  return (
    side(a, b, cx, c[1]) * side(a, b, dx, d[1]) < 0 &&
    side([cx, c[1]], [dx, d[1]], a[0], a[1]) * side([cx, c[1]], [dx, d[1]], b[0], b[1]) < 0
  )
}
