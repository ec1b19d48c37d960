import type { FieldErrors } from '../../platform/errors.ts'
import { below } from '../../platform/reader.ts'
import { readDocument } from './document.ts'
import type { Reading, TextKind } from './reading.ts'
import { piecesOf, readValues } from './tags.ts'
import { finishedProblem, replaced, titlesIn } from './texts.ts'
import { type ContentDocument, type Node, type Spans, type Tag, type TagValues, TEXT_NODES } from './types.ts'

/** Bytes of a document as JSON: a device fetches up to fifty of them at once. */
export const LARGEST_DOCUMENT = 64 * 1024

/** A finished document, or what is wrong: `content.{title}` for what one value does, `content` for all of it. */
export type RenderedDocument = { document: ContentDocument; errors?: never } | { document?: never; errors: FieldErrors }

/**
 * The document of a stored template with the values of its tags, which stay data: braces in a value mean nothing. Texts of which
 * nothing is left are left out. Pure.
 */
export function renderDocument(content: ContentDocument, tags: readonly Tag[], values: TagValues): RenderedDocument {
  const { texts, errors } = readValues(tags, values)
  if (Object.keys(errors).length > 0) return { errors: below('content', errors) }
  const wrong = new Map<string, Set<string>>()
  const outdated: string[] = []
  const reading: Reading = {
    text(value, kind, at) {
      const pieces = piecesOf(value) ?? []
      const titles = titlesIn(pieces)
      const text = plainLines(replaced(pieces, kind, texts), kind)
      if (titles.length === 0) return text
      const problem = finishedProblem(text, kind)
      if (problem !== undefined) {
        for (const title of titles) {
          wrong.set(title, (wrong.get(title) ?? new Set()).add(`makes ${at} of the document wrong: it ${problem}`))
        }
      }
      return text
    },
    // It was checked when it was stored, maybe by an earlier version of this program.
    say: (at, problem) => void outdated.push(`${at} ${problem}`),
  }
  const read = readDocument(content, reading) as ContentDocument
  if (outdated.length > 0) {
    return { errors: { content: [`the template must be changed before it is used: ${outdated.join('; ')}`] } }
  }
  if (wrong.size > 0) {
    return { errors: below('content', Object.fromEntries([...wrong].map(([title, all]) => [title, [...all]]))) }
  }
  const document = { ...read, frame: { ...read.frame, nodes: read.frame.nodes.filter(shows) } }
  const problem = documentProblem(document, texts)
  return problem === undefined ? { document } : { errors: { content: [problem] } }
}

/**
 * Both SDKs put the document into a script as JSON. To web views older than ES2019 these two end a line there, and the script is none:
 * the message would never show. Text that was copied from a word processor is full of them.
 */
function plainLines(text: string, kind: TextKind): string {
  return kind === 'text' || kind === 'label' ? text.replace(/[\u2028\u2029]/g, '\n') : text
}

function documentProblem(document: ContentDocument, texts: ReadonlyMap<string, string>): string | undefined {
  if (document.frame.nodes.length === 0) return 'leaves nothing to show: every text of the template is empty'
  const size = sizeOf(document)
  if (size <= LARGEST_DOCUMENT) return undefined
  const longest = [...texts].sort(([, a], [, b]) => b.length - a.length).slice(0, 3)
  const shorten = longest.map(([title, text]) => `${title} (${Buffer.byteLength(text)} bytes)`).join(', ')
  return `makes a document of ${size} bytes, ${LARGEST_DOCUMENT} are allowed; shorten ${shorten}`
}

export function sizeOf(document: unknown): number {
  return Buffer.byteLength(JSON.stringify(document))
}

function shows(node: Node): boolean {
  return (
    !(TEXT_NODES as readonly string[]).includes(node.type) || plainText((node as { text: Spans }).text).trim() !== ''
  )
}

function plainText(spans: Spans): string {
  if (typeof spans === 'string') return spans
  return spans.map((span) => (typeof span === 'string' ? span : span[0])).join('')
}
