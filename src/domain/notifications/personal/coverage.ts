import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import { createSample } from '../../../platform/values/sample.ts'
import type { PushMessage } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import { DEFAULT_LANGUAGE, type Reader } from '../../personalization/people/readers.ts'
import type { DefaultTaken, TextOutput } from '../../personalization/types.ts'
import type { Previewer } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import type { CompiledContent, Edited, EditNotes } from './compiled-content.ts'
import { type EditedMessage, forReaders } from './edit-page.ts'
import type { PersonalReads } from './reads.ts'

/** An install of a sample. */
export interface Sampled {
  platform: Platform
  row: number
}

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
  /** Null for an install that is gone. */
  userId: string | null
  /** Tag of the variant, or `default`; null for a content in one language. */
  language: string | null
  title: string
  message: string
}

/** The results of a content for a sample of its audience. Counts are of installs. */
export interface Coverage {
  sampled: number
  expressions: CoveredExpression[]
  /** Recipients who get nothing, because a value is missing. */
  skipped: number
  /** Recipients who get nothing, because what they would get is too large for their gateway. */
  tooLarge: number
  /** The request that is nearest to the limit of its gateway; null when nobody gets anything. */
  longest: { platform: Platform; bytes: number; limit: number } | null
  /** Languages by number of recipients, the most frequent one first; undefined for a content in one language. */
  languages: { language: string; count: number }[] | undefined
  examples: CoverageExample[]
  /** Paths at which nobody of the sample has a value. */
  unknown: string[]
}

/** Recipients whose result is shown. */
const EXAMPLES = 10
/** Recipients between two turns of a long read. */
const TURN = 250

export interface CoverageParts {
  reads: PersonalReads
  previewers: readonly Previewer[]
  /** A message without its content. */
  envelope: Omit<PushMessage, 'content'>
  notificationId: number
}

/** Renders a content for each install of a sample, as of `now` (ms). Stops when the time of `pace` is over: fewer are `sampled` then. */
export async function coverageOf(
  parts: CoverageParts,
  message: EditedMessage,
  sample: readonly Sampled[],
  now: number,
  pace: Pace,
): Promise<Coverage> {
  const tally = new Tally(message.content, parts)
  for (const some of chunks(sample, TURN)) {
    if (!(await pace.turn())) break
    const rows = some.map(({ row }) => row)
    let next = 0
    await forReaders(parts.reads, message, { of: 'installs', rows }, now, (_, reader, chain) => {
      const notes: EditNotes = { missing: [], defaults: [] }
      tally.add(some[next++]!, message.content.edit(reader, chain, notes), notes, reader)
    })
  }
  return tally.coverage()
}

/** Counts of a sample, while it is rendered. */
class Tally {
  readonly #content: CompiledContent
  readonly #parts: CoverageParts
  readonly #expressions: Map<string, CoveredExpression>
  readonly #languages = new Map<string, number>()
  readonly #examples = createSample<CoverageExample>(EXAMPLES)
  /** Paths at which nobody has had a value so far. */
  readonly #unknown: Set<string>
  /** Sizes of requests, by platform and result. */
  readonly #sizes = new Map<string, { bytes: number; limit: number }>()
  readonly #counts = { sampled: 0, skipped: 0, tooLarge: 0 }
  #longest: Coverage['longest'] = null

  constructor(content: CompiledContent, parts: CoverageParts) {
    this.#content = content
    this.#parts = parts
    this.#unknown = new Set(content.paths)
    this.#expressions = new Map(
      content.outputs.map((output) => [output.expression, { ...output, missing: 0, defaults: 0, defaultText: null }]),
    )
  }

  add({ platform }: Sampled, edited: Edited, { missing, defaults }: EditNotes, reader: Reader): void {
    this.#counts.sampled++
    for (const path of this.#unknown) if (this.#content.has(path, reader)) this.#unknown.delete(path)
    for (const expression of new Set(missing)) {
      const found = this.#expressions.get(expression)
      if (found) found.missing++
    }
    for (const one of new Map(defaults.map((taken) => [taken.expression, taken])).values()) this.#addDefault(one)
    if ('missing' in edited) {
      this.#counts.skipped++
      return
    }
    if ('tooLarge' in edited) {
      this.#counts.tooLarge++
      return
    }
    const language = this.#content.hasLanguages ? (edited.language ?? DEFAULT_LANGUAGE) : undefined
    if (language !== undefined) this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1)
    const content = this.#content.contentOf(edited)
    if (!this.#fits(platform, edited.key, content)) this.#counts.tooLarge++
    const { title, message } = content
    this.#examples.offer({ userId: reader.person?.identifier ?? null, language: language ?? null, title, message })
  }

  #addDefault({ expression, text }: DefaultTaken): void {
    const found = this.#expressions.get(expression)
    if (!found) return
    found.defaultText = found.defaults === 0 || found.defaultText === text ? text : null
    found.defaults++
  }

  /** Tells whether the gateway takes a result, and keeps the one that is nearest to its limit. */
  #fits(platform: Platform, key: string, content: StoredContent): boolean {
    const name = `${platform} ${key}`
    let size = this.#sizes.get(name)
    if (size === undefined) {
      const { previewers, envelope, notificationId } = this.#parts
      const preview = previewers
        .find((one) => one.platform === platform)!
        .preview({
          ...envelope,
          content: { ...content, notificationId },
        })
      size = { bytes: preview.bytes, limit: preview.limit }
      this.#sizes.set(name, size)
    }
    const { bytes, limit } = size
    const longest = this.#longest
    if (longest === null || bytes / limit > longest.bytes / longest.limit) this.#longest = { platform, bytes, limit }
    return bytes <= limit
  }

  coverage(): Coverage {
    return {
      ...this.#counts,
      expressions: [...this.#expressions.values()],
      longest: this.#longest,
      languages: this.#content.hasLanguages
        ? [...this.#languages]
            .map(([language, count]) => ({ language, count }))
            .sort((a, b) => b.count - a.count || (a.language < b.language ? -1 : 1))
        : undefined,
      examples: [...this.#examples.items()],
      unknown: this.#counts.sampled === 0 ? [] : [...this.#unknown],
    }
  }
}
