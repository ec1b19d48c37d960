import { expect } from 'chai'
import { EARTH_RADIUS_M } from '../../../src/domain/geofences/shape/distance.ts'
import { boxOf, contains, shapeOf } from '../../../src/domain/geofences/shape/shape.ts'
import type { BoundsFeature, Box, LngLat, Position } from '../../../src/domain/geofences/types.ts'
import { circle, polygon } from '../../support/geofences.ts'

/** Random fences and positions, of which many lie at the antimeridian and the poles, against other ways to reckon. */

/** The same numbers from 0 to 1 each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const random = randomNumbers(20260101)
const between = (low: number, high: number) => low + (high - low) * random()
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!

/** A longitude of any turn -> the one from -180 to 180; the antimeridian by either of its names. */
function wrapped(lng: number): number {
  const turned = lng - 360 * Math.floor((lng + 180) / 360)
  return turned === -180 ? pick([-180, 180]) : turned
}

/** Searches as the product does: by the box, also a turn further east, the antimeridian being -180. */
function isInBox({ west, south, east, north }: Box, { lat, lng }: Position): boolean {
  const x = lng === 180 ? -180 : lng
  return lat >= south && lat <= north && [x, x + 360].some((turn) => turn >= west && turn <= east)
}

function expectInside(bounds: BoundsFeature, position: Position, inside: boolean): void {
  const shape = shapeOf(bounds)
  const what = () => `${JSON.stringify(bounds)} ${JSON.stringify(position)}`
  if (contains(shape, position) !== inside) expect.fail(`${inside ? 'must hold' : 'must not hold'}: ${what()}`)
  if (inside && !isInBox(boxOf(shape), position)) expect.fail(`its box must hold: ${what()}`)
}

/** A place, often at a seam of the map. */
function somewhere(): Position {
  const lng = pick([180, -180, 0, between(-180, 180), between(179, 181), between(-181, -179)])
  const lat = pick([90, -90, 0, between(-90, 90), between(88, 90), between(-90, -88), between(-1, 1)])
  return { lat, lng: wrapped(lng) }
}

type Vector = readonly [number, number, number]

