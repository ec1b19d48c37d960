import { AppError } from '../../platform/errors.ts'

/** Ends the demo with `unavailable` unless `holds`. */
export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new AppError('unavailable', `the demo failed: ${otherwise}`)
}
