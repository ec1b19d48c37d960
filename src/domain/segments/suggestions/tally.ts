import { isPlainObject } from '../../../platform/json/json.ts'

const MAX_VALUES = 15
/** Different values of one member that are counted: beyond, it is hardly one of a few. */
const MAX_DISTINCT = 1000
const MAX_VALUE_LENGTH = 80
/** The deepest member that a filter can name. */
const MAX_DEPTH = 8

/** Types of values, as people name them. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'list'
export type Scalar = string | number | boolean

/** Members of one name that were seen. */
export interface Tally {
  /** The number of objects that have it. */
  seen: number
  kinds: Set<ValueKind>
  values: Map<Scalar, number>
}

/** Adds the members of one object, by the field of a filter that names them: `at` is that of the object itself. */
export function addAll(tallies: Map<string, Tally>, members: unknown, at: string, depth = 0): void {
  if (!isPlainObject(members)) return
  for (const [name, value] of Object.entries(members)) {
    if (value === null || name === '') continue
    const field = at + (/^[^\s.[\]"'\\]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)
    if (isPlainObject(value)) {
      if (depth + 1 < MAX_DEPTH) addAll(tallies, value, field, depth + 1)
      continue
    }
    let tally = tallies.get(field)
    if (!tally) {
      if (tallies.size >= MAX_DISTINCT) continue
      tally = { seen: 0, kinds: new Set(), values: new Map() }
      tallies.set(field, tally)
    }
    tally.seen += 1
    tally.kinds.add(kindOf(value))
    if (isShort(value) && (tally.values.has(value) || tally.values.size < MAX_DISTINCT)) {
      tally.values.set(value, (tally.values.get(value) ?? 0) + 1)
    }
  }
}

function kindOf(value: unknown): ValueKind {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean'
  return typeof value === 'string' ? 'text' : 'list'
}

/** Tells whether a value is worth offering. */
export function isShort(value: unknown): value is Scalar {
  if (typeof value === 'string') return value !== '' && value.length <= MAX_VALUE_LENGTH
  return typeof value === 'number' || typeof value === 'boolean'
}

/** The most frequent values first. */
export function mostFrequent<T extends Scalar>(values: ReadonlyMap<T, number>): T[] {
  return [...values]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_VALUES)
    .map(([value]) => value)
}