function vectorOf({ lat, lng }: Position): Vector {
  const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

/** The angle between two directions in space, in metres on the sphere: no formula of the sphere in it. */
function metresBetween(a: Position, b: Position): number {
  const [[ax, ay, az], [bx, by, bz]] = [vectorOf(a), vectorOf(b)]
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return EARTH_RADIUS_M * Math.atan2(cross, ax * bx + ay * by + az * bz)
}

/** A place some metres away: from the vector of the centre and one at right angles to it. */
function awayFrom(center: Position, metres: number): Position {
  const [x, y, z] = vectorOf(center)
  const helper: Vector = Math.abs(z) < 0.9 ? [0, 0, 1] : [1, 0, 0]
  const east: Vector = normal([
    y * helper[2] - z * helper[1],
    z * helper[0] - x * helper[2],
    x * helper[1] - y * helper[0],
  ])
  const north: Vector = [y * east[2] - z * east[1], z * east[0] - x * east[2], x * east[1] - y * east[0]]
  const [angle, bearing] = [metres / EARTH_RADIUS_M, between(0, 2 * Math.PI)]
  const at = (i: 0 | 1 | 2) =>
    Math.cos(angle) * [x, y, z][i]! + Math.sin(angle) * (Math.cos(bearing) * east[i] + Math.sin(bearing) * north[i])
  return {
    lat: (Math.atan2(at(2), Math.hypot(at(0), at(1))) * 180) / Math.PI,
    lng: wrapped((Math.atan2(at(1), at(0)) * 180) / Math.PI),
  }
}

function normal([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z)
  return [x / length, y / length, z / length]
}

describe('random fences', () => {
  it('that are circles hold what is near enough as the crow flies through space', () => {
    for (let i = 0; i < 5000; i++) {
      const center = somewhere()
      const radius = pick([between(1, 1000), between(1000, 1_000_000), between(1_000_000, 10_000_000)])
      const bounds = circle([center.lng, center.lat], radius)
      const near = awayFrom(center, radius * pick([between(0, 0.999), between(1.001, 1.5), 0.9999, 1.0001]))
      for (const position of [near, somewhere()]) {
        const metres = metresBetween(center, position)
        // So near the rim that both ways to reckon may differ in the last digits.
        if (Math.abs(metres - radius) > 1e-6 * radius + 0.001) expectInside(bounds, position, metres <= radius)
      }
    }
  })

  it('that are polygons hold what lies before their edges as seen from within', () => {
    for (let i = 0; i < 3000; i++) {
      const center = { lat: between(-60, 60), lng: pick([180, -180, between(-180, 180), between(175, 185)]) }
      const reach = pick([0.001, 0.1, 5, 29])
      const count = 3 + Math.floor(random() * 10)
      // Corners in turn round the centre, none of them half a turn after the one before: each edge is seen whole.
      const bearings = Array.from({ length: count }, (_, k) => ((k + between(0.1, 0.9)) * 2 * Math.PI) / count)
      const corners = bearings.map((bearing) => {
        const far = reach * between(0.3, 1)
        return { bearing, x: far * Math.cos(bearing), y: far * Math.sin(bearing) }
      })
      const gaps = bearings.map((bearing, k) => (bearings[(k + 1) % count]! - bearing + 2 * Math.PI) % (2 * Math.PI))
      if (gaps.some((gap) => gap > 0.95 * Math.PI)) continue
      const turn = pick([-1, 1])
      const ring = corners.map(({ x, y }): LngLat => [wrapped(center.lng + x), center.lat + y])
      if (turn < 0) ring.reverse()
      const bounds = polygon([...ring, ring[0]!])
      for (let j = 0; j < 4; j++) {
        const [bearing, far] = [between(0, 2 * Math.PI), reach * between(0, 1.2)]
        const [x, y] = [far * Math.cos(bearing), far * Math.sin(bearing)]
        const k = corners.findLastIndex((corner) => corner.bearing <= bearing)
        const [a, b] = [corners.at(k)!, corners[(k + 1) % count]!]
        const area = (p: { x: number; y: number }, q: { x: number; y: number }) => p.x * q.y - q.x * p.y
        const [side, size] = [(b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y), Math.abs(area(a, b))]
        if (Math.abs(side) < 1e-6 * size) continue
        expectInside(bounds, { lat: center.lat + y, lng: wrapped(center.lng + x) }, side > 0)
      }
    }
  })

  it('that go round the earth hold what is nearer to the pole than their border', () => {
    for (let i = 0; i < 2000; i++) {
      const isNorth = random() < 0.5
      const count = 3 + Math.floor(random() * 9)
      const start = pick([-180, between(-180, -100)])
      const corners = Array.from({ length: count }, (_, k): LngLat => {
        const lng = start + ((k + between(0, 0.4)) * 360) / count
        return [lng, (isNorth ? 1 : -1) * between(30, 89)]
      })
      const closed = [...corners, [corners[0]![0] + 360, corners[0]![1]] as LngLat]
      if (closed.some(([lng], k) => k > 0 && lng - closed[k - 1]![0] >= 179)) continue
      const ring = corners.map(([lng, lat]): LngLat => [wrapped(lng), lat])
      if (random() < 0.5) ring.reverse()
      const bounds = polygon([...ring, ring[0]!])
      for (let j = 0; j < 4; j++) {
        const lng = pick([closed[0]![0] + between(0, 360), closed[0]![0] + between(0, 360), 180, 180.0001])
        const x = closed[0]![0] + ((((lng - closed[0]![0]) % 360) + 360) % 360)
        const k = closed.findLastIndex(([west]) => west <= x)
        const [[x1, y1], [x2, y2]] = [closed[Math.min(k, count - 1)]!, closed[Math.min(k, count - 1) + 1]!]
        const border = y1 + ((x - x1) * (y2 - y1)) / (x2 - x1)
        const lat = pick([border + between(-1, 1), between(-89.9, 89.9), isNorth ? 90 : -90, isNorth ? -90 : 90])
        if (Math.abs(lat) > 90 || Math.abs(lat - border) < 1e-6) continue
        expectInside(bounds, { lat, lng: wrapped(lng) }, isNorth ? lat > border : lat < border)
      }
    }
  })
})
