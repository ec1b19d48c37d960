import { isPlainObject, objectOf } from '../../platform/json.ts'

/**
 * Reading what devices send: old clients write numbers as strings, leave parts out and put in what no column takes, and they
 * resend a refused batch for ever (docs/reference/device-protocol.md section 4). So these readers never throw; what makes no sense is null.
 */

/** The object at `key`, or an empty one. */
export function objectAt(value: unknown, key: string): Record<string, unknown> {
  return objectOf(isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
}

/** A whole number, also when written as a string or with a fraction; null otherwise. */
export function wholeNumber(value: unknown): number | null {
  const given = typeof value === 'string' && /^\s*-?\d+(\.\d*)?\s*$/.test(value) ? Number(value) : value
  if (typeof given !== 'number') return null
  const whole = Math.trunc(given)
  return Number.isSafeInteger(whole) ? whole : null
}

/** Text cut to `max` code points and freed of what the databases refuse; a number becomes text; null when nothing is left. */
export function shortText(value: unknown, max = 255): string | null {
  const given = typeof value === 'number' ? String(value) : value
  if (typeof given !== 'string') return null
  // Cut generously first: the text may be megabytes long, and a code point is at most two units.
  const clean = given
    .slice(0, max * 2 + 2)
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()
  const cut = clean.length <= max ? clean : [...clean].slice(0, max).join('')
  return cut === '' ? null : cut
}

/** true and false, also as 1, 0 or text; null otherwise. */
export function yesOrNo(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}
