import { AppError } from '../../../platform/errors.ts'
import { CR_ALONE } from '../../../platform/text/text-files.ts'

/** An object of the file, or what stands in the place of one, not parsed. `line` is where it begins. */
export interface JsonItem {
  line: number
  bytes: Buffer
}

/** Largest object of an export. */
const MAX_ITEM = 1024 * 1024

const MARK = [0xef, 0xbb, 0xbf]
const LF = 0x0a
const CR = 0x0d
const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const COLON = 0x3a
/** What ends a value in a list. */
const STRUCTURE: ReadonlySet<number> = new Set([COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST])

/**
 * Finds the objects of a JSON file piece by piece, so that a list of a million objects takes no more memory than one:
 * `[{…}, {…}]`, one object after another (JSON lines, or the pages of an API in one file), and
 * `{"channels": [{…}, {…}]}` for the names in `wrappers`. An object of JSON lines whose text is not closed ends with its
 * line, because no text of JSON has a line break. Throws `bad_request` for a file that ends inside a value, for a text
 * that is not closed inside of a list, for JSON lines that end with CR alone, and for an object of more than 1 MiB.
 * Whether an item is an object and valid JSON is left to the caller.
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Buffer>,
  wrappers: readonly string[],
): AsyncGenerator<JsonItem> {
  const scanner = createScanner(new Set(wrappers))
  for await (const chunk of chunks) yield* scanner.scan(chunk)
  yield* scanner.end()
}

function createScanner(wrappers: ReadonlySet<string>) {
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  let line = 1
  let depth = 0
  /** The depth at which the objects of the file are; undefined between lists. */
  let itemDepth: number | undefined = 0
  /** The object that is read: where it begins. */
  let start = -1
  let startLine = 1
  let inText = false
  let escaped = false
  /** A text directly inside of an outermost object: perhaps the name of a list. */
  let textStart = -1
  let name = ''
  let isOutermostList = false
  /** Something other than an object in the place of one: where it begins. */
  let stray = -1
  let strayLine = 1
  /** The byte before was a CR, and: such a byte stands between the last object and here, without an LF. */
  let wasCr = false
  let hasCr = false
  let hasItem = false
  /** Bytes of the byte order mark that are passed; all of them once the file has begun. */
  let marked = 0

  function* scan(chunk: Buffer): Generator<JsonItem> {
    const kept = [start, stray, textStart].find((from) => from >= 0) ?? -1
    const before = kept >= 0 ? rest.subarray(kept) : Buffer.alloc(0)
    rest = before.length > 0 ? Buffer.concat([before, chunk]) : chunk
    at = before.length
    if (kept >= 0) {
      if (textStart >= 0) textStart -= kept
      if (start >= 0) start -= kept
      if (stray >= 0) stray -= kept
    }
    for (; at < rest.length; at++) {
      const byte = rest[at]!
      if (marked < MARK.length && byte === MARK[marked]) {
        marked++
        continue
      }
      marked = MARK.length
      if (depth === 0 && !inText) watchLineEnds(byte)
      const ended = endStray(byte)
      if (ended) yield ended
      if (byte === LF) {
        if (inText) yield breakText()
        line++
      }
      if (inText) readText(byte)
      else if (byte === QUOTE) {
        inText = true
        if (depth === 1 && !isOutermostList) textStart = at
      } else if (byte === OPEN || byte === OPEN_LIST) open(byte)
      else if (byte === CLOSE || byte === CLOSE_LIST) {
        const item = close()
        if (item) yield item
      } else if (byte !== COLON && byte > 0x20) name = ''
    }
    if (Math.max(start, stray) >= 0 && rest.length - Math.max(start, stray) > MAX_ITEM) {
      throw new AppError('bad_request', `line ${startLine}: an object has more than ${MAX_ITEM} bytes`)
    }
    if (textStart >= 0 && rest.length - textStart > MAX_ITEM) {
      throw new AppError('bad_request', `line ${line}: a text has more than ${MAX_ITEM} bytes`)
    }
  }

  function watchLineEnds(byte: number): void {
    if (wasCr && byte !== LF) hasCr = true
    wasCr = byte === CR
    if (byte > 0x20 && hasCr && hasItem && itemDepth === 0) {
      throw new AppError('bad_request', `line ${line} ${CR_ALONE}`)
    }
  }

  /** Begins or ends something that stands in the place of an object, such as a number in a list. */
  function endStray(byte: number): JsonItem | undefined {
    if (inText || start >= 0 || depth !== itemDepth) return undefined
    if (stray < 0) {
      const isOther = byte > 0x20 && !STRUCTURE.has(byte)
      if (isOther) [stray, strayLine] = [at, line]
      return undefined
    }
    if (!(depth === 0 ? byte === LF || byte === OPEN || byte === OPEN_LIST : STRUCTURE.has(byte))) return undefined
    const item = { line: strayLine, bytes: rest.subarray(stray, at) }
    stray = -1
    return item
  }

  /** A line break inside of a text, which JSON does not have: a quote is missing. */
  function breakText(): JsonItem {
    const from = start >= 0 ? start : stray
    if (itemDepth !== 0 || from < 0) {
      throw new AppError(
        'bad_request',
        `line ${line} has a text that is not closed: the JSON is damaged, export it again`,
      )
    }
    const item = { line: start >= 0 ? startLine : strayLine, bytes: rest.subarray(from, at) }
    inText = false
    escaped = false
    depth = 0
    start = -1
    stray = -1
    textStart = -1
    hasItem = true
    return item
  }

  function readText(byte: number): void {
    if (escaped) escaped = false
    else if (byte === BACKSLASH) escaped = true
    else if (byte === QUOTE) {
      inText = false
      if (textStart >= 0) name = rest.toString('utf8', textStart + 1, at)
      textStart = -1
    }
  }

  function open(byte: number): void {
    if (depth === 0 && byte === OPEN_LIST) {
      isOutermostList = true
      itemDepth = 1
    } else if (depth === 0) {
      isOutermostList = false
      itemDepth = 0
    }
    if (depth === 1 && byte === OPEN_LIST && !isOutermostList && wrappers.has(name)) {
      // The outermost object is a page of a list, not an item itself.
      start = -1
      itemDepth = 2
    } else if (depth === itemDepth && (byte === OPEN || depth > 0) && start < 0) {
      start = at
      startLine = line
    }
    name = ''
    depth++
  }

  function close(): JsonItem | undefined {
    depth--
    if (depth < 0) throw new AppError('bad_request', `line ${line}: the JSON has a bracket too many`)
    name = ''
    if (depth === itemDepth && start >= 0) {
      const bytes = rest.subarray(start, at + 1)
      start = -1
      hasItem = true
      hasCr = false
      return { line: startLine, bytes }
    }
    // What follows is JSON lines again, or another list.
    if (depth === 0) itemDepth = 0
    // The list in an outermost object has ended; another one may follow.
    if (depth === 1 && itemDepth === 2) itemDepth = undefined
    return undefined
  }

  function* end(): Generator<JsonItem> {
    if (depth === 0 && stray >= 0) yield { line: strayLine, bytes: rest.subarray(stray) }
    else if (depth > 0 || inText) {
      throw new AppError(
        'bad_request',
        `the file ends in the middle of a value (line ${line}): it is not complete, export it again`,
      )
    }
  }

  return { scan, end }
}
