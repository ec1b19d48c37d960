import { isPlainObject, objectOf } from '../json/json.ts'

/**
 * Readers of JSON from programs that cannot be corrected. Old clients write numbers as strings, leave parts out, send
 * values that no column can hold, and resend a refused batch for ever (docs/reference/device-protocol.md section 4).
 * These readers therefore never throw: a value that makes no sense is null.
 */

/** The object at `key`; an empty one when there is none. */
export function objectAt(value: unknown, key: string): Record<string, unknown> {
  return objectOf(isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
}

/** An integer. A string is parsed, and a fraction is dropped. */
export function wholeNumber(value: unknown): number | null {
  const given = typeof value === 'string' && /^\s*-?\d+(\.\d*)?\s*$/.test(value) ? Number(value) : value
  if (typeof given !== 'number') return null
  const whole = Math.trunc(given)
  return Number.isSafeInteger(whole) ? whole : null
}

/**
 * Text of at most `max` code points, without the characters that PostgreSQL refuses. A number becomes text; empty text
 * is null.
 */
export function shortText(value: unknown, max = 255): string | null {
  const given = typeof value === 'number' ? String(value) : value
  if (typeof given !== 'string') return null
  // Cut to a safe length first: the text may be megabytes long, and a code point is at most two UTF-16 units.
  const clean = given
    .slice(0, max * 2 + 2)
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()
  const cut = clean.length <= max ? clean : [...clean].slice(0, max).join('')
  return cut === '' ? null : cut
}

/** A boolean, also written as 1, 0 or text. */
export function yesOrNo(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}
