import { expect } from 'chai'
import { type FieldErrors, isAppError } from '../../src/platform/errors.ts'

/** The wrong keys that `run` throws, or `'accepted'`. */
export function wrongKeys(run: () => unknown): FieldErrors | undefined | 'accepted' {
  try {
    run()
    return 'accepted'
  } catch (error) {
    if (!isAppError(error)) throw error
    expect(error.code).to.equal('invalid')
    return error.details.fields
  }
}
