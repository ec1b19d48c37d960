import { contains, type Shape } from './shape.ts'
import type { Position } from './types.ts'

/** A fence that the position may be in: its box has it. */
export interface Candidate {
  id: number
  shape: Shape
}

/** Where an install is after it moved. Ids ascend, so that two installs never wait for each other in a circle. */
export interface Transitions {
  inside: number[]
  entered: number[]
  left: number[]
}

/** Fences that the install was in, those it may be in now, and where it is -> what it entered and left. */
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
