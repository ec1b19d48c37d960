import { type FieldErrors, invalid, isAppError, messageOf, namedOf } from '../errors.ts'
import { type AsText, asTexts, findUnkept, MAX_UNKEPT, pathOf, UNKEPT_PROBLEMS, type Unkept } from './numbers.ts'
import { findUnexpected } from './position.ts'

/** JSON from callers, without a schema. */

const DEEPEST = 64

/**
 * Bytes -> JSON value. Also refuses malformed UTF-8, nesting beyond 64 levels, which later code could not handle, and
 * numbers that are not kept: `1e400`, which would become null, and integers beyond 2^53, which would become others.
 * Throws `AppError('invalid')` that names the places, with the key `''` and the position for what is not JSON.
 */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const { value, unkept } = readJsonBytes(bytes)
  refuseUnkept(unkept)
  return value
}

/** `parseJsonBytes` of a text. */
export function parseJsonText(source: string): unknown {
  const { value, unkept } = readJsonText(source)
  refuseUnkept(unkept)
  return value
}

/** A JSON value, and its numbers that are not kept. */
export interface ReadJson {
  value: unknown
  /** Numbers that JavaScript cannot keep, in their order. One that `value` has as text may stay; any other must be refused. */
  unkept: readonly Unkept[]
}

/** `parseJsonBytes` that leaves it to the caller to refuse the numbers that are not kept. */
export function readJsonBytes(bytes: Uint8Array, asText?: AsText): ReadJson {
  const source = decodeUtf8(bytes)
  if (source === undefined) throw invalid({ '': ['is not valid UTF-8'] })
  return readJsonText(source, asText)
}

const ALL_KEPT: readonly Unkept[] = []

/** `readJsonBytes` of a text. */
export function readJsonText(source: string, asText?: AsText): ReadJson {
  if (source.trim() === '') throw invalid({ '': ['a JSON body is required'] })
  const look = lookAt(source)
  if (look === 'too deep') throw invalid({ '': [`is nested deeper than ${DEEPEST} levels`] })
  const value = parsed(source)
  // Nearly always: the numbers are short.
  if (look === 'plain') return { value, unkept: ALL_KEPT }
  const unkept = findUnkept(source, asText)
  if (unkept.length > MAX_UNKEPT) throw invalid({ '': [`has more than ${MAX_UNKEPT} numbers that cannot be kept`] })
  const hasTexts = unkept.some(({ isText }) => isText)
  return { value: hasTexts ? JSON.parse(asTexts(source, unkept)) : value, unkept }
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw invalid({ '': [`is not valid JSON: ${positionOf(error, source)}`] })
  }
}

/**
 * The value in bytes that may be JSON; undefined for what `parseJsonBytes` refuses, without finding out why. Numbers that are not kept
 * are texts.
 */
export function tryJson(bytes: Uint8Array): { value: unknown } | undefined {
  const source = decodeUtf8(bytes)
  const look = source === undefined ? 'too deep' : lookAt(source)
  if (source === undefined || look === 'too deep') return undefined
  try {
    const value: unknown = JSON.parse(source)
    return { value: look === 'plain' ? value : readJsonText(source, () => true).value }
  } catch {
    return undefined
  }
}

/** The errors of numbers that are not kept, by path. */
export function unkeptErrors(unkept: readonly Pick<Unkept, 'at' | 'kind'>[]): FieldErrors {
  // A caller may name a field __proto__.
  const named = namedOf(unkept.length)
  const errors = new Map(unkept.slice(0, named).map((one) => [pathOf(one), [UNKEPT_PROBLEMS[one.kind]]]))
  if (unkept.length > named) {
    errors.set('', [...(errors.get('') ?? []), `has ${unkept.length - named} more numbers that cannot be kept`])
  }
  return Object.fromEntries(errors)
}

/** The problem of a JSON text, in a sentence: from the error of `parseJsonBytes`; undefined for any other error. */
export function jsonProblem(error: unknown): string | undefined {
  const fields = isAppError(error) ? error.details.fields : undefined
  return fields && sentenceOf(fields)
}

