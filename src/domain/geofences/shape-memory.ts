import { type Shape, shapeOf } from './shape.ts'
import type { BoundsFeature } from './types.ts'

/** Polygons of up to two thousand positions: together some megabytes. */
const MOST_SHAPES = 64

/** Digest of the bounds -> shape, the one used last at the end. What a digest means never changes, in no app and no database. */
const shapes = new Map<string, Shape>()

/** The shape that was read from bounds of this digest before, if it is still remembered. */
export function recallShape(digest: string): Shape | undefined {
  const shape = shapes.get(digest)
  if (!shape) return undefined
  shapes.delete(digest)
  shapes.set(digest, shape)
  return shape
}

/** Reads the bounds and remembers their shape: for long ones, which take longer to read than to test. */
export function rememberShape(digest: string, bounds: string): Shape {
  const shape = readShape(bounds)
  if (shapes.size >= MOST_SHAPES) shapes.delete(shapes.keys().next().value!)
  shapes.set(digest, shape)
  return shape
}

/** Stored bounds -> shape. */
export function readShape(bounds: string): Shape {
  return shapeOf(JSON.parse(bounds) as BoundsFeature)
}
