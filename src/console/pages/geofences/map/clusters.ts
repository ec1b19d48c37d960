import { type Size, type Spot, shareX, shareY, type View, worldWidth } from './projection.ts'

/** A thing that is placed on the map, as shares of the world: its middle, and how far its box reaches from there. */
export interface Placeable {
  share: { x: number; y: number; reach: number }
}

/** One of them alone, large enough to be seen. */
export interface Drawn<T> extends Spot {
  kind: 'shape' | 'pin'
  of: T
}

/** Several that lie too close together to be told apart. */
export interface Cluster<T> extends Spot {
  kind: 'cluster'
  of: readonly T[]
}

/** Smaller ones are shown as a pin. */
const TINY_PX = 12
/** Side of the squares in which pins are gathered. */
const SQUARE_PX = 48
/** Shapes that are drawn at once: more would be one colour, and slow. The largest are drawn. */
const MOST_SHAPES = 400
const OUTSIDE_PX = 80

/**
 * Places everything in sight: shapes, pins, and clusters of pins. `left`: shapes in sight beyond `MOST_SHAPES`, which are not
 * drawn. `chosen` is never gathered.
 */
export function clustered<T extends Placeable>(all: readonly T[], view: View, size: Size, chosen?: T) {
  const shapes: { drawn: Drawn<T>; reach: number }[] = []
  const squares = new Map<string, Drawn<T>[]>()
  const alone: Drawn<T>[] = []
  const world = worldWidth(view.zoom)
  const [midX, midY] = [shareX(view.lng), shareY(view.lat)]
  for (const of of all) {
    const { x, y, reach: reachShare } = of.share
    const reach = reachShare * world
    // The copy that is nearest to the middle of the map: the world goes round.
    const spot = {
      x: size.width / 2 + (x - midX - Math.round(x - midX)) * world,
      y: size.height / 2 + (y - midY) * world,
    }
    const room = Math.max(reach, OUTSIDE_PX)
    if (spot.x < -room || spot.x > size.width + room || spot.y < -room || spot.y > size.height + room) continue
    if (reach >= TINY_PX) shapes.push({ drawn: { kind: 'shape', of, ...spot }, reach })
    else if (of === chosen) alone.push({ kind: 'pin', of, ...spot })
    else {
      const key = `${Math.floor(spot.x / SQUARE_PX)} ${Math.floor(spot.y / SQUARE_PX)}`
      const square = squares.get(key)
      if (square) square.push({ kind: 'pin', of, ...spot })
      else squares.set(key, [{ kind: 'pin', of, ...spot }])
    }
  }
  const kept = shapes.length > MOST_SHAPES ? shapes.toSorted((a, b) => b.reach - a.reach).slice(0, MOST_SHAPES) : shapes
  const gathered = [...squares.values()].map((pins): Drawn<T> | Cluster<T> => {
    if (pins.length === 1) return pins[0]!
    const mean = (pick: (spot: Spot) => number) => pins.reduce((sum, pin) => sum + pick(pin), 0) / pins.length
    return { kind: 'cluster', of: pins.map(({ of }) => of), x: mean(({ x }) => x), y: mean(({ y }) => y) }
  })
  return {
    marks: [...kept.map(({ drawn }) => drawn), ...gathered, ...alone],
    left: shapes.length - kept.length,
  }
}
