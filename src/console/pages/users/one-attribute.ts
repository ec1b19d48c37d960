import { parseJson } from '../../parts/json-text.ts'

/**
 * Makes the patch that stores `12` as `visits`. A value that is JSON is stored as JSON, any other as text. An empty text
 * removes the attribute.
 */
export function one(name: string, text: string): Record<string, unknown> {
  const given = text.trim()
  if (given === '') return { [name.trim()]: null }
  try {
    return { [name.trim()]: parseJson(given) }
  } catch {
    // Text, and a number that is not kept: it stays as it was written.
    return { [name.trim()]: given }
  }
}
