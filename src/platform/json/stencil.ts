/**
 * JSON texts that differ in a few of their texts alone: written once with marks in their places, and then filled. Writing objects anew for
 * each recipient of a broadcast took three times as long.
 */
export interface Stencil {
  /**
   * The JSON text with `texts`, the same that writing it anew gives. Undefined when one of them is empty: whoever writes the text may leave
   * a member out then.
   */
  filled(texts: readonly string[]): string | undefined
  /** The most bytes that `write` writes for these texts. */
  mostBytes(texts: readonly string[]): number
  /**
   * Writes the bytes of `filled` into `bytes`, from `at` on, where there is room for `mostBytes`. Returns the end of them; undefined where
   * `filled` is, or when they are more than `limit`.
   */
  write(texts: readonly string[], limit: number, bytes: Buffer, at: number): number | undefined
}

/** A place of a text: how often it is escaped there, and the JSON text behind it. */
interface Place {
  text: number
  depth: number
  behind: string
  behindBytes: Buffer
}

/** Part of every mark. No text that people write has it. */
const MARK = 'b7f3a9e1-6c52-4d0e-9a48-stencil-'
/** A mark is in quotes, so that the backslashes before them tell whether it is in a JSON text inside a JSON text. */
const FOUND = new RegExp(String.raw`(\\+)"${MARK}(\d+)\\+"`)
/** The backslashes before a quote in a JSON text, and in one inside that. */
const DEPTHS: Readonly<Record<string, number>> = { '\\': 1, '\\\\\\': 2 }

/** Texts that a stencil is tried with: all of them short, and all of them long with everything that is escaped. */
const TRIED = ['.', `"\\/\n\u0000\u2028é€😀`.repeat(20)]

/**
 * Makes the stencil of a JSON text that `write` makes of `count` texts. Undefined when it depends on them otherwise: when they are changed
 * before they stand in it, or their length decides what else does.
 */
export function stencilOf(write: (texts: readonly string[]) => string, count: number): Stencil | undefined {
  const marks = Array.from({ length: count }, (_, i) => `"${MARK}${i}"`)
  const [head = '', ...parts] = write(marks).split(FOUND)
  const places: Place[] = []
  for (let i = 0; i < parts.length; i += 3) {
    const depth = DEPTHS[parts[i]!]
    if (depth === undefined) return undefined
    const behind = parts[i + 2]!
    places.push({ depth, text: Number(parts[i + 1]), behind, behindBytes: Buffer.from(behind) })
  }
  const filled = (texts: readonly string[]) => {
    if (texts.includes('')) return undefined
    let text = head
    for (const place of places) text += escaped(texts[place.text]!, place.depth) + place.behind
    return text
  }
  const isRight = TRIED.every((text) => {
    const texts = marks.map(() => text)
    return filled(texts) === write(texts)
  })
  return isRight ? { filled, ...writerOf(Buffer.from(head), places) } : undefined
}

/** The most bytes of a unit of a text: those of a control character that is escaped twice. UTF-8 needs at most three. */
const BYTES_OF_UNIT = 7

/** The part of a stencil that writes bytes: a text of its own for each recipient would be garbage at once. */
function writerOf(head: Buffer, places: readonly Place[]): Pick<Stencil, 'mostBytes' | 'write'> {
  const constant = places.reduce((sum, { behindBytes }) => sum + behindBytes.length, head.length)
  return {
    mostBytes(texts) {
      let most = constant
      for (let i = 0; i < places.length; i++) most += texts[places[i]!.text]!.length * BYTES_OF_UNIT
      return most
    },
    write(texts, limit, bytes, at) {
      for (let i = 0; i < texts.length; i++) if (texts[i] === '') return undefined
      bytes.set(head, at)
      let end = at + head.length
      for (let i = 0; i < places.length; i++) {
        const { text, depth, behindBytes } = places[i]!
        end = writeEscaped(texts[text]!, depth, bytes, end)
        bytes.set(behindBytes, end)
        end += behindBytes.length
      }
      return end - at > limit ? undefined : end
    },
  }
}

/** Length up to which a text is written unit by unit: a call of Node's own writer takes longer than this. */
const SHORT = 96

/** Writes `escaped` from `at` on, where there is room for it. Returns the end of it. */
function writeEscaped(text: string, depth: number, bytes: Buffer, at: number): number {
  const end = text.length <= SHORT ? writeShort(text, bytes, at) : undefined
  return end ?? at + bytes.write(escaped(text, depth), at)
}

/** Writes a text in UTF-8, unit by unit; undefined, and what it wrote means nothing, where JSON escapes something or a character has two units. */
function writeShort(text: string, bytes: Buffer, at: number): number | undefined {
  let end = at
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) {
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) return undefined
      bytes[end++] = unit
    } else if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6)
      bytes[end++] = 0x80 | (unit & 0x3f)
    } else if (unit >= 0xd800 && unit <= 0xdfff) return undefined
    else {
      bytes[end++] = 0xe0 | (unit >> 12)
      bytes[end++] = 0x80 | ((unit >> 6) & 0x3f)
      bytes[end++] = 0x80 | (unit & 0x3f)
    }
  }
  return end
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Text of which JSON escapes nothing, and a little less: all control characters and halves of characters are left to JSON itself. */
const PLAIN = /^[^"\\\p{Cc}\p{Cs}]*$/u

/** A text as it stands between the quotes of a JSON text; with `depth` 2 in a JSON text inside a JSON text. */
function escaped(text: string, depth: number): string {
  if (PLAIN.test(text)) return text
  const once = JSON.stringify(text).slice(1, -1)
  return depth === 1 ? once : JSON.stringify(once).slice(1, -1)
}
