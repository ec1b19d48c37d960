import { type Pace, unhurried } from '../../platform/long-reads/pace.ts'
import type { PresenceRepository } from './presence.repository.ts'
import type { Box, Position } from './types.ts'

/** How many installs are in a square of the grid, at least `FEWEST`. */
export interface DensityCell {
  /** The south-western corner, in degrees. */
  south: number
  west: number
  /** A multiple of `FEWEST`, rounded down. */
  installs: number
}

/** Last positions of installs, counted in squares. Nobody's position can be read from it. */
export interface Density {
  /** Side of a square in degrees. */
  size: number
  cells: DensityCell[]
  /** False when the time was over before every position was read: the south was counted. */
  isComplete: boolean
}

/**
 * Squares with fewer installs are left out, and the others rounded down to a multiple of it: a square of one says where
 * somebody lives, and two grids that differ by one install say where that one is.
 */
const FEWEST = 5
/** Sides that a grid may have: 22.5 degrees halved again and again. They are the same for every caller, so that no grid can be moved by a step. */
const LARGEST = 22.5
/** Half a kilometre. */
const HALVINGS = 12
/** Squares of a grid along its longer side. */
const MOST = 48
/** Positions read by one statement: some milliseconds. */
const PAGE = 5000

/** The side of the squares of a grid that covers this box. Pure. */
function cellSize({ west, south, east, north }: Box): number {
  const needed = Math.max(east - west, north - south) / MOST
  for (let i = HALVINGS; i > 0; i--) {
    const size = LARGEST / 2 ** i
    if (size >= needed) return size
  }
  return LARGEST
}

/** The counts of squares -> what callers get of them. Pure. */
function shownCells(counts: ReadonlyMap<string, number>, size: number): DensityCell[] {
  const cells: DensityCell[] = []
  for (const [key, count] of counts) {
    if (count < FEWEST) continue
    const [x, y] = key.split(' ').map(Number) as [number, number]
    cells.push({ south: y * size, west: x * size, installs: count - (count % FEWEST) })
  }
  return cells.sort((a, b) => a.south - b.south || a.west - b.west)
}

/** The number of a square: its column and row from the point 0, 0. Pure. */
function cellOf({ lat, lng }: Position, size: number): string {
  return `${Math.floor(lng / size)} ${Math.floor(lat / size)}`
}

/** Counts the last positions of an app's installs in the squares that touch a box. */
export function densityReader(presence: Pick<PresenceRepository, 'placed'>) {
  return {
    async density(appId: number, box: Box, pace: Pace = unhurried): Promise<Density> {
      const size = cellSize(box)
      const down = (degrees: number) => Math.floor(degrees / size) * size
      const up = (degrees: number) => Math.ceil(degrees / size) * size
      const [west, south, east, north] = [down(box.west), down(box.south), up(box.east), up(box.north)]
      const counts = new Map<string, number>()
      let at = { lat: south, row: 0 }
      for (;;) {
        if (!(await pace.turn())) return { size, cells: shownCells(counts, size), isComplete: false }
        const found = await presence.placed(appId, at, north, PAGE)
        for (const position of found) {
          if (position.lat >= north && north < 90) continue
          // A box may lie across the antimeridian; then its east is above 180.
          const isInside = [position.lng, position.lng + 360].some((lng) => lng >= west && lng < east)
          if (!isInside) continue
          const key = cellOf(position, size)
          counts.set(key, (counts.get(key) ?? 0) + 1)
        }
        const last = found.at(-1)
        if (found.length < PAGE || last === undefined) break
        at = { lat: last.lat, row: last.row }
      }
      return { size, cells: shownCells(counts, size), isComplete: true }
    },
  }
}
