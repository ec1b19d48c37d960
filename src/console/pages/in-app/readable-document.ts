import { readable } from '../push/personal/template.ts'
import type { Doc } from '../templates/document.ts'

/** A document of the interface with the words of its values in place of braces: nothing is known of a person here. Pure. */
export function readableDocument(document: unknown): Doc {
  const inWords = (value: unknown): unknown => {
    if (typeof value === 'string') return readable(value)
    if (Array.isArray(value)) return value.map(inWords)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inWords(one)]))
  }
  return inWords(document) as Doc
}
