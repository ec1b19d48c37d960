import { readBarePath, valueAt } from '../../../platform/json/path.ts'
import type { Person } from './people.repository.ts'

/** The tags that may say a person's language, the most telling one first: see `languageMatcher`. */
export type Chain = readonly (string | null | undefined)[]

/**
 * Makes the function that tells the chain of a person: the attribute that the app names (`attribute`, a path; null: none), then the
 * locale of the install.
 */
export function chainBy(attribute: string | null): (person: Person | undefined) => Chain {
  const path = attribute === null ? undefined : readBarePath(attribute)
  if (!path) return (person) => [person?.locale]
  return (person) => {
    const value = valueAt(path, person?.attributes)
    return [typeof value === 'string' ? value : undefined, person?.locale]
  }
}
