import type { Shape } from './bounds.ts'
import { metresText } from './map/projection.ts'

/** "Circle of 250 m" */
export function describeShape(shape: Shape): string {
  return shape.kind === 'circle' ? `Circle of ${metresText(shape.radius)}` : `Area of ${shape.points.length} corners`
}
