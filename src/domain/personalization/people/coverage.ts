import { createSample } from '../../../platform/values/sample.ts'
import type { DefaultTaken, Template, TextOutput } from '../types.ts'
import type { Reader } from './readers.ts'

/** Counts of what a sample of an audience would get, of a push or an in-app message. */

/** An expression of the texts, and what became of it in a sample. */
export interface CoveredExpression extends TextOutput {
  /** Recipients for whom it has no value. */
  missing: number
  /** Recipients for whom a `default` stands in it. */
  defaults: number
  /** The text for those with a default; null where it says different things, or nobody has one. */
  defaultText: string | null
}

/** A recipient as an example. */
interface CoverageExample {
  /** Null for one that is gone. */
  userId: string | null
  /** Tag of the variant, or `default`; null for a content in one language. */
  language: string | null
  title: string
  message: string
}

/** The results of a content for a sample of its audience. */
export interface ReadersCoverage {
  sampled: number
  expressions: CoveredExpression[]
  /** Recipients who get nothing, because a value is missing. */
  skipped: number
  /** Recipients who get nothing, because what they would get is too large. */
  tooLarge: number
  /** Languages by number of recipients, the most frequent one first; undefined for a content in one language. */
  languages: { language: string; count: number }[] | undefined
  examples: CoverageExample[]
  /** Paths at which nobody of the sample has a value. */
  unknown: string[]
}

/** Notes about the rendering for one recipient, for those who ask before anything is sent. */
export interface RenderNotes {
  /** Expressions without a value, also where nothing is printed in their place. */
  missing: string[]
  /** Expressions in which a default stands. */
  defaults: DefaultTaken[]
}

/** The texts of a content, as far as a sample is counted by them. */
export interface CountedTexts {
  /** The outputs of all texts in all languages, each once. */
  outputs: readonly TextOutput[]
  /** The paths that texts and look-ups read, each once. */
  paths: readonly string[]
  hasLanguages: boolean
  /** Tells whether a recipient has any value at one of `paths`. */
  has(path: string, reader: Reader): boolean
}

/** The result for one recipient: what they read, or why they get nothing. */
type Result = 'missing' | 'too large' | { language: string | null; title: string; message: string }

/** Recipients whose result is shown. */
const EXAMPLES = 10

/** Counts of a sample, while it is rendered. */
export class CoverageTally {
  readonly #texts: CountedTexts
  readonly #expressions: Map<string, CoveredExpression>
  readonly #languages = new Map<string, number>()
  readonly #examples = createSample<CoverageExample>(EXAMPLES)
  /** Paths at which nobody has had a value so far. */
  readonly #unknown: Set<string>
  readonly #counts = { sampled: 0, skipped: 0, tooLarge: 0 }

  constructor(texts: CountedTexts) {
    this.#texts = texts
    this.#unknown = new Set(texts.paths)
    this.#expressions = new Map(
      texts.outputs.map((output) => [output.expression, { ...output, missing: 0, defaults: 0, defaultText: null }]),
    )
  }

  add(reader: Reader, { missing, defaults }: RenderNotes, result: Result): void {
    this.#counts.sampled++
    for (const path of this.#unknown) if (this.#texts.has(path, reader)) this.#unknown.delete(path)
    for (const expression of new Set(missing)) {
      const found = this.#expressions.get(expression)
      if (found) found.missing++
    }
    for (const one of new Map(defaults.map((taken) => [taken.expression, taken])).values()) this.#addDefault(one)
    if (result === 'missing') this.#counts.skipped++
    else if (result === 'too large') this.#counts.tooLarge++
    else {
      const { language } = result
      if (language !== null) this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1)
      this.#examples.offer({ userId: reader.person?.identifier ?? null, ...result })
    }
  }

  #addDefault({ expression, text }: DefaultTaken): void {
    const found = this.#expressions.get(expression)
    if (!found) return
    found.defaultText = found.defaults === 0 || found.defaultText === text ? text : null
    found.defaults++
  }

  coverage(): ReadersCoverage {
    return {
      ...this.#counts,
      expressions: [...this.#expressions.values()],
      languages: this.#texts.hasLanguages
        ? [...this.#languages]
            .map(([language, count]) => ({ language, count }))
            .sort((a, b) => b.count - a.count || (a.language < b.language ? -1 : 1))
        : undefined,
      examples: [...this.#examples.items()],
      unknown: this.#counts.sampled === 0 ? [] : [...this.#unknown],
    }
  }
}

/** The outputs of texts, each once. */
export function distinctOutputs(templates: readonly Template[]): TextOutput[] {
  const all = templates.flatMap(({ outputs }) => outputs)
  return [...new Map(all.map((output) => [output.expression, output])).values()]
}

const HINTS: Readonly<Record<string, string>> = {
  user: 'compare its name with the attributes of a user',
  lookup: 'compare the value of the look-up with the records of the table',
  meta: 'compare its name with those in userMeta',
}

/** Sentences about paths at which nobody of a sample has a value: probably their names are wrong. */
export function unknownInWords({ sampled, unknown }: Pick<ReadersCoverage, 'sampled' | 'unknown'>): string[] {
  return unknown.map((path) => {
    const hint = HINTS[path.split(/[.[]/, 1)[0]!]
    return `nobody of the ${sampled} who were looked at has ${path}${hint === undefined ? '' : `: ${hint}`}`
  })
}
