import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import { joined, MUST_BE, type Reader as PlainReader, type Problems, tooDeep } from '../../platform/values/reader.ts'

/** Reads content documents. Their texts are checked, and possibly replaced, while they are read. */

/**
 * The purpose of a text. An `image` is the address of one, or the image itself as a data URL. A `label` must not be blank, a `word` is a name for programs, `free` is a value for the app.
 */
export type TextKind = 'text' | 'label' | 'url' | 'image' | 'color' | 'lang' | 'word' | 'free'

/** A document being read. */
export interface Reading extends Problems {
  /** Checks a text and returns its replacement. */
  text(value: string, kind: TextKind, at: string): string
}

/** Reads one part of a document. */
export type Reader = PlainReader<unknown, Reading>

export const onlyTrue: Reader = (value, at, reading) =>
  value === true ? value : reading.say(at, 'must be true; leave it out for false')

export function textOf(kind: TextKind): Reader {
  return (value, at, reading) =>
    typeof value === 'string' ? reading.text(value, kind, at) : reading.say(at, MUST_BE.string)
}

const MAX_NAME_LENGTH = 255

/** Reads data for the app: any JSON object with at most `levels` levels. Values may contain tags, names may not. */
export function freeObject(levels: number): Reader {
  const read = (value: unknown, at: string, reading: Reading, level: number): unknown => {
    if (typeof value === 'string') return reading.text(value, 'free', at)
    if (typeof value !== 'object' || value === null) return value
    if (level > levels) return reading.say(at, tooDeep(levels))
    if (Array.isArray(value)) return value.map((part: unknown, i) => read(part, `${at}[${i}]`, reading, level + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const problem = nameProblem(name)
        if (problem !== undefined) reading.say(joined(at, name), problem)
        return [name, read(part, joined(at, name), reading, level + 1)]
      }),
    )
  }
  return (value, at, reading) => (isPlainObject(value) ? read(value, at, reading, 1) : reading.say(at, MUST_BE.object))
}

function nameProblem(name: string): string | undefined {
  // Code that copies the object field by field would change the prototype instead.
  if (name === '__proto__') return 'must not be called __proto__'
  if (name.includes('{{')) return 'has a tag in its name: only values may hold tags'
  if (!isStorable(name) || name.length > MAX_NAME_LENGTH)
    return `must have a name of at most ${MAX_NAME_LENGTH} characters`
  return undefined
}
