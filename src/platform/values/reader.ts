import { type FieldErrors, MOST_NAMED } from '../errors.ts'
import { isPlainObject } from '../json/json.ts'

/**
 * Reads values whose shape a flat schema cannot say: trees, documents, GeoJSON, the texts of settings. A reader returns
 * what it read, or undefined after reporting every wrong place. `platform/values/parse.ts` reads flat requests and shares the
 * wording below.
 */

export const IS_REQUIRED = 'is required'
export const IS_EMPTY = 'must not be empty'
export const NOT_STORABLE = 'must be well-formed text without NUL characters'
export const MUST_BE = {
  string: 'must be a string',
  number: 'must be a number',
  boolean: 'must be true or false',
  object: 'must be an object',
  array: 'must be an array',
} as const
export const atLeast = (min: number, what: string) => (min === 1 ? IS_EMPTY : `must have at least ${min} ${what}`)
export const atMost = (max: number, what: string) => `must have at most ${max} ${what}`
export const tooDeep = (levels: number) => `is nested deeper than ${levels} levels`
export const unknownField = (known: Iterable<string>, of = 'this object') => {
  const names = [...known].join(', ')
  return names === '' ? `is not a field of ${of}, which has none: leave it out` : `is not a field of ${of} (${names})`
}
export function oneOfThese(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(', ')}`
}

/** Problems of the value being read, by place. */
export interface Problems {
  say(at: string, problem: string): undefined
}

/** Reads the value at the path `at` (`''` is the whole). `P` is what a family of readers needs besides problems. */
export type Reader<T = unknown, P extends Problems = Problems> = (
  value: unknown,
  at: string,
  problems: P,
) => T | undefined

/** Reads a whole value: what it means, or every wrong place by path. */
export function readWhole<T>(
  reader: Reader<T>,
  value: unknown,
): { value: T; errors?: never } | { errors: FieldErrors } {
  const problems = gatherProblems()
  const read = reader(value, '', problems)
  const errors = problems.errors()
  return Object.keys(errors).length === 0 ? { value: read as T } : { errors }
}

/** Maximum number of problems that are kept; the others are counted. A body of a megabyte can have 100 000. */
const MAX_PROBLEMS = MOST_NAMED - 1

/** Collects problems in the order in which they are reported. */
export function gatherProblems(): Problems & { errors(): FieldErrors } {
  const wrong: [at: string, problem: string][] = []
  let more = 0
  return {
    say(at, problem) {
      if (wrong.length < MAX_PROBLEMS) wrong.push([at, problem])
      else more++
      return undefined
    },
    errors() {
      const all = more > 0 ? [...wrong, ['', `has ${more} more problems`] as const] : wrong
      const byPlace = Map.groupBy(all, ([at]) => at)
      return Object.fromEntries([...byPlace].map(([at, some]) => [at, some.map(([, problem]) => problem)]))
    },
  }
}

/** Reports the names that are not known. `of`: as in `unknownField`. */
export function refuseOthers(
  given: Record<string, unknown>,
  known: readonly string[],
  of: string,
  at: string,
  problems: Problems,
): void {
  const others = Object.keys(given).filter((name) => !known.includes(name))
  if (others.length === 0) return
  const problem = unknownField(known, of)
  for (const name of others.slice(0, MAX_PROBLEMS)) problems.say(joined(at, name), problem)
  if (others.length > MAX_PROBLEMS) problems.say(at, `has ${others.length - MAX_PROBLEMS} more unknown fields`)
}

/** The path of a field of the object at `at`. */
export function joined(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

/** The path of the place `path` within the value at `at`. */
export function within(at: string, path: string): string {
  return path === '' || path.startsWith('[') ? `${at}${path}` : joined(at, path)
}

/** The same errors with `base` before every path. */
export function below(base: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([path, problems]) => [within(base, path), problems]))
}

/** Readers of an object's fields; a name that ends with an exclamation mark is required. */
export type Fields<P extends Problems> = Record<string, Reader<unknown, P>>

/** An object with these fields. `open`: other fields pass unread; otherwise they are wrong. */
export function object<P extends Problems = Problems>(
  fields: Fields<P>,
  { open = false, wanted = MUST_BE.object }: { open?: boolean; wanted?: string } = {},
): Reader<Record<string, unknown>, P> {
  const required = Object.keys(fields).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []))
  const known = new Map(Object.entries(fields).map(([name, read]) => [name.replace(/!$/, ''), read]))
  return (value, at, problems) => {
    if (!isPlainObject(value)) return problems.say(at, wanted)
    for (const name of required) if (!Object.hasOwn(value, name)) problems.say(joined(at, name), IS_REQUIRED)
    if (!open) refuseOthers(value, [...known.keys()], 'this object', at, problems)
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const read = known.get(name)
        if (read) return [name, read(part, joined(at, name), problems)]
        return [name, open ? part : undefined]
      }),
    )
  }
}

/** An object whose `type` decides which fields it has. `open` as in `object`. */
export function byType<P extends Problems = Problems>(
  kinds: Record<string, Fields<P>>,
  options: { open?: boolean } = {},
): Reader<Record<string, unknown>, P> {
  const type = choice(Object.keys(kinds))
  const readers = new Map(
    Object.entries(kinds).map(([name, fields]) => [name, object({ 'type!': type, ...fields }, options)]),
  )
  // Nobody knows which fields go with an unknown type.
  const typeAlone = object<P>({ 'type!': type }, { open: true })
  return (value, at, problems) => {
    const read = isPlainObject(value) && typeof value.type === 'string' ? readers.get(value.type) : undefined
    return (read ?? typeAlone)(value, at, problems)
  }
}

/** A list of `min` to `max` items. One of another length is refused unread. */
export function list<T, P extends Problems>(
  read: Reader<T, P>,
  { min = 1, max, what = 'items' }: { min?: number; max: number; what?: string },
): Reader<(T | undefined)[], P> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) return problems.say(at, MUST_BE.array)
    if (value.length < min) return problems.say(at, atLeast(min, what))
    if (value.length > max) return problems.say(at, atMost(max, what))
    return value.map((part: unknown, i) => read(part, `${at}[${i}]`, problems))
  }
}

/** A value that passes the test. */
export function only<T>(test: (value: unknown) => value is T, problem: string): Reader<T> {
  return (value, at, problems) => (test(value) ? value : problems.say(at, problem))
}

export function choice<const T extends string | number>(values: readonly T[]): Reader<T> {
  return only((value): value is T => (values as readonly unknown[]).includes(value), oneOfThese(values))
}

export const flag = only((value) => typeof value === 'boolean', MUST_BE.boolean)

export function number(min: number, max: number): Reader<number> {
  const isNumber = (value: unknown) => typeof value === 'number' && value >= min && value <= max
  return only((value): value is number => isNumber(value), `must be a number from ${min} to ${max}`)
}
