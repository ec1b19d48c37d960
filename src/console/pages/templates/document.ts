import type { Answer } from '../../api/client.ts'

/** A template as the interface answers it. */
export type Template = Answer<'/admin/v1/apps/{appId}/templates/{uid}'>
export type Tag = Template['tags'][number]
/** The content of a message; docs/templates.md has all of its parts. */
export type Doc = Template['content']
export type Block = Doc['frame']['nodes'][number]
export type Layer = NonNullable<Doc['frame']['backgroundLayers']>[number]
type Values = Readonly<Record<string, unknown>>

/** A document with its tags and their sample values: what the editor changes, and what a version holds. */
export interface Draft {
  content: Doc
  tags: Tag[]
  sample: Record<string, unknown>
}

export const BLOCKS = {
  heading: 'Heading',
  subheading: 'Subheading',
  text: 'Text',
  image: 'Picture',
  video: 'Video',
  button: 'Button',
} as const
export type BlockType = keyof typeof BLOCKS

/** A new block, valid as it is. */
export function newBlock(type: BlockType): Block {
  if (type === 'image') return { type, src: 'https://', alt: '', width: 100 }
  if (type === 'video') return { type, src: 'https://', alt: '' }
  if (type === 'button') return { type, text: 'OK', actions: [{ type: 'closeMessage' }] }
  return { type, text: type === 'text' ? 'New text' : 'New heading' }
}

/** The text of a heading, text or button without its marks: `["Only ", ["now", {"bold": true}]]` -> `Only now`. */
export function plainText(text: unknown): string {
  if (!Array.isArray(text)) return typeof text === 'string' ? text : ''
  return text.map((piece) => String(Array.isArray(piece) ? piece[0] : piece)).join('')
}

/** Tells whether a text has pieces that look different from one another; a field of plain text would lose that. */
export function isMixed(text: unknown): boolean {
  return Array.isArray(text) && text.length > 1
}

/** The text with other words. One piece keeps its marks: `[["Buy", {"bold": true}]]` stays bold. */
export function withWords(text: unknown, words: string): unknown {
  if (Array.isArray(text) && text.length === 1 && Array.isArray(text[0])) return [[words, text[0][1]]]
  return words
}

/** The text of a block, as the list names it. */
export function titleOf(block: Block): string {
  const said = block.type === 'image' || block.type === 'video' ? block['alt'] : plainText(block['text'])
  return typeof said === 'string' && said.trim() !== '' ? said : 'no words'
}

/** A copy with the element moved from one place to another. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from)
  rest.splice(to, 0, list[from]!)
  return rest
}

const TAG = /\{\{\s*([^{}]+?)\s*\}\}/g

/** A value as text: nothing for none, JSON for a list or an object. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}

/**
 * The document with the values of its tags, for the frame beside the editor: the sample, else the default, else nothing. The
 * server renders again, with its checks, when a message is sent.
 */
export function filled(content: Doc, tags: readonly Tag[], values: Values): Doc {
  const valueOf = (title: string): string => {
    const tag = tags.find((one) => one.title === title)
    return textOf(values[title] ?? tag?.default)
  }
  const fill = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      const isAddress = /^(?:src|url|poster|captions)$/.test(name)
      return value.replace(TAG, (_, title: string, at: number) =>
        // At the beginning of an address a tag is the address.
        isAddress && at > 0 ? encodeURIComponent(valueOf(title)) : valueOf(title),
      )
    }
    if (Array.isArray(value)) return value.map((one) => fill(one, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, key)]))
  }
  return fill(content, '') as Doc
}

/** Titles that the document names and `tags` does not. */
export function unknownTags({ content, tags }: Draft): string[] {
  const named = [...JSON.stringify(content).matchAll(TAG)].map(([, title]) => title!)
  return [...new Set(named)].filter((title) => !tags.some((tag) => tag.title === title))
}
