import { isPlainObject } from '../../platform/json/json.ts'

/** What stands where a name stood. */
const ERASED = 'erased'

const isNamed = (value: unknown, names: ReadonlySet<string>) =>
  (typeof value === 'string' || typeof value === 'number') && names.has(String(value))

/** The targeting of a send without these installs and users; its lists stay, although one may be empty now. */
export function filtersWithout(filters: unknown, names: ReadonlySet<string>): unknown {
  if (!isPlainObject(filters)) return filters
  return Object.fromEntries(
    Object.entries(filters).map(([field, value]) => [
      field,
      Array.isArray(value) ? value.filter((id) => !isNamed(id, names)) : value,
    ]),
  )
}

/**
 * A stored answer without these names. An object that has one as a value is about that person: nothing else of it stays.
 * Elsewhere the name alone is replaced, so that a repeated request still gets the number of its notification. A number is a
 * name only in a list of ids of users or installs.
 */
export function answerWithout(answer: unknown, names: ReadonlySet<string>, field = ''): unknown {
  const isName = (value: unknown) => typeof value === 'string' && names.has(value)
  if (isName(answer)) return ERASED
  if (Array.isArray(answer)) {
    const isList = /(user|install)Ids$/i.test(field)
    return answer.map((item) => (isList && isNamed(item, names) ? ERASED : answerWithout(item, names)))
  }
  if (!isPlainObject(answer)) return answer
  const isAbout = Object.values(answer).some(isName)
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => {
      if (isAbout) return [name, isName(value) ? ERASED : null]
      return [names.has(name) ? ERASED : name, answerWithout(value, names, name)]
    }),
  )
}
