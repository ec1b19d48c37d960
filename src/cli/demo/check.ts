import { AppError } from '../../platform/errors.ts'

/** Ends the story with `unavailable` unless it holds. */
export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new AppError('unavailable', `the story did not go as it should: ${otherwise}`)
}
