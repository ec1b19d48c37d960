/** Splits a template text into its text and its parts in one pass, without regular expressions over the whole. Pure. */

/** A piece of a template text. `at` is the index of its first character; `source` is what stands inside the braces. */
export type Token =
  | { kind: 'text'; at: number; text: string }
  | { kind: 'output' | 'tag'; at: number; sourceAt: number; source: string }

/** A reason why a text cannot be read, at an index of it. */
export class SyntaxProblem extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.name = 'SyntaxProblem'
    this.at = at
  }
}

/** A blank as Liquid has them: those of JavaScript and the Mongolian vowel separator, but no byte order mark. */
export const BLANK = /[^\S\ufeff]|\u180e/

const KINDS = { '{{': { kind: 'output', close: '}}' }, '{%': { kind: 'tag', close: '%}' } } as const

/** The pieces of a text, blanks beside `{{-` and `-}}` removed. Throws `SyntaxProblem` at a part that is never closed. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let trims = false
  while (at < text.length) {
    const start = nextPart(text, at)
    const literal = text.slice(at, start)
    const trimsBefore = start < text.length && text[start + 2] === '-'
    const kept = trimmed(literal, trims, trimsBefore)
    if (kept !== '')
      tokens.push({ kind: 'text', at: trims ? start - trimmed(literal, true, false).length : at, text: kept })
    if (start === text.length) break
    const { kind, close } = KINDS[text.slice(start, start + 2) as '{{' | '{%']
    const end = endOfPart(text, start, close)
    const sourceAt = start + (trimsBefore ? 3 : 2)
    trims = end > sourceAt && text[end - 1] === '-'
    tokens.push({ kind, at: start, sourceAt, source: text.slice(sourceAt, trims ? end - 1 : end) })
    at = end + 2
  }
  return tokens
}

/** The index of the next `{{` or `{%`; the length of the text when there is none. */
function nextPart(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at !== -1; at = text.indexOf('{', at + 1)) {
    if (text[at + 1] === '{' || text[at + 1] === '%') return at
  }
  return text.length
}

/** The index of the `close` of the part at `start`; one in quotes does not count. */
function endOfPart(text: string, start: number, close: string): number {
  for (let at = start + 2; at < text.length; at++) {
    const character = text[at]!
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1)
      if (end === -1) throw new SyntaxProblem(at, `this quote is never closed: put ${character} behind the text`)
      at = end
    } else if (character === close[0] && text[at + 1] === close[1]) return at
    else if (text.startsWith('{{', at) || text.startsWith('{%', at)) break
  }
  const open = text.slice(start, start + 2)
  throw new SyntaxProblem(start, `${open} is never closed: put ${close} behind the expression`)
}

function trimmed(text: string, start: boolean, end: boolean): string {
  let [from, to] = [0, text.length]
  if (start) while (from < to && BLANK.test(text[from]!)) from++
  if (end) while (to > from && BLANK.test(text[to - 1]!)) to--
  return text.slice(from, to)
}

/** Line and column of an index: both begin at 1, and a column is a character (a code point). */
export function placeOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index)
  const lines = before.split('\n')
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 }
}

/** Tells whether a text has `{{ … }}` or `{% … %}`, as the texts of requests do that want to be personalised. */
export function looksLikeTemplate(text: string): boolean {
  for (const [open, { close }] of Object.entries(KINDS)) {
    const start = text.indexOf(open)
    if (start !== -1 && text.indexOf(close, start + 2) !== -1) return true
  }
  return false
}
