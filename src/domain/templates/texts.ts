import { isStorable } from '../../platform/json.ts'
import { IS_EMPTY } from '../../platform/reader.ts'
import type { TextKind } from './reading.ts'
import { colorProblem, type DeclaredTag, type Piece, piecesOf, textProblem, urlProblem } from './tags.ts'
import type { TagType } from './types.ts'

/** Texts of a document: what each kind of place takes, before its tags are replaced and after. Pure. */

const LONGEST_TEXT = 4000
const LONGEST_WORD = 255

/** What is wrong with a finished text in a place of this kind; undefined for nothing. */
export function finishedProblem(text: string, kind: TextKind): string | undefined {
  switch (kind) {
    case 'url':
      return urlProblem(text)
    case 'color':
      return colorProblem(text)
    case 'lang':
      return /^[a-z]{2,3}(-[a-z0-9]{1,8}){0,4}$/i.test(text) ? undefined : 'must be a language such as en or pt-BR'
    case 'word':
      return text !== '' && isStorable(text) && [...text].length <= LONGEST_WORD
        ? undefined
        : `must be a string of 1 to ${LONGEST_WORD} characters`
    case 'label':
      return text.trim() === '' ? IS_EMPTY : textProblem(text, LONGEST_TEXT)
    case 'text':
    case 'free':
      return textProblem(text, LONGEST_TEXT)
  }
}

const ADDRESS: readonly (TagType | undefined)[] = ['url', 'image', undefined]
/** Places where nothing at all is no value. */
const NEVER_EMPTY: readonly TextKind[] = ['url', 'color', 'lang', 'word', 'label']

/** What is wrong with a text of a template. Without `declared` only what needs no look at the tags. */
export function templateProblem(
  text: string,
  kind: TextKind,
  declared: ReadonlyMap<string, DeclaredTag> | undefined,
): string | undefined {
  const pieces = piecesOf(text)
  if (!pieces) return 'has {{ without }}'
  const titles = titlesIn(pieces)
  if (titles.length === 0) return finishedProblem(text, kind)
  const tags = titles.map((title) => declared?.get(title))
  if (declared) {
    const unknown = titles.find((title) => !declared.has(title))
    if (unknown !== undefined) return `names no declared tag: {{${unknown}}}; declare it in tags`
    const missable = tags.find((tag) => tag && !tag.required && !Object.hasOwn(tag, 'default'))
    if (missable && pieces.length === 1 && NEVER_EMPTY.includes(kind)) {
      return `would be empty without a value for the optional tag ${missable.title}: make it required, or give it a default`
    }
  }
  if (kind === 'color') {
    if (pieces.length > 1) return 'must be a colour, or one tag and nothing else'
    return declared && tags[0]?.type !== undefined && tags[0].type !== 'color'
      ? `needs a tag of type color; ${titles[0]} is of type ${tags[0].type}`
      : undefined
  }
  if (kind === 'url' && 'title' in pieces[0]! && declared && !ADDRESS.includes(tags[0]?.type)) {
    return `must begin with https:// or with a tag of type url or image; ${titles[0]} is of type ${tags[0]?.type}`
  }
  if (kind === 'url' && 'text' in pieces[0]! && ENDS_HOST.test(filled(pieces, kind, HOLE))) {
    return 'has a tag at the end of its host, which would decide where it leads: put a / before the tag, or begin with a tag of type url'
  }
  return finishedProblem(filled(pieces, kind, STANDS[kind] ?? 'x'), kind)
}

/** Something that fits wherever a tag may stand: as a port, only digits do. */
const STANDS: { readonly [kind in TextKind]?: string } = { lang: 'en', url: '1' }
/** No address holds it. */
const HOLE = '{'
/** Of `.example.com` behind a host no encoding is left. Behind a colon only a port can stand. */
const ENDS_HOST = /^https?:\/\/([^/?#]*[^/?#:])?\{([/?#:]|$)/i

/** The text with something in the place of each tag, and some host in that of one at the beginning of an address. */
function filled(pieces: readonly Piece[], kind: TextKind, stand: string): string {
  return pieces
    .map((piece, i) => ('text' in piece ? piece.text : kind === 'url' && i === 0 ? 'https://example.com' : stand))
    .join('')
}

export function titlesIn(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => ('title' in piece ? [piece.title] : []))
}

/**
 * The text with the values of its tags, which are never looked at again. Inside an address every value is percent-encoded, so
 * that it cannot lead elsewhere; only the one at its beginning stands as it is.
 */
export function replaced(pieces: readonly Piece[], kind: TextKind, texts: ReadonlyMap<string, string>): string {
  return pieces
    .map((piece, i) => {
      if ('text' in piece) return piece.text
      const value = texts.get(piece.title) ?? ''
      return kind === 'url' && i > 0 ? encodeURIComponent(value) : value
    })
    .join('')
}
