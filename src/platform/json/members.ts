/**
 * Members of the object in a JSON text, found without parsing the others: for many texts of which little is read. In a text without
 * escapes every quotation mark begins or ends a name or a value.
 */

const [QUOTE, COLON, SPACE] = [0x22, 0x3a, 0x20]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Characters of a text that is not worth keeping for a piece of it, and of the pieces that would keep it. */
const [LARGE, SLICED] = [1024, 13]

/** The end of a number, `true`, `false` or `null`. */
const END = /[,}\s]/g

/** Tells whether `memberOf` knows members of the object in a JSON text. */
export function hasPlainMembers(text: string): boolean {
  return text.charCodeAt(0) === OPEN && !text.includes('\\')
}

/**
 * The JSON text of a member of the object in `text`, of which `hasPlainMembers` is true; null when the object has no such member. Undefined
 * when only parsing tells: for objects and lists, and where there are spaces. `key`: the name in quotation marks; it consists of letters,
 * digits, `_` and `-`.
 */
export function memberOf(text: string, key: string): string | null | undefined {
  const isFlat = text.indexOf('{', 1) === -1
  let depth = 0
  let counted = 0
  let last = -1
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + key.length)) {
    const next = text.charCodeAt(at + key.length)
    if (next <= SPACE) return undefined
    // Others are values.
    if (next !== COLON) continue
    if (!isFlat) depth += depthBetween(text, counted, at)
    counted = at
    // Of two members of one name, the last one counts.
    if (isFlat || depth === 1) last = at
  }
  return last === -1 ? null : scalarAt(text, last + key.length + 1)
}

/** A number, a text, `true`, `false` or `null`. */
function scalarAt(text: string, from: number): string | undefined {
  const first = text.charCodeAt(from)
  if (first === QUOTE) return cut(text, from, text.indexOf('"', from + 1) + 1)
  // A digit, a sign or a small letter.
  if (!((first >= 0x30 && first <= 0x39) || first === 0x2d || (first >= 0x61 && first <= 0x7a))) return undefined
  END.lastIndex = from
  const end = END.exec(text)
  return end ? cut(text, from, end.index) : undefined
}

/** A piece of a text. V8 keeps the whole text in memory for one of 13 characters or more, so that of a large text is written anew. */
function cut(text: string, from: number, to: number): string {
  const piece = text.slice(from, to)
  return text.length < LARGE || piece.length < SLICED ? piece : JSON.stringify(JSON.parse(piece))
}

/** The number of objects and lists that begin between two places, neither within a text, without those that end there. */
function depthBetween(text: string, from: number, to: number): number {
  let depth = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = text.indexOf('"', at + 1)
    else if (code === OPEN || code === OPEN_LIST) depth++
    else if (code === CLOSE || code === CLOSE_LIST) depth--
  }
  return depth
}
