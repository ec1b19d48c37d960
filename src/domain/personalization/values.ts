import { isStorable } from '../../platform/json/json.ts'

/** Values of a template: JSON, of which texts, numbers and booleans can be printed. Pure. */

/**
 * Tells whether a value is missing where a text prints it or a condition asks for it. So is a text that no push may carry: Apple's parser refuses
 * half a character, and databases a NUL.
 */
export function isMissing(value: unknown): boolean {
  if (typeof value === 'string') return value === '' || !isStorable(value)
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value !== 'boolean'
}

/** The text of a value; empty for a missing one. */
export function textOf(value: unknown): string {
  return isMissing(value) ? '' : String(value)
}

/** The number of a value as Liquid reads it: 0 for what is none. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' || typeof value === 'boolean') return Number(value) || 0
  return 0
}

/** A member of an object or an item of a list; undefined when the value has no such member of its own. */
export function memberOf(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return typeof name === 'number' ? (value as unknown[]).at(name) : undefined
  return Object.hasOwn(value, name) ? (value as Record<string | number, unknown>)[name] : undefined
}

/** A character that is seen: no blank, and none of those that only join, direct or control others. */
const SEEN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Tells whether nobody sees anything of a text. */
export function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most texts begin with one of these, and this is asked for each recipient.
  return !(first > 0x20 && first < 0x7f) && !SEEN.test(text)
}
