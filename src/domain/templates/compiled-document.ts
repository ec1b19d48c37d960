import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import { readDocument } from './document.ts'
import type { TextKind } from './reading.ts'
import { MAX_DOCUMENT_BYTES, plainLines, shows, sizeOf } from './render.ts'
import { type Piece, piecesOf } from './tags.ts'
import { finishedProblem, isAddress, replaced, titlesIn, titlesInHost, titlesOfDots } from './texts.ts'
import type { ContentDocument } from './types.ts'

/** The texts of the tags, by title. */
export type TagTexts = ReadonlyMap<string, string>

/** The reason why a document cannot be made: texts for these tags are wrong where they stand, it is too large, or it shows nothing. */
type Unfit = { wrong: readonly string[] } | { tooLarge: true } | { blank: true }

/** A document of a template, read once and filled for many recipients. */
export interface CompiledDocument {
  /** Tells why the document cannot have these texts; undefined when it can. */
  judge(texts: TagTexts): Unfit | undefined
  /** The titles among `some`, whose texts anybody may have written, that would decide where an address leads. */
  inHost(texts: TagTexts, some: ReadonlySet<string>): readonly string[]
  /** The finished document. The texts were judged. */
  fill(texts: TagTexts): ContentDocument
}

/** A text with tags. */
interface Slot {
  pieces: readonly Piece[]
  kind: TextKind
  titles: readonly string[]
  /** True for the text of a node that is left out without one. */
  shows: boolean
}

/** Stands before the number of a slot. No stored text contains it. */
const MARK = '\0'

/** A part of a document: the finished one, or what finishes it. */
type Part = { same: unknown } | { make(texts: TagTexts): unknown }

/**
 * Reads the document of a template, which was checked when its message was accepted, so that it can be filled with the texts of each
 * recipient. A filled document is the one that `renderDocument` makes. Pure.
 */
export function compileDocument(content: ContentDocument): CompiledDocument {
  const slots: Slot[] = []
  const read = readDocument(content, {
    text(value, kind, at) {
      const pieces = piecesOf(value) ?? []
      const titles = titlesIn(pieces)
      if (titles.length === 0) return plainLines(replaced(pieces, kind, NO_TEXTS), kind)
      slots.push({ pieces, kind, titles, shows: kind === 'text' && NODE_TEXT.test(at) })
      return `${MARK}${slots.length - 1}`
    },
    say() {},
  }) as ContentDocument
  const whole = partOf(read, slots)
  const leastBytes = sizeOf(read)

  function fill(texts: TagTexts): ContentDocument {
    const document = ('same' in whole ? whole.same : whole.make(texts)) as ContentDocument
    return { ...document, frame: { ...document.frame, nodes: document.frame.nodes.filter(shows) } }
  }

  function judge(texts: TagTexts): Unfit | undefined {
    const wrong = new Set<string>()
    let most = leastBytes
    let shows = false
    for (const slot of slots) {
      const text = textOf(slot, texts)
      most += text.length * MOST_BYTES
      for (const title of titlesOfDots(slot.pieces, slot.kind, texts)) wrong.add(title)
      shows ||= slot.shows && text.trim() !== ''
      if (finishedProblem(text, slot.kind) === undefined) continue
      if (LONG_TEXTS.includes(slot.kind) && text.trim() !== '' && isStorable(text)) return { tooLarge: true }
      for (const title of slot.titles) wrong.add(title)
    }
    if (wrong.size > 0) return { wrong: [...wrong] }
    // Made only where it may be too large, or show nothing.
    if (shows && most <= MAX_DOCUMENT_BYTES) return undefined
    const document = fill(texts)
    if (document.frame.nodes.length === 0) return { blank: true }
    return sizeOf(document) > MAX_DOCUMENT_BYTES ? { tooLarge: true } : undefined
  }

  const addresses = slots.filter(({ pieces, kind }) => isAddress(kind) && pieces.slice(1).some((one) => 'title' in one))

  return { judge, fill, inHost: (texts, some) => addresses.flatMap(({ pieces }) => titlesInHost(pieces, texts, some)) }
}

/** The most bytes that JSON needs for a character: as an escape. */
const MOST_BYTES = 6
const LONG_TEXTS: readonly TextKind[] = ['text', 'label', 'free', 'word']
/** The place of a node's text, or of a piece of it. */
const NODE_TEXT = /^frame\.nodes\[\d+\]\.text/
const NO_TEXTS: TagTexts = new Map()

const textOf = ({ pieces, kind }: Slot, texts: TagTexts) => plainLines(replaced(pieces, kind, texts), kind)

/** A JSON value in which marks stand for slots. What holds none is the same for everybody. */
function partOf(value: unknown, slots: readonly Slot[]): Part {
  if (typeof value === 'string' && value.startsWith(MARK)) {
    const slot = slots[Number(value.slice(MARK.length))]!
    return { make: (texts) => textOf(slot, texts) }
  }
  if (Array.isArray(value)) {
    const parts = value.map((one) => partOf(one, slots))
    return parts.every(isSame) ? { same: value } : { make: (texts) => parts.map((part) => made(part, texts)) }
  }
  if (!isPlainObject(value)) return { same: value }
  const parts = Object.entries(value).map(([name, one]) => [name, partOf(one, slots)] as const)
  if (parts.every(([, part]) => isSame(part))) return { same: value }
  const moving = parts.flatMap(([name, part]) => ('make' in part ? [[name, part.make] as const] : []))
  return {
    make(texts) {
      // Copied first, so that members keep their order.
      const copy = { ...value }
      for (const [name, make] of moving) copy[name] = make(texts)
      return copy
    },
  }
}

const isSame = (part: Part) => 'same' in part
const made = (part: Part, texts: TagTexts) => ('same' in part ? part.same : part.make(texts))
