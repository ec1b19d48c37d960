import { contains, type Shape } from './shape/shape.ts'
import type { Position } from './types.ts'

/** A geofence whose box contains the position, so the position may be inside. */
export interface Candidate {
  id: number
  shape: Shape
}

/** What changes when an install moves. Ids are ascending, so that two installs cannot deadlock. */
export interface Transitions {
  inside: number[]
  entered: number[]
  left: number[]
}

/** Geofences that contained the install, candidates for now, and its position -> what it entered and left. */
export function transitions(
  before: ReadonlySet<number>,
  candidates: Iterable<Candidate>,
  position: Position,
): Transitions {
  const inside = new Set<number>()
  for (const { id, shape } of candidates) if (contains(shape, position)) inside.add(id)
  const ascending = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b)
  return {
    inside: ascending(inside),
    entered: ascending(inside.difference(before)),
    left: ascending(before.difference(inside)),
  }
}
