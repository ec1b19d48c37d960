import { isStorable } from '../../platform/json/json.ts'
import { dotSegmentsIn, leavesFolder } from '../../platform/values/dot-segments.ts'
import { IS_EMPTY } from '../../platform/values/reader.ts'
import { urlPart } from '../../platform/values/url-part.ts'
import type { TextKind } from './reading.ts'
import { colorProblem, type DeclaredTag, imageProblem, type Piece, piecesOf, textProblem, urlProblem } from './tags.ts'
import type { TagType } from './types.ts'

/** Rules for the texts of a document by purpose, before and after their tags are replaced. Pure. */

const MAX_TEXT_LENGTH = 4000
const MAX_WORD_LENGTH = 255

/** The problem of a finished text for this purpose, if any. */
export function finishedProblem(text: string, kind: TextKind): string | undefined {
  switch (kind) {
    case 'url':
      return urlProblem(text)
    case 'image':
      return imageProblem(text)
    case 'color':
      return colorProblem(text)
    case 'lang':
      return /^[a-z]{2,3}(-[a-z0-9]{1,8}){0,4}$/i.test(text) ? undefined : 'must be a language such as en or pt-BR'
    case 'word':
      return text !== '' && isStorable(text) && [...text].length <= MAX_WORD_LENGTH
        ? undefined
        : `must be a string of 1 to ${MAX_WORD_LENGTH} characters`
    case 'label':
      return text.trim() === '' ? IS_EMPTY : textProblem(text, MAX_TEXT_LENGTH)
    case 'text':
    case 'free':
      return textProblem(text, MAX_TEXT_LENGTH)
  }
}

const ADDRESS: readonly (TagType | undefined)[] = ['url', 'image', undefined]
export const isAddress = (kind: TextKind) => kind === 'url' || kind === 'image'
/** Purposes for which an empty text is not valid. */
const NEVER_EMPTY: readonly TextKind[] = ['url', 'image', 'color', 'lang', 'word', 'label']

/** The problem of a text in a template, if any. Without `declared`, rules that depend on the tags are not checked. */
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
    if (unknown !== undefined) return `uses an undeclared tag: {{${unknown}}}; declare it in tags`
    const missable = tags.find((tag) => tag && !tag.required && !Object.hasOwn(tag, 'default'))
    if (missable && pieces.length === 1 && NEVER_EMPTY.includes(kind)) {
      return `would be empty without a value for the optional tag ${missable.title}: make it required, or give it a default`
    }
  }
  if (kind === 'color') {
    if (pieces.length > 1) return 'must be a colour, or a single tag'
    return declared && tags[0]?.type !== undefined && tags[0].type !== 'color'
      ? `needs a tag of type color; ${titles[0]} is of type ${tags[0].type}`
      : undefined
  }
  if (isAddress(kind) && 'title' in pieces[0]! && declared && !ADDRESS.includes(tags[0]?.type)) {
    return `must begin with https:// or with a tag of type url or image; ${titles[0]} is of type ${tags[0]?.type}`
  }
  if (isAddress(kind) && 'text' in pieces[0]! && ENDS_HOST.test(filled(pieces, kind, HOLE))) {
    return 'has a tag at the end of its host, which would decide where it leads: put a / before the tag, or begin with a tag of type url'
  }
  return finishedProblem(filled(pieces, kind, STANDS[kind] ?? 'x'), kind)
}

/** A placeholder that is valid wherever a tag may be: a port, for example, must be digits. */
const STANDS: { readonly [kind in TextKind]?: string } = { lang: 'en', url: '1', image: '1' }
/** A character that no URL contains. */
const HOLE = '{'
/**
 * A tag at the end of the host could extend it, because `.example.com` survives encoding. After a colon there is only a
 * port.
 */
const ENDS_HOST = /^https?:\/\/([^/?#]*[^/?#:])?\{([/?#:]|$)/i

/** An address whose host has ended, so that nothing behind it decides where it leads. */
const HOST_ENDS = /^(https?:\/\/[^\\/?#]+[/?#]|data:)/i

/** The titles among `some` whose texts would be a part of the host of this address; a tag at its beginning is the whole host. */
export function titlesInHost(pieces: readonly Piece[], texts: ReadonlyMap<string, string>, some: ReadonlySet<string>) {
  return pieces.flatMap((piece, i) => {
    if (i === 0 || 'text' in piece || !some.has(piece.title)) return []
    return HOST_ENDS.test(replaced(pieces.slice(0, i), 'url', texts)) ? [] : [piece.title]
  })
}

/** The text with `stand` in place of each tag, and with some host in place of a tag at the beginning of a URL. */
function filled(pieces: readonly Piece[], kind: TextKind, stand: string): string {
  return pieces
    .map((piece, i) => ('text' in piece ? piece.text : isAddress(kind) && i === 0 ? 'https://example.com' : stand))
    .join('')
}

/** The titles of tags whose texts would lead an address to another folder than the one that the template names. */
export function titlesOfDots(pieces: readonly Piece[], kind: TextKind, texts: ReadonlyMap<string, string>): string[] {
  if (!isAddress(kind)) return []
  const inPath = pieces.flatMap((piece, i) =>
    i > 0 && 'title' in piece && !/^data:|[?#]/.test(replaced(pieces.slice(0, i), kind, texts)) ? [piece.title] : [],
  )
  const alone = inPath.filter((title) => leavesFolder(texts.get(title) ?? ''))
  if (alone.length > 0 || inPath.length === 0) return alone
  // Several may do so together. What the template, or the address of its first tag, has itself leads where its author wants.
  const own = pieces.map((piece, i) => ('title' in piece && i > 0 ? { text: 'x' } : piece))
  const [address, before] = [pieces, own].map((some) => dotSegmentsIn(pathOf(replaced(some, kind, texts))))
  return address! > before! ? inPath : []
}

const pathOf = (address: string) => address.replace(/[?#].*$/s, '')

/** The problem of an address that `titlesOfDots` finds. */
export const LEAVES_FOLDER =
  'would lead to another folder: a value in a path must not be . or .., however it is encoded'

export function titlesIn(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => ('title' in piece ? [piece.title] : []))
}

/**
 * The text with the values of its tags, in which tags are not replaced again. Inside a URL values are percent-encoded,
 * so that they cannot lead elsewhere; only a tag at the beginning is inserted unchanged.
 */
export function replaced(pieces: readonly Piece[], kind: TextKind, texts: ReadonlyMap<string, string>): string {
  return pieces
    .map((piece, i) => {
      if ('text' in piece) return piece.text
      const value = texts.get(piece.title) ?? ''
      return isAddress(kind) && i > 0 ? urlPart(value) : value
    })
    .join('')
}
