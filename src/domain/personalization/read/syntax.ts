import { BLANK, SyntaxProblem } from './tokens.ts'

/** Reads what stands between braces: expressions, conditions and the words of tags. Pure. */

type Literal = string | number | boolean | null

/** A value as it is written; `at` is the index of its first character in the text. */
export type Operand =
  /** `isExact`: a number that is written with a point. */
  | { kind: 'literal'; at: number; value: Literal; isExact: boolean }
  | { kind: 'path'; at: number; names: readonly (string | number)[] }

export interface Call {
  name: string
  at: number
  args: readonly Operand[]
}

export interface Expression {
  operand: Operand
  calls: readonly Call[]
}

const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>', 'contains'] as const
export type Comparison = (typeof COMPARISONS)[number]

export interface Test {
  left: Operand
  comparison?: { name: Comparison; right: Operand }
}

/** Tests with `and` and `or` between them, judged from the right as in Liquid: `a and b or c` is `a and (b or c)`. */
export interface Condition {
  tests: readonly Test[]
  joins: readonly ('and' | 'or')[]
}

export type Tag = { name: 'if' | 'elsif'; condition: Condition } | { name: 'else' | 'endif' }

const BLANKS = new RegExp(`(?:${BLANK.source})*`, 'y')
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_-]*/uy
const NUMBER = /-?\d+(\.\d+)?(?![\p{L}\p{N}_.])/uy
const SIGN = /[=!<>]=?|[\S\ufeff]/uy
/** A character that nobody sees, as texts from a word processor have them. */
const UNSEEN = /^[\p{C}\p{Z}]$/u
const TAGS = ['if', 'elsif', 'else', 'endif']
const WORDS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['nil', null],
])
/** Words of Liquid that this language leaves out, and what to write instead. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  null: 'write nil',
  empty: 'a missing value is false by itself: write {% if … %} with the value alone',
  blank: 'a missing value is false by itself: write {% if … %} with the value alone',
  not: 'write != or {% else %}',
}

/** Quotes as word processors write them. */
const CURLY = /^[“”„‟‘’‚‛«»]$/

