import { suggest } from '../../../platform/text/suggest.ts'
import type { Call, Operand } from '../read/syntax.ts'
import { SyntaxProblem } from '../read/tokens.ts'
import { type Get, type Run, spend, spendSearch } from '../run.ts'
import type { Reading } from '../types.ts'
import { numberOf, textOf } from '../values.ts'
import { DIRECTIVE_LETTERS, printDate, readFormat } from './dates.ts'
import { formatsOf } from './languages.ts'

/** The filters. What they do with odd values is what `liquidjs` does (docs/decisions/0098-template-text.md). Pure. */

/** A filter of a value and at most two arguments. */
type Apply = (run: Run, value: unknown, first: unknown, second: unknown) => unknown

interface Filter {
  /** Names of the arguments for problems; the first `least` of them are needed. */
  args: readonly string[]
  least: number
  reads?: readonly Reading[]
  /** Builds the filter for arguments as they are written. Throws `SyntaxProblem` for literals that make no sense. */
  build(args: readonly Operand[]): Apply
}

/** The most decimals of `number`. */
const MAX_DECIMALS = 20

const FILTERS: Readonly<Record<string, Filter>> = {
  default: filter(['value'], defaulted),
  upcase: filter([], (run, value) => made(run, read(run, value).toUpperCase())),
  downcase: filter([], (run, value) => made(run, read(run, value).toLowerCase())),
  capitalize: filter([], (run, value) => made(run, capitalized(read(run, value)))),
  truncate: {
    args: ['length', 'ellipsis'],
    least: 0,
    build: (args) => {
      wantNumber(args[0], 'the length of truncate')
      const [length, ellipsis] = [args.length > 0, args.length > 1]
      return (run, value, most, end) => truncated(run, value, length ? most : undefined, ellipsis ? end : '...')
    },
  },
  strip: filter([], (run, value) => read(run, value).trim()),
  append: filter(['text'], (run, value, end) => joined(run, value, end)),
  prepend: filter(['text'], (run, value, start) => joined(run, start, value)),
  replace: filter(['search', 'replacement'], replaced),
  plus: calculation('plus', (value, other) => value + other),
  minus: calculation('minus', (value, other) => value - other),
  times: calculation('times', (value, other) => value * other),
  divided_by: { args: ['number'], least: 1, build: ([divisor]) => divisionBy(divisor!) },
  round: {
    args: ['decimals'],
    least: 0,
    build: ([decimals]) => {
      wantNumber(decimals, 'the decimals of round')
      return (run, value, digits) => finite(rounded(numberFrom(run, value), numberFrom(run, digits)))
    },
  },
  date: { args: ['format'], least: 1, reads: ['timezone', 'language'], build: ([format]) => dated(format!) },
  number: { args: ['decimals'], least: 0, reads: ['language'], build: ([decimals]) => numbered(decimals) },
  url_encode: filter([], (run, value) => {
    const text = read(run, value).toWellFormed()
    return made(run, encodeURIComponent(text).replaceAll('%20', '+'))
  }),
}

/** A filter all of whose arguments are needed, whatever they are. */
function filter(args: readonly string[], apply: Apply): Filter {
  return { args, least: args.length, build: () => apply }
}

function calculation(name: string, calculate: (value: number, other: number) => number): Filter {
  const apply: Apply = (run, value, other) => finite(calculate(numberFrom(run, value), numberFrom(run, other)))
  return {
    args: ['number'],
    least: 1,
    build: ([other]) => {
      wantNumber(other, `the number of ${name}`)
      return apply
    },
  }
}

export const FILTER_NAMES: readonly string[] = Object.keys(FILTERS)

/** Everything that a filter call reads besides its paths. */
export const readingsOf = ({ name }: Call): readonly Reading[] => FILTERS[name]?.reads ?? []

/** A value behind a filter. Throws `SyntaxProblem` with the remedy for an unknown filter and for wrong arguments. */
export function applied(call: Call, value: Get, args: readonly Get[]): Get {
  const { name, at } = call
  const found = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined
  if (found === undefined) throw new SyntaxProblem(at, unknownFilter(name))
  if (args.length < found.least || args.length > found.args.length) throw new SyntaxProblem(at, wrongCount(name, found))
  const apply = found.build(call.args)
  const [first, second] = args
  if (first === undefined) return (run) => apply(run, value(run), undefined, undefined)
  if (second === undefined) return (run) => apply(run, value(run), first(run), undefined)
  return (run) => apply(run, value(run), first(run), second(run))
}

