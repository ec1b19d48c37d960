import { isPlainObject } from '../../platform/json/json.ts'
import { readInstant } from '../../platform/time/instants.ts'

/** The non-empty text at `key`, or a number as text; null otherwise. */
export function textAt(value: unknown, key: string): string | null {
  const found = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found.trim() !== '' ? found : null
}

/** The list at `key`, or an empty one. */
export function listAt(value: unknown, key: string): unknown[] {
  const found = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return Array.isArray(found) ? found : []
}

/** Parses a time in a report: ISO text, or seconds, milliseconds or microseconds since 1970. Null for anything else. */
export function momentOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const text = value.slice(0, 64)
    // Libraries also write other forms, such as Java's `Sun Mar 01 07:30:05 UTC 2026`.
    const at = readInstant(text, { largestOffset: 23, hour24: true }) ?? Date.parse(text)
    return Number.isNaN(at) ? null : at
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null
  return Math.trunc(value > 1e14 ? value / 1000 : value > 1e11 ? value : value * 1000)
}

/** Splits `java.lang.Error: why` into name and message. Without a colon all of it is the name. */
export function splitError(line: string): { exception: string; message: string | null } {
  const colon = line.indexOf(':')
  if (colon < 0) return { exception: line.trim(), message: null }
  return { exception: line.slice(0, colon).trim(), message: line.slice(colon + 1).trim() || null }
}

/** Maximum number of frames and lines that are read. The stack of an overflow is very long. */
export const MAX_FRAMES = 500
const MAX_LINES = 2000

/** The first lines of a stack trace, trimmed. */
export function linesOf(stack: string): string[] {
  return stack
    .slice(0, 400_000)
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
