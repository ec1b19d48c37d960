import { compileDocument } from '../../templates/compiled-document.ts'
import type { ContentDocument, Spans } from '../../templates/types.ts'
import type { InAppMessage } from '../types.ts'
import { textsOf } from './texts.ts'

/** The document of a message as devices show it; where it differs between users, with its texts as they are written. Pure. */
export function documentAsWritten({
  content,
  tagValues,
  personal,
}: Pick<InAppMessage, 'content' | 'tagValues' | 'personal'>): ContentDocument {
  if (personal === null) return content
  const texts = textsOf({ tagValues, data: null, inbox: null, personal }, undefined)
  const empty = personal.tags.map(({ title }): [string, string] => [title, ''])
  const given = texts.flatMap(({ title, text }): [string, string][] => (title === undefined ? [] : [[title, text]]))
  const values = new Map([...empty, ...given])
  const { fill } = compileDocument(content)
  return fill(values)
}

/** Nodes of a document with words, the most telling ones first. */
const WITH_WORDS = ['heading', 'subheading', 'text', 'button'] as const

/** The first words of a document, and the next ones; empty where there are none. Pure. */
export function wordsOf({ frame }: ContentDocument): { title: string; message: string } {
  const found = WITH_WORDS.flatMap((type) =>
    frame.nodes.flatMap((node) => (node.type === type && 'text' in node ? [plainText(node.text)] : [])),
  )
  const [title = '', message = ''] = found.filter((text) => text.trim() !== '')
  return { title, message }
}

/** A text without its marks: `["Only ", ["now", {"bold": true}]]` -> `Only now`. */
const plainText = (text: Spans): string =>
  typeof text === 'string' ? text : text.map((piece) => (typeof piece === 'string' ? piece : piece[0])).join('')
