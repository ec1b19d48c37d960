import type { FieldErrors } from '../../platform/errors.ts'
import { below } from '../../platform/values/reader.ts'
import { readDocument } from './document.ts'
import type { Reading, TextKind } from './reading.ts'
import { piecesOf, readValues } from './tags.ts'
import { finishedProblem, LEAVES_FOLDER, replaced, titlesIn, titlesOfDots } from './texts.ts'
import { type ContentDocument, type Node, type Spans, type Tag, type TagValues, TEXT_NODES } from './types.ts'

/** Maximum size of a document in bytes of JSON: a device fetches up to fifty documents at once. */
export const MAX_DOCUMENT_BYTES = 64 * 1024

/**
 * A finished document, or its problems: under `content.{title}` for the value of a tag, under `content` for the whole.
 */
export type RenderedDocument = { document: ContentDocument; errors?: never } | { document?: never; errors: FieldErrors }

/**
 * Inserts the values of its tags into the document of a stored template. Values are data: braces in them have no
 * meaning. Texts that end up empty are left out. Pure.
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
      const note = (title: string, problem: string) =>
        wrong.set(title, (wrong.get(title) ?? new Set()).add(`makes ${at} of the document wrong: it ${problem}`))
      const problem = finishedProblem(text, kind)
      if (problem !== undefined) for (const title of titles) note(title, problem)
      for (const title of titlesOfDots(pieces, kind, texts)) note(title, LEAVES_FOLDER)
      return text
    },
    // The document was checked when it was stored, but possibly by an earlier version of this program.
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
 * Replaces U+2028 and U+2029. Both SDKs insert the document into a script as JSON. In web views older than ES2019 these
 * characters end a line there, the script is invalid, and the message never appears. Text from word processors often
 * contains them.
 */
export function plainLines(text: string, kind: TextKind): string {
  return kind === 'text' || kind === 'label' ? text.replace(/[\u2028\u2029]/g, '\n') : text
}

function documentProblem(document: ContentDocument, texts: ReadonlyMap<string, string>): string | undefined {
  if (document.frame.nodes.length === 0) return 'leaves nothing to show: every text of the template is empty'
  const size = sizeOf(document)
  if (size <= MAX_DOCUMENT_BYTES) return undefined
  const longest = [...texts].sort(([, a], [, b]) => b.length - a.length).slice(0, 3)
  const shorten = longest.map(([title, text]) => `${title} (${Buffer.byteLength(text)} bytes)`).join(', ')
  return `makes a document of ${size} bytes, ${MAX_DOCUMENT_BYTES} are allowed; shorten ${shorten}`
}

export function sizeOf(document: unknown): number {
  return Buffer.byteLength(JSON.stringify(document))
}

export function shows(node: Node): boolean {
  return (
    !(TEXT_NODES as readonly string[]).includes(node.type) || plainText((node as { text: Spans }).text).trim() !== ''
  )
}

function plainText(spans: Spans): string {
  if (typeof spans === 'string') return spans
  return spans.map((span) => (typeof span === 'string' ? span : span[0])).join('')
}
