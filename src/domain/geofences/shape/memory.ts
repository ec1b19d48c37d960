import { readObject } from '../../../platform/json/json.ts'
import { type Shape, shapeOfStored } from './shape.ts'

/** Maximum number of cached shapes. With polygons of two thousand positions they take some megabytes. */
const MAX_SHAPES = 64

/**
 * Digest of the bounds -> shape, the most recently used last. A digest means the same shape in every app and database.
 */
const shapes = new Map<string, Shape>()

/** The cached shape of bounds with this digest, if any. */
export function recallShape(digest: string): Shape | undefined {
  const shape = shapes.get(digest)
  if (!shape) return undefined
  shapes.delete(digest)
  shapes.set(digest, shape)
  return shape
}

/** Reads bounds and caches their shape. For long bounds, which take longer to parse than to test. */
export function rememberShape(digest: string, bounds: string): Shape {
  const shape = readShape(bounds)
  if (shapes.size >= MAX_SHAPES) shapes.delete(shapes.keys().next().value!)
  shapes.set(digest, shape)
  return shape
}

/** Stored bounds -> shape; that of no place at all for bounds that cannot be read. */
export function readShape(bounds: string): Shape {
  return shapeOfStored(readObject(bounds))
}