/** `jsonProblem` for a line of a file: without the position, which would be one within the line. */
export function lineProblem(error: unknown): string {
  const problem = jsonProblem(error)
  return problem === undefined || problem.startsWith(NO_JSON) ? NO_JSON : problem
}

const NO_JSON = 'is not valid JSON'

/** The problem of numbers that are not kept, in a sentence. */
export const unkeptProblem = (unkept: readonly Unkept[]): string => sentenceOf(unkeptErrors(unkept))

const sentenceOf = (fields: FieldErrors): string =>
  Object.entries(fields)
    .map(([path, [problem]]) => (path === '' ? problem : `${path} ${problem}`))
    .join('; ')

/** Throws `invalid` with the places of the numbers that are neither kept nor texts. */
export function refuseUnkept(unkept: readonly Unkept[]): void {
  const refused = unkept.length > 0 ? unkept.filter(({ isText }) => !isText) : unkept
  if (refused.length > 0) throw invalid(unkeptErrors(refused))
}

function positionOf(error: unknown, source: string): string {
  const message = messageOf(error)
  if (/position \d/.test(message)) return message.replace(/ in JSON/, '')
  const position = findUnexpected(source)
  if (position >= source.length) return `it ends too early (position ${source.length})`
  return `unexpected ${JSON.stringify(String.fromCodePoint(source.codePointAt(position)!))} at position ${position}`
}

/** An integer with fewer digits is kept. */
const MANY_DIGITS = 16

/** One pass over the text: whether it nests too deep, and whether its numbers have to be looked at (`findUnkept`). */
function lookAt(source: string): 'too deep' | 'doubtful' | 'plain' {
  let depth = 0
  let digits = 0
  let doubtful = false
  for (let i = 0, quoted = false; i < source.length; i++) {
    const c = source.charCodeAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c >= 0x30 && c <= 0x39) {
      if (++digits >= MANY_DIGITS) doubtful = true
    } else {
      // Of an exponent, not of true and false.
      if (digits > 0 && (c === 0x65 || c === 0x45)) doubtful = true
      digits = 0
      if (c === 0x22) quoted = true
      else if (c === 0x5b || c === 0x7b) {
        if (++depth > DEEPEST) return 'too deep'
      } else if (c === 0x5d || c === 0x7d) depth--
    }
  }
  return doubtful ? 'doubtful' : 'plain'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Tells whether a JSON value is an object. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {}
}

/** The object in a JSON text; undefined if the text is not a JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `readObject` of many texts: together they take two thirds of the time. */
export function readObjects(texts: readonly string[]): (Record<string, unknown> | undefined)[] {
  const read = readList(`[${texts.join(',')}]`)
  return read?.length === texts.length && read.every(isPlainObject) ? read : texts.map(readObject)
}

function readList(text: string): unknown[] | undefined {
  try {
    return JSON.parse(text) as unknown[]
  } catch {
    return undefined
  }
}

/** `readObject`, or the problem of its numbers when some are not kept: for objects that are stored. */
export function readWholeObject(text: string): { object: Record<string, unknown> | undefined } | { problem: string } {
  let read: ReadJson
  try {
    read = readJsonText(text)
  } catch {
    return { object: undefined }
  }
  if (!isPlainObject(read.value)) return { object: undefined }
  return read.unkept.length > 0 ? { problem: unkeptProblem(read.unkept) } : { object: read.value }
}

/** Size of a value in bytes of JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** A size limit that an operator can set. */
export interface SizeLimit {
  bytes: number
  /** Name of the setting, for the error message. */
  setting: string
}

/** The problem of a value whose JSON is larger than the limit; undefined if it is not, or if there is no limit. */
export function sizeProblem(value: unknown, limit: SizeLimit | undefined): string | undefined {
  if (!limit) return undefined
  const { bytes, setting } = limit
  const size = jsonBytes(value)
  return size <= bytes ? undefined : `has ${size} bytes as JSON, ${bytes} are allowed (${setting})`
}

/** Tells whether both databases store the text unchanged. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

/**
 * A document after a merge patch (RFC 7396): null deletes a member, an object is merged into the one that is there,
 * anything else takes its place. Neither argument is changed.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch
  const merged = new Map(isPlainObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