function unknownFilter(name: string): string {
  const known = FILTER_NAMES
  const meant = suggest(name, known)
  return `there is no filter “${name}”; there are: ${known.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
}

function wrongCount(name: string, { args, least }: Filter): string {
  if (args.length === 0) return `${name} takes no arguments: write ${name} alone`
  const shown = args.map((arg, i) => (i < least ? arg : `${arg} (may be left out)`)).join(', ')
  return `${name} takes ${least === args.length ? counted(least) : `${least} to ${counted(args.length)}`}: ${shown}`
}

const counted = (count: number) => (count === 1 ? '1 argument' : `${count} arguments`)

/** Refuses a literal that is no number where one is needed. */
function wantNumber(operand: Operand | undefined, what: string): void {
  if (operand?.kind !== 'literal') return
  const { value, at } = operand
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))))
    return
  throw new SyntaxProblem(at, `${what} must be a number, as in 5`)
}

/** The value, or another one where there is none. */
function defaulted(run: Run, value: unknown, other: unknown): unknown {
  if (!isEmpty(value)) return value
  run.defaults++
  return other
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === false
}

/** The text of a value, counted as work. */
function read(run: Run, value: unknown): string {
  const text = textOf(value)
  spend(run, text.length)
  return text
}

/** A text that a filter made, counted as work. */
function made(run: Run, text: string): string {
  spend(run, text.length)
  return text
}

/** The number of a value; a text is counted as work. */
function numberFrom(run: Run, value: unknown): number {
  if (typeof value === 'string') spend(run, value.length)
  return numberOf(value)
}

/** A number that can be printed; undefined for infinity and for what is no number. */
const finite = (number: number) => (Number.isFinite(number) ? number : undefined)

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()

function joined(run: Run, start: unknown, end: unknown): string {
  return made(run, read(run, start) + read(run, end))
}

/** Cuts a text to so many characters (code points), the ellipsis included. A value that is short enough stays what it is. */
function truncated(run: Run, value: unknown, length: unknown, ellipsis: unknown): unknown {
  const [text, end] = [read(run, value), read(run, ellipsis)]
  const most = length === undefined || length === null ? 50 : numberFrom(run, length)
  if (text.length <= most || indexOfCharacter(text, most) >= text.length) return value
  return text.slice(0, indexOfCharacter(text, most - lengthOf(end))) + end
}

/** The index behind the first `count` characters of a text. */
function indexOfCharacter(text: string, count: number): number {
  let index = 0
  for (let i = 0; i < count && index < text.length; i++) index += text.codePointAt(index)! > 0xffff ? 2 : 1
  return index
}

/** The number of characters of a text. */
function lengthOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** An empty search changes nothing. */
function replaced(run: Run, value: unknown, search: unknown, replacement: unknown): string {
  const [text, from, to] = [read(run, value), read(run, search), read(run, replacement)]
  if (from === '') return text
  spendSearch(run, text, from)
  const parts = text.split(from)
  spend(run, text.length + (parts.length - 1) * to.length)
  return parts.join(to)
}

/**
 * Rounds half away from zero. Moving the point in the text of the number keeps 1.005 from becoming 1.00499….
 */
function rounded(value: number, decimals: number): number {
  const scaled = shifted(Math.abs(value), decimals)
  if (!(scaled <= Number.MAX_SAFE_INTEGER)) return value
  const result = shifted(Math.round(scaled), -decimals)
  return value < 0 ? -result : result
}

function shifted(value: number, places: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

const WHOLE = /^\s*-?\d+\s*$/
const isWhole = (value: unknown) =>
  typeof value === 'number' ? Number.isInteger(value) : typeof value !== 'string' || WHOLE.test(value)

/** Whole by whole is rounded down, as in Ruby; a divisor that is written with a point divides exactly. By zero: missing. */
function divisionBy(divisor: Operand): Apply {
  wantNumber(divisor, 'the number of divided_by')
  if (divisor.kind === 'literal' && numberOf(divisor.value) === 0) {
    throw new SyntaxProblem(divisor.at, 'nothing can be divided by 0: write another number')
  }
  const isExact = divisor.kind === 'literal' && divisor.isExact
  return (run, value, by) => {
    const quotient = numberFrom(run, value) / numberFrom(run, by)
    return finite(!isExact && isWhole(value) && isWhole(by) ? Math.floor(quotient) : quotient)
  }
}

function dated(operand: Operand): Apply {
  if (operand.kind !== 'literal' || typeof operand.value !== 'string') {
    throw new SyntaxProblem(operand.at, "the format of date must be a text in quotes, as in '%d.%m.%Y'")
  }
  const format = readFormat(operand.value)
  if ('unknown' in format) {
    const known = DIRECTIVE_LETTERS.map((letter) => `%${letter}`).join(' ')
    throw new SyntaxProblem(
      operand.at,
      `date does not know “${format.unknown}”; it knows ${known}; %-d and the like leave zeros out`,
    )
  }
  return (run, value) => printDate(value, format, run.scope.timezone, run.scope.language ?? 'en')
}

function numbered(operand: Operand | undefined): Apply {
  const decimals = operand?.kind === 'literal' ? operand.value : undefined
  if (
    operand !== undefined &&
    !(Number.isInteger(decimals) && (decimals as number) >= 0 && (decimals as number) <= MAX_DECIMALS)
  ) {
    throw new SyntaxProblem(
      operand.at,
      `the decimals of number must be a whole number from 0 to ${MAX_DECIMALS}, as in number: 2`,
    )
  }
  const digits = operand === undefined ? undefined : (decimals as number)
  return (run, value) => {
    if (typeof value === 'string') spend(run, value.length)
    const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    const number = isNumber ? finite(Number(value)) : undefined
    return number === undefined ? undefined : formatsOf(run.scope.language).number(number, digits)
  }
}
