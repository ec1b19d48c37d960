import type { InAppLanguageCount } from '../record/language-counts.repository.ts'
import type { LeftOut } from '../types.ts'
import type { KeptTexts, NotGiven } from './compiled-message.ts'

/** Expressions that are counted for a message, and the most characters of one that are kept. */
const MAX_EXPRESSIONS = 100
const MAX_EXPRESSION_LENGTH = 255

/** The users left out of a message so far, and those of another step. Null: none. Pure. */
export function withLeftOut(before: LeftOut | null, more: readonly NotGiven[]): LeftOut | null {
  if (more.length === 0) return before
  const { missingValue = 0, tooLarge = 0, missing = {} } = before ?? {}
  const counts = new Map(Object.entries(missing))
  let [lacking, large] = [0, 0]
  for (const one of more) {
    if ('tooLarge' in one) {
      large++
      continue
    }
    lacking++
    for (const expression of new Set(one.missing.map(shortened))) {
      const count = counts.get(expression)
      if (count !== undefined || counts.size < MAX_EXPRESSIONS) counts.set(expression, (count ?? 0) + 1)
    }
  }
  return {
    missingValue: missingValue + lacking,
    tooLarge: tooLarge + large,
    missing: Object.fromEntries(counts),
  }
}

const shortened = (expression: string) =>
  expression.length > MAX_EXPRESSION_LENGTH
    ? `${expression.slice(0, MAX_EXPRESSION_LENGTH - 1).toWellFormed()}…`
    : expression

/** Counts by language the users among `rows` who did not have the message yet. Pure. */
export function recipientsByLanguage(
  rows: readonly (readonly [user: number, kept: KeptTexts])[],
  isNew: ReadonlySet<number>,
): InAppLanguageCount[] {
  const counts = new Map<string, number>()
  for (const [user, { language }] of rows) {
    if (language !== null && isNew.has(user)) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return [...counts].map(([language, recipients]) => ({ language, recipients, shown: 0, read: 0 }))
}
