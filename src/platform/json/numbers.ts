/**
 * Numbers of JSON texts that JavaScript does not keep: `1e400` becomes Infinity, which is stored as null, and integers
 * beyond 2^53 become their neighbours. Decimals that are rounded to the nearest double are kept: every reader of JSON
 * rounds them.
 */

/** `large`: becomes Infinity. `integer`: becomes another integer. `small`: becomes 0. */
export type UnkeptKind = 'large' | 'integer' | 'small'

/** A number of a JSON text that is not kept. */
export interface Unkept {
  kind: UnkeptKind
  /** The keys and indexes that lead to the number. */
  at: readonly (string | number)[]
  /** The position of its first character, and the one behind its last. */
  from: number
  to: number
  /** The value has it as text, as it was written. Otherwise it must be refused. */
  isText: boolean
}

/** Whether a number that is not kept stays as it was written, as text: for callers that cannot be corrected. */
export type AsText = (one: Pick<Unkept, 'kind' | 'at'>) => boolean

/**
 * `AsText` of what phones send: nobody can correct them, and an event should not be lost for a long integer. A number
 * beyond every double is no value of theirs.
 */
export const hasText: AsText = ({ kind }) => kind !== 'large'

/** What is wrong with a number, and the remedy. */
export const UNKEPT_PROBLEMS: Readonly<Record<UnkeptKind, string>> = {
  large: 'is too large for a number: send it as text',
  integer: `is an integer beyond ${Number.MAX_SAFE_INTEGER}, which a number does not hold exactly: send it as text`,
  small: 'is too small for a number and would become 0: send it as text',
}

/** Maximum length of a key in a path. */
const MAX_KEY = 255

/** The path of a number, as errors name it: `content.data[2].price`. */
export function pathOf({ at }: Pick<Unkept, 'at'>): string {
  return at.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`
    const name = part.length > MAX_KEY ? `${part.slice(0, MAX_KEY).toWellFormed()}…` : part
    return path === '' ? name : `${path}.${name}`
  }, '')
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39]

/** A list or an object that is read. */
interface Level {
  /** Of the item that is read; -1 in an object. */
  index: number
  /** The text of the key that is read, with its quotes. */
  keyFrom: number
  keyTo: number
  /** The key when it was asked for: it may be long, and stand before many numbers. */
  key: string | undefined
}

/** Maximum number of numbers that are not kept in one text. No program sends as many. */
export const MAX_UNKEPT = 10_000

/** The numbers of a valid JSON text that are not kept, in their order, at most `MAX_UNKEPT` and one. Linear time. */
export function findUnkept(source: string, asText: AsText = () => false): Unkept[] {
  const found: Unkept[] = []
  const levels: Level[] = []
  let level: Level | undefined
  // The last text was a key when a colon follows.
  let textFrom = 0
  let textTo = 0
  for (let i = 0; i < source.length; i++) {
    const c = source.charCodeAt(i)
    if (c === QUOTE) {
      textFrom = i
      i = textTo = endOfText(source, i)
    } else if (c === COLON) {
      level!.keyFrom = textFrom
      level!.keyTo = textTo + 1
      level!.key = undefined
    } else if (c === COMMA) {
      if (level!.index >= 0) level!.index++
    } else if (c === OPEN || c === OPEN_LIST) {
      levels.push((level = { index: c === OPEN ? -1 : 0, keyFrom: 0, keyTo: 0, key: undefined }))
    } else if (c === CLOSE || c === CLOSE_LIST) {
      levels.pop()
      level = levels.at(-1)
    } else if (c === MINUS || (c >= ZERO && c <= NINE)) {
      const from = i
      while (isOfNumber(source.charCodeAt(i + 1))) i++
      const kind = unkeptKind(source.slice(from, i + 1))
      if (kind) {
        const one = { kind, at: levels.map((place) => partOf(source, place)), from, to: i + 1 }
        found.push({ ...one, isText: asText(one) })
        if (found.length > MAX_UNKEPT) return found
      }
    }
  }
  return found
}

function partOf(source: string, level: Level): string | number {
  if (level.index >= 0) return level.index
  return (level.key ??= JSON.parse(source.slice(level.keyFrom, level.keyTo)) as string)
}

/** The position of the closing quote of the text that begins at `start`. */
function endOfText(source: string, start: number): number {
  let i = start + 1
  for (let c = source.charCodeAt(i); c !== QUOTE; c = source.charCodeAt(i)) {
    if (i >= source.length) return i
    i += c === BACKSLASH ? 2 : 1
  }
  return i
}

/** Digits, signs, the point, `e` and `E`. */
function isOfNumber(c: number): boolean {
  return (c >= ZERO && c <= NINE) || c === 0x2e || c === 0x65 || c === 0x45 || c === 0x2b || c === MINUS
}

/** Why a number, as JSON writes it, is not kept; undefined when it is. */
export function unkeptKind(token: string): UnkeptKind | undefined {
  const value = Number(token)
  if (!Number.isFinite(value)) return 'large'
  if (value === 0) return /^[^eE]*[1-9]/.test(token) ? 'small' : undefined
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined
  // Written as a double: kept when it is written as the same number again, as 1e23 is.
  if (!/[.eE]/.test(token)) return 'integer'
  const given = decimalOf(token)
  const kept = decimalOf(String(value))
  const isSame = given.digits === kept.digits && given.exponent === kept.exponent
  return isSame || given.exponent < 0 ? undefined : 'integer'
}

/** A number without its sign as `digits` × 10^`exponent`, without zeros at either end. */
function decimalOf(token: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^-/, '').split('.')
  const digits = whole + fraction
  let from = 0
  let to = digits.length
  while (from < to && digits[from] === '0') from++
  while (to > from && digits[to - 1] === '0') to--
  return { digits: digits.slice(from, to), exponent: Number(power) - fraction.length + (digits.length - to) }
}

/** The numbers of a list by the index of their item, each with its place in the item. */
export function byItem(unkept: readonly Unkept[]): ReadonlyMap<number, Unkept[]> {
  if (unkept.length === 0) return NO_ITEMS
  const items = new Map<number, Unkept[]>()
  for (const one of unkept) {
    const [index, ...at] = one.at
    if (typeof index !== 'number') continue
    const some = items.get(index)
    if (some) some.push({ ...one, at })
    else items.set(index, [{ ...one, at }])
  }
  return items
}

const NO_ITEMS: ReadonlyMap<number, Unkept[]> = new Map()

/** The JSON text with those numbers as texts that `isText` says. */
export function asTexts(source: string, numbers: readonly Unkept[]): string {
  const parts: string[] = []
  let end = 0
  for (const { from, to, isText } of numbers) {
    if (!isText) continue
    parts.push(source.slice(end, from), '"', source.slice(from, to), '"')
    end = to
  }
  return parts.join('') + source.slice(end)
}
