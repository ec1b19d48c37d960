import { decodeLine } from './polyline.ts'
import { type LngLat, shareX, shareY } from './projection.ts'

/** A ring or a line whose sides are shares of the world, and the box that it lies in. */
interface Piece {
  path: Path2D
  west: number
  east: number
  north: number
  south: number
}

/** Coasts and borders. */
export interface Outlines {
  land: readonly Piece[]
  borders: readonly Piece[]
}

interface Data {
  scale: number
  coast: string[]
  land: number[][]
  borders: string[]
}

/** From here on the coasts of 1:10 million are drawn. */
export const NEAR_ZOOM = 4.5

/** Neighbours are never half the earth apart: what crosses the antimeridian goes on beyond 180. */
function unwound(points: readonly LngLat[]): LngLat[] {
  let before: number | undefined
  return points.map(([lng, lat]) => {
    const next = before === undefined ? lng : lng + 360 * Math.round((before - lng) / 360)
    before = next
    return [next, lat]
  })
}

function pieceOf(points: readonly LngLat[], isRing: boolean): Piece {
  const path = new Path2D()
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [i, [lng, lat]] of points.entries()) {
    const [x, y] = [shareX(lng), shareY(lat)]
    if (i === 0) path.moveTo(x, y)
    else path.lineTo(x, y)
    west = Math.min(west, x)
    east = Math.max(east, x)
    north = Math.min(north, y)
    south = Math.max(south, y)
  }
  if (!isRing) return { path, west, east, north, south }
  const [first, last] = [points[0]!, points.at(-1)!]
  // Antarctica goes round the earth: it is closed below the map.
  if (Math.abs(last[0] - first[0]) > 180) {
    path.lineTo(shareX(last[0]), 1)
    path.lineTo(shareX(first[0]), 1)
    south = 1
  }
  path.closePath()
  return { path, west, east, north, south }
}

function outlinesOf({ scale, coast, land, borders }: Data): Outlines {
  const lines = coast.map((line) => decodeLine(line, scale))
  return {
    land: land.map((ring) =>
      pieceOf(unwound(ring.flatMap((arc) => (arc < 0 ? lines[~arc]!.toReversed() : lines[arc]!))), true),
    ),
    borders: borders.map((line) => pieceOf(unwound(decodeLine(line, scale)), false)),
  }
}

let far: Promise<Outlines> | undefined
let near: Promise<Outlines> | undefined

/** The outlines of the world, which are loaded with the first map. */
export function loadOutlines(): Promise<Outlines> {
  far ??= import('./natural-earth/outlines.ts').then(({ default: data }) => outlinesOf(data))
  return far
}

/** The coasts and borders for larger zooms, which are loaded when somebody first comes that near. */
export function loadCoasts(): Promise<Outlines> {
  near ??= import('./natural-earth/coasts.ts').then(({ default: data }) => outlinesOf(data))
  return near
}
