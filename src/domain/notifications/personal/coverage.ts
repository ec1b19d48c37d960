import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import type { PushMessage } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import { CoverageTally, type ReadersCoverage, type RenderNotes } from '../../personalization/people/coverage.ts'
import { DEFAULT_LANGUAGE, type Reader } from '../../personalization/people/readers.ts'
import type { Previewer } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import { type CompiledContent, type Edited, keyOf } from './compiled-content.ts'
import { type EditedMessage, forReaders } from './edit-page.ts'
import type { PersonalReads } from './reads.ts'

/** An install of a sample. */
export interface Sampled {
  platform: Platform
  row: number
}

/** The results of a content for a sample of its audience. Counts are of installs. */
export interface Coverage extends ReadersCoverage {
  /** The request that is nearest to the limit of its gateway; null when nobody gets anything. */
  longest: { platform: Platform; bytes: number; limit: number } | null
}

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
      const notes: RenderNotes = { missing: [], defaults: [] }
      tally.add(some[next++]!, message.content.edit(reader, chain, notes), notes, reader)
    })
  }
  return tally.coverage()
}

/** Counts of a sample, while it is rendered. */
class Tally {
  readonly #content: CompiledContent
  readonly #parts: CoverageParts
  readonly #readers: CoverageTally
  /** Sizes of requests, by platform and result. */
  readonly #sizes = new Map<string, { bytes: number; limit: number }>()
  #longest: Coverage['longest'] = null

  constructor(content: CompiledContent, parts: CoverageParts) {
    this.#content = content
    this.#parts = parts
    this.#readers = new CoverageTally(content)
  }

  add({ platform }: Sampled, edited: Edited, notes: RenderNotes, reader: Reader): void {
    if (!('texts' in edited)) return this.#readers.add(reader, notes, 'missing' in edited ? 'missing' : 'too large')
    const language = this.#content.hasLanguages ? (edited.language ?? DEFAULT_LANGUAGE) : null
    const content = this.#content.contentOf(edited)
    const { title, message } = content
    const fits = this.#fits(platform, keyOf(edited), content)
    this.#readers.add(reader, notes, fits ? { language, title, message } : 'too large')
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
    return { ...this.#readers.coverage(), longest: this.#longest }
  }
}
