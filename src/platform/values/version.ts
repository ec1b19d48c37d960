import { AppError } from '../errors.ts'
import { idSegment } from './parse.ts'

/** Versions are numbered from 1; the largest number that their column holds. */
export const LAST_VERSION = 2 ** 31 - 1

/** Reads the number of a version from a URL or command. Throws `not_found` if it cannot be one. */
export function versionNumber(given: string): number {
  const version = idSegment(given, 'version')
  if (version > LAST_VERSION) throw new AppError('not_found', `there is no version ${version}`)
  return version
}