const shown = (found: string) =>
  UNSEEN.test(found)
    ? `the invisible character U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    : `“${found}”`

/** Reads one part from its beginning to its end. */
class Reader {
  #at = 0
  readonly #source: string
  readonly #offset: number

  constructor(source: string, offset: number) {
    this.#source = source
    this.#offset = offset
    this.skip()
  }

  get at(): number {
    return this.#offset + this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length
  }

  skip(): void {
    this.match(BLANKS)
  }

  /** The match of a sticky expression at this place, which it goes behind. */
  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  /** Goes behind `text` if it stands here. */
  takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** Goes behind a word if it stands here, with the blanks behind it. */
  takesWord<W extends string>(words: readonly W[]): W | undefined {
    const before = this.#at
    const found = this.match(NAME)
    const word = words.find((one) => one === found)
    if (word === undefined) this.#at = before
    else this.skip()
    return word
  }

  /** The text in quotes that begins here. */
  quoted(): string | undefined {
    const quote = this.#source[this.#at]
    if (quote !== '"' && quote !== "'") return undefined
    // There is one: a part does not end inside quotes.
    const end = this.#source.indexOf(quote, this.#at + 1)
    const text = this.#source.slice(this.#at + 1, end)
    const backslash = text.indexOf('\\')
    if (backslash !== -1) {
      const place = this.at + 1 + backslash
      throw new SyntaxProblem(
        place,
        'a backslash means nothing here: put a text with one kind of quote into the other kind',
      )
    }
    this.#at = end + 1
    return text
  }

  /** Throws a problem at this place, which names what stands here. */
  refuse(wanted: string): never {
    const at = this.at
    const found = this.match(NAME) ?? this.match(SIGN)
    if (found === undefined) throw new SyntaxProblem(at, `something is missing: ${wanted}`)
    if (CURLY.test(found)) throw new SyntaxProblem(at, `a text stands in straight quotes: write 'text' or "text"`)
    throw new SyntaxProblem(at, `${shown(found)} is not expected: ${wanted}`)
  }
}

/** Reads the inside of `{{ … }}`, which begins at `offset` of the text. Throws `SyntaxProblem`. */
export function readExpression(source: string, offset: number): Expression {
  const reader = new Reader(source, offset)
  const operand = readOperand(reader)
  const calls: Call[] = []
  while (!reader.isAtEnd) {
    if (!reader.takes('|')) reader.refuse('put | before a filter, or }} at the end')
    calls.push(readCall(reader))
  }
  return { operand, calls }
}

function readCall(reader: Reader): Call {
  reader.skip()
  const at = reader.at
  const name = reader.match(NAME) ?? reader.refuse('write the name of a filter behind |')
  const args: Operand[] = []
  reader.skip()
  if (reader.takes(':')) {
    do {
      reader.skip()
      args.push(readOperand(reader))
      if (reader.takes(':')) throw new SyntaxProblem(args.at(-1)!.at, 'arguments have no names: write the value alone')
    } while (reader.takes(','))
  }
  return { name, at, args }
}

/** Reads the inside of `{% … %}`, which begins at `offset` of the text. Throws `SyntaxProblem`. */
export function readTag(source: string, offset: number): Tag {
  const reader = new Reader(source, offset)
  const { at } = reader
  const name = reader.match(NAME) ?? reader.refuse('write if, elsif, else or endif')
  reader.skip()
  if (name === 'if' || name === 'elsif') return { name, condition: readCondition(reader) }
  if (name !== 'else' && name !== 'endif') {
    throw new SyntaxProblem(at, `there is no tag “${name}”; there are: ${TAGS.join(', ')}`)
  }
  if (!reader.isAtEnd) reader.refuse(name === 'else' ? 'put %} behind else, or write elsif' : 'put %} behind endif')
  return { name }
}

function readCondition(reader: Reader): Condition {
  const tests = [readTest(reader)]
  const joins: ('and' | 'or')[] = []
  while (!reader.isAtEnd) {
    const join = reader.takesWord(['and', 'or'])
    if (join === undefined) {
      reader.refuse(
        'write and or or between conditions, or put %} at the end; conditions have neither filters nor brackets',
      )
    }
    joins.push(join)
    tests.push(readTest(reader))
  }
  return { tests, joins }
}

function readTest(reader: Reader): Test {
  const left = readOperand(reader)
  const name = reader.takesWord(['contains']) ?? COMPARISONS.find((sign) => sign !== 'contains' && reader.takes(sign))
  if (name === undefined) return { left }
  reader.skip()
  const right = readOperand(reader)
  for (const { kind, at, ...side } of [left, right]) {
    if (kind === 'literal' && 'value' in side && (side.value === null || side.value === '')) {
      throw new SyntaxProblem(
        at,
        'a missing value is false by itself: write {% if … %} with the value alone, and {% else %} for when it is missing',
      )
    }
  }
  return { left, comparison: { name, right } }
}

/** Reads a literal or a path, and the blanks behind it. */
function readOperand(reader: Reader): Operand {
  const operand = readLiteral(reader) ?? readPath(reader)
  reader.skip()
  return operand
}

function readLiteral(reader: Reader): Operand | undefined {
  const { at } = reader
  const text = reader.quoted()
  if (text !== undefined) return { kind: 'literal', at, value: text, isExact: false }
  const number = reader.match(NUMBER)
  if (number === undefined) return undefined
  const value = Number(number)
  if (!Number.isFinite(value)) throw new SyntaxProblem(at, 'this number is too large')
  return { kind: 'literal', at, value, isExact: number.includes('.') }
}

function readPath(reader: Reader): Operand {
  const { at } = reader
  const root =
    reader.match(NAME) ?? reader.refuse('write a path such as user.attributes.name, a text in quotes or a number')
  const names: (string | number)[] = [root]
  for (;;) {
    if (reader.takes('.')) {
      names.push(
        reader.match(NAME) ??
          reader.refuse("write a name behind the point; other names stand in brackets: meta['first name']"),
      )
    } else if (reader.takes('[')) names.push(readBracketed(reader))
    else break
  }
  if (names.length > 1) return { kind: 'path', at, names }
  const word = WORDS.get(root)
  if (word !== undefined) return { kind: 'literal', at, value: word, isExact: false }
  if (Object.hasOwn(LEFT_OUT, root)) throw new SyntaxProblem(at, `there is no “${root}”: ${LEFT_OUT[root]}`)
  return { kind: 'path', at, names }
}

function readBracketed(reader: Reader): string | number {
  reader.skip()
  const { at } = reader
  const name = reader.quoted()
  const number = name === undefined ? reader.match(NUMBER) : undefined
  const wanted = "write a name in quotes or a whole number: meta['first name'], meta.orders[0]"
  if (name === undefined && number === undefined) reader.refuse(wanted)
  if (number?.includes('.')) throw new SyntaxProblem(at, `“${number}” is not a place in a list: ${wanted}`)
  reader.skip()
  if (!reader.takes(']')) reader.refuse('put ] behind the name')
  return name ?? Number(number)
}
