import { setImmediate } from 'node:timers/promises'
import { markLength } from '../../../platform/text/csv.ts'
import { readColumn } from '../one-column.ts'

/** Lines of a file that one statement of PostgreSQL applies. */
export interface Lines {
  /** The place in the file that they begin at, and their end, in bytes. */
  from: number
  place: number
  /** Number of the line that begins at their end. */
  line: number
  /** The identifiers as the text of an array of PostgreSQL. A string for each would take three times the memory. */
  names: string
  /** The line in which each identifier begins. */
  lines: number[]
}

/** The part of a file that is to be read. */
export interface Stretch {
  place: number
  line: number
  /** Size of the file. */
  size: number
  /** Maximum number of identifiers. */
  most: number
}

/** Identifiers that are read without a pause: the thread has other work. */
const READ_AT_ONCE = 20_000
/** Maximum number of bytes of the lines. A million usual lines have 13 MB, and with the longest ones the file is as large as it may be. */
const MOST_BYTES = 4 * 1024 * 1024

/** The file is not what was uploaded. */
export class FileChanged extends Error {}

/**
 * Reads the lines of a stretch. `read` returns bytes from a place on, and undefined if there is no file; then so does this function. Throws
 * `LineError` for a line that cannot be used, and `FileChanged` when bytes are missing.
 */
export async function readLines(
  { place: from, line: first, size, most }: Stretch,
  read: (place: number) => Promise<Buffer | undefined>,
): Promise<Lines | undefined> {
  const names: string[] = []
  const lines: number[] = []
  let place = from
  let line = first
  while (place < size && lines.length < most && place - from < MOST_BYTES) {
    const bytes = await read(place)
    if (!bytes) return undefined
    const skipped = place === 0 ? markLength(bytes) : 0
    const last = place + bytes.length >= size
    const column = readColumn(bytes.subarray(skipped), {
      line,
      last,
      most: Math.min(READ_AT_ONCE, most - lines.length),
    })
    if (column.consumed === 0) throw new FileChanged()
    names.push(column.values.map(quoted).join(','))
    for (const one of column.lines) lines.push(one)
    line = column.line
    // Skips blank lines at the end of the file.
    place = Math.min(place + skipped + column.consumed, size)
    await setImmediate()
  }
  return { from, place, line, names: `{${names.filter((some) => some !== '').join(',')}}`, lines }
}

/** The identifiers at these places, from 1 and ascending, in the text of an array. */
export function namesAt(names: string, places: Float64Array): string[] {
  const found: string[] = []
  let at = 0
  for (const [, text] of names.matchAll(ELEMENT)) {
    if (found.length === places.length) break
    if (++at === places[found.length]) found.push(text!.replace(/\\(.)/gs, '$1'))
  }
  return found
}

const ELEMENT = /"((?:[^"\\]+|\\.)*)"/gs

/** A text as an element of an array of PostgreSQL (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
