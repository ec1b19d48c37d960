import { invalid, messageOf } from './errors.ts'
import { findUnexpected } from './json-position.ts'

/** JSON from callers, without a schema. */

const DEEPEST = 64

/**
 * Bytes -> JSON value. Also refuses malformed UTF-8, and nesting beyond 64 levels, which later code could not handle.
 * Throws `AppError('invalid')` with the key `''` and the position.
 */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const source = decodeUtf8(bytes)
  if (source === undefined) throw invalid({ '': ['is not valid UTF-8'] })
  if (source.trim() === '') throw invalid({ '': ['a JSON body is required'] })
  if (nestsTooDeep(source)) throw invalid({ '': [`is nested deeper than ${DEEPEST} levels`] })
  try {
    return JSON.parse(source)
  } catch (error) {
    throw invalid({ '': [`is not valid JSON: ${positionOf(error, source)}`] })
  }
}

/** The value in bytes that may be JSON; undefined for what `parseJsonBytes` refuses, without finding out why. */
export function tryJson(bytes: Uint8Array): { value: unknown } | undefined {
  const source = decodeUtf8(bytes)
  if (source === undefined || nestsTooDeep(source)) return undefined
  try {
    return { value: JSON.parse(source) as unknown }
  } catch {
    return undefined
  }
}

function positionOf(error: unknown, source: string): string {
  const message = messageOf(error)
  if (/position \d/.test(message)) return message.replace(/ in JSON/, '')
  const position = findUnexpected(source)
  if (position >= source.length) return `it ends too early (position ${source.length})`
  return `unexpected ${JSON.stringify(String.fromCodePoint(source.codePointAt(position)!))} at position ${position}`
}

function nestsTooDeep(source: string): boolean {
  let depth = 0
  for (let i = 0, quoted = false; i < source.length; i++) {
    const c = source.charCodeAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c === 0x22) quoted = true
    else if (c === 0x5b || c === 0x7b) {
      if (++depth > DEEPEST) return true
    } else if (c === 0x5d || c === 0x7d) depth--
  }
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object. */
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

/** Whether both databases store the text unchanged. */
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
