import { isPlainObject } from '../../platform/json/json.ts'

/** The text in the place of a name. */
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

/** The body of a send that repeats without these installs and users, and without what it says to them alone. */
export function requestWithout(request: unknown, names: ReadonlySet<string>): unknown {
  if (!isPlainObject(request)) return request
  const { target, userMeta } = request
  const kept = isPlainObject(userMeta) && Object.entries(userMeta).filter(([name]) => !names.has(name))
  return { ...request, target: filtersWithout(target, names), ...(kept && { userMeta: Object.fromEntries(kept) }) }
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
