import { isPlainObject, isStorable } from '../../platform/json.ts'

/**
 * A small reader of JSON documents whose texts are judged, and possibly replaced, while they are read: a reader returns what it
 * read and says what is wrong, all of it. A document is declared with the makers below (document.ts).
 */

/** What a text is for. `label` must show something, `word` is a name for machines, `free` is a value for the app. */
export type TextKind = 'text' | 'label' | 'url' | 'color' | 'lang' | 'word' | 'free'

/** A document being read. */
export interface Reading {
  /** Judges a text and returns what stands in its place. */
  text(value: string, kind: TextKind, at: string): string
  say(at: string, problem: string): void
}

/** Reads the value at the path `at`. */
export type Reader = (value: unknown, at: string, reading: Reading) => unknown

interface Field {
  read: Reader
  required?: boolean
}

/** Reads an object with these fields and no others; a field with an exclamation mark is required. */
export function object(fields: Record<string, Reader>): Reader {
  const known = new Map<string, Field>(
    Object.entries(fields).map(([name, read]) =>
      name.endsWith('!') ? [name.slice(0, -1), { read, required: true }] : [name, { read }],
    ),
  )
  return (value, at, reading) => {
    if (!isPlainObject(value)) return reading.say(at, 'must be an object')
    for (const [name, { required }] of known) {
      if (required && !Object.hasOwn(value, name)) reading.say(joined(at, name), 'is required')
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const field = known.get(name)
        if (!field) reading.say(joined(at, name), `is not a field of this object (${[...known.keys()].join(', ')})`)
        return [name, field?.read(part, joined(at, name), reading)]
      }),
    )
  }
}

/** Reads an object whose `type` decides which fields it has. */
export function byType(kinds: Record<string, Record<string, Reader>>): Reader {
  const type = choice(Object.keys(kinds))
  const readers = new Map(Object.entries(kinds).map(([name, fields]) => [name, object({ 'type!': type, ...fields })]))
  const any = object({ 'type!': type })
  return (value, at, reading) => {
    if (!isPlainObject(value)) return any(value, at, reading)
    const read = typeof value.type === 'string' ? readers.get(value.type) : undefined
    // Which fields go with an unknown type nobody knows.
    return read ? read(value, at, reading) : any(Object.hasOwn(value, 'type') ? { type: value.type } : {}, at, reading)
  }
}

/** Reads a list; one that is too long is refused unread. */
export function list(read: Reader, { min = 1, max }: { min?: number; max: number }): Reader {
  return (value, at, reading) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      return reading.say(at, `must be a list of ${min} to ${max}`)
    }
    return value.map((part: unknown, i) => read(part, `${at}[${i}]`, reading))
  }
}

export function choice(values: readonly (string | number)[]): Reader {
  return (value, at, reading) => {
    if ((values as readonly unknown[]).includes(value)) return value
    return reading.say(at, values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`)
  }
}

export const flag: Reader = (value, at, reading) =>
  typeof value === 'boolean' ? value : reading.say(at, 'must be true or false')

export const onlyTrue: Reader = (value, at, reading) =>
  value === true ? value : reading.say(at, 'must be true; leave it out for false')

export function number(min: number, max: number): Reader {
  return (value, at, reading) =>
    typeof value === 'number' && value >= min && value <= max
      ? value
      : reading.say(at, `must be a number from ${min} to ${max}`)
}

export function textOf(kind: TextKind): Reader {
  return (value, at, reading) =>
    typeof value === 'string' ? reading.text(value, kind, at) : reading.say(at, 'must be a text')
}

const LONGEST_NAME = 255

/** Reads an object of the app's own: any JSON, no deeper than `levels`. Tags stand in its values, not in its names. */
export function freeObject(levels: number): Reader {
  const read = (value: unknown, at: string, reading: Reading, level: number): unknown => {
    if (typeof value === 'string') return reading.text(value, 'free', at)
    if (typeof value !== 'object' || value === null) return value
    if (level > levels) return reading.say(at, `is nested deeper than ${levels} levels`)
    if (Array.isArray(value)) return value.map((part: unknown, i) => read(part, `${at}[${i}]`, reading, level + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const problem = nameProblem(name)
        if (problem !== undefined) reading.say(joined(at, name), problem)
        return [name, read(part, joined(at, name), reading, level + 1)]
      }),
    )
  }
  return (value, at, reading) =>
    isPlainObject(value) ? read(value, at, reading, 1) : reading.say(at, 'must be an object')
}

function nameProblem(name: string): string | undefined {
  // Who copies the object field by field would change the prototype instead.
  if (name === '__proto__') return 'must not be called __proto__'
  if (name.includes('{{')) return 'has a tag in its name: tags stand in values only'
  if (!isStorable(name) || name.length > LONGEST_NAME) return `must have a name of at most ${LONGEST_NAME} characters`
  return undefined
}

export function joined(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
