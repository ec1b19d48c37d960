import { readable } from '../push/personal/template.ts'
import { type Doc, filled, plainText, type Tag, type Template } from '../templates/document.ts'
import { type Draft, isNeeded } from './draft.ts'

/** The words in the place of a tag that nobody has filled in: its name in brackets, or the sample of a picture, a colour or an address. */
function placeholderOf(tag: Tag, sample: Template['sample']): unknown {
  if (!isNeeded(tag)) return undefined
  return tag.type === 'text' || tag.type === 'number' ? `[${tag.title}]` : sample[tag.title]
}

/**
 * The document as it is drawn: for the person, or as far as it is written. A tag that is left empty has its default, or leaves its
 * text out. Null: nobody sees it. Pure.
 */
export function documentOf(
  template: Pick<Template, 'content' | 'tags' | 'sample'> | undefined,
  { values, personalize }: Pick<Draft, 'values' | 'personalize'>,
  drawn: Doc | null | undefined,
): Doc | null | undefined {
  if (template === undefined || drawn !== undefined) return template && drawn
  const { content, tags, sample } = template
  const texts = tags.map((tag) => {
    const text = values[tag.title] ?? ''
    if (text === '') return [tag.title, placeholderOf(tag, sample)]
    return [tag.title, personalize ? readable(text) : text]
  })
  const { frame, ...rest } = filled(content, tags, Object.fromEntries(texts))
  const nodes = frame.nodes.filter(({ text }) => text === undefined || plainText(text).trim() !== '')
  return { ...rest, frame: { ...frame, nodes } }
}

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
