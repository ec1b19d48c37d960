import { readInstant } from '../../platform/instants.ts'
import { isPlainObject } from '../../platform/json.ts'

/** Text at `key` that is not empty, or a number as text; null otherwise. */
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

/** A moment as reports write it: ISO text, or seconds, milliseconds or microseconds since 1970. Null for anything else. */
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

/** `java.lang.Error: why` -> both halves; without a colon all of it is the name. */
export function splitError(line: string): { exception: string; message: string | null } {
  const colon = line.indexOf(':')
  if (colon < 0) return { exception: line.trim(), message: null }
  return { exception: line.slice(0, colon).trim(), message: line.slice(colon + 1).trim() || null }
}

/** Frames and lines of a stack that are looked at: some stacks overflow. */
export const MOST_FRAMES = 500
const MOST_LINES = 2000

/** The first lines of a stack trace, without blanks around them. */
export function linesOf(stack: string): string[] {
  return stack
    .slice(0, 400_000)
    .split('\n', MOST_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
