import { AppError } from '../../../platform/errors.ts'

/** An object of the file, not parsed. `line` is where it begins. */
export interface JsonItem {
  line: number
  bytes: Buffer
}

/** Largest object of an export. */
const MAX_ITEM = 1024 * 1024

const LF = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const COLON = 0x3a

/**
 * Finds the objects of a JSON file piece by piece, so that a list of a million objects takes no more memory than one:
 * `[{…}, {…}]`, one object after another (JSON lines, or the pages of an API in one file), and
 * `{"channels": [{…}, {…}]}` for the names in `wrappers`. Throws `bad_request` for a file that ends inside a value and
 * for an object of more than 1 MiB. Whether an object is valid JSON is left to the caller.
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Buffer>,
  wrappers: readonly string[],
): AsyncGenerator<JsonItem> {
  const scanner = createScanner(new Set(wrappers))
  for await (const chunk of chunks) yield* scanner.scan(chunk)
  scanner.end()
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

  function* scan(chunk: Buffer): Generator<JsonItem> {
    const kept = start >= 0 ? start : textStart
    const before = kept >= 0 ? rest.subarray(kept) : Buffer.alloc(0)
    rest = before.length > 0 ? Buffer.concat([before, chunk]) : chunk
    at = before.length
    if (kept >= 0) {
      if (textStart >= 0) textStart -= kept
      if (start >= 0) start -= kept
    }
    for (; at < rest.length; at++) {
      const byte = rest[at]!
      if (byte === LF) line++
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
    if (start >= 0 && rest.length - start > MAX_ITEM) {
      throw new AppError('bad_request', `line ${startLine}: an object has more than ${MAX_ITEM} bytes`)
    }
    if (textStart >= 0 && rest.length - textStart > MAX_ITEM) {
      throw new AppError('bad_request', `line ${line}: a text has more than ${MAX_ITEM} bytes`)
    }
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
    } else if (depth === itemDepth && byte === OPEN && start < 0) {
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
      return { line: startLine, bytes }
    }
    // The list in an outermost object has ended; another one may follow.
    if (depth === 1 && itemDepth === 2) itemDepth = undefined
    return undefined
  }

  function end(): void {
    if (depth > 0 || inText) {
      throw new AppError(
        'bad_request',
        `the file ends in the middle of a value (line ${line}): it is not complete, export it again`,
      )
    }
  }

  return { scan, end }
}
