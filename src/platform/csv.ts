import { isUtf8 } from 'node:buffer'
import { AppError } from './errors.ts'

/**
 * CSV (RFC 4180) read from bytes: commas between cells, LF or CRLF between records; a cell in quotes may hold commas,
 * line breaks and doubled quotes. Why not a library: docs/decisions/0021-libraries-we-use-and-do-not.md.
 */

export interface CsvCell {
  text: string
  /** Whether the cell is in quotes. If so, an empty text was meant. */
  quoted: boolean
}

export interface CsvRecord {
  cells: CsvCell[]
  /** The index of the next record. */
  next: number
  /** Number of line ends in the record, including the one that ends it. */
  lines: number
  /** Why the cells cannot be used, as the end of a sentence that begins with the line. */
  fault?: string
}

/** Bytes of a byte order mark at the front of a file: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/**
 * Whether a text is a number as spreadsheets and data frames write long ones, `1.23E+17`: the digits that they show are
 * not those that were there. A plus sign or a point must be in it, because `12e5` may be an identifier.
 */
export function isRoundedNumber(text: string): boolean {
  return /^[+-]?\d(?:[.,]\d+e\+?\d{1,3}|e\+\d{1,3})$/i.test(text.trim())
}

/** The sentence that goes with an identifier of this kind. */
export const ROUNDED_RULE =
  'is a number that a spreadsheet has rounded: format the column as text before its values are entered, and export it again'

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09

/**
 * The record that begins at `from`; undefined when its end has not arrived yet. `last`: nothing comes after these
 * bytes. `trim` drops blanks around cells, also outside of quotes. Bytes that are not UTF-8 become U+FFFD.
 */
export function readRecord(bytes: Buffer, from: number, last: boolean, trim = false): CsvRecord | undefined {
  const cells: CsvCell[] = []
  let lines = 1
  for (let at = from; ; at++) {
    if (trim) while (isBlank(bytes[at])) at++
    const quoted = bytes[at] === QUOTE
    if (quoted) {
      const close = closingQuote(bytes, at)
      if (close === undefined && !last) return undefined
      if (close === undefined) {
        return { cells, next: bytes.length, lines, fault: 'has a quote that is never closed' }
      }
      const text = bytes.toString('utf8', at + 1, close)
      for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) lines++
      cells.push({ text: text.includes('"') ? text.replaceAll('""', '"') : text, quoted })
      at = close + 1
      if (trim) while (isBlank(bytes[at])) at++
    } else {
      const start = at
      while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== LF) at++
      if (at === bytes.length && !last) return undefined
      const end = at > start && bytes[at] !== COMMA && bytes[at - 1] === CR ? at - 1 : at
      const text = bytes.toString('utf8', start, end)
      cells.push({ text: trim ? text.trim() : text, quoted })
    }
    if (bytes[at] === COMMA) continue
    // More may follow: another quote, or the LF of a CRLF.
    if (!last && (at === bytes.length || (bytes[at] === CR && at + 1 === bytes.length))) return undefined
    if (bytes[at] === CR && (bytes[at + 1] === LF || at + 1 === bytes.length)) at++
    if (at >= bytes.length || bytes[at] === LF) return { cells, next: Math.min(at + 1, bytes.length), lines }
    const end = bytes.indexOf(LF, at)
    if (end < 0 && !last) return undefined
    const fault = 'has text behind a closing quote: double the quotes inside of a text'
    return { cells, next: end < 0 ? bytes.length : end + 1, lines, fault }
  }
}

/** The index of the quote that ends the cell which begins with the quote at `open`. */
function closingQuote(bytes: Buffer, open: number): number | undefined {
  let at = bytes.indexOf(QUOTE, open + 1)
  while (at >= 0 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2)
  return at < 0 ? undefined : at
}

/** A record of a file; `line` is the line where it begins. */
export interface CsvRow extends CsvRecord {
  line: number
  /** Whether its bytes are UTF-8. */
  sound: boolean
  /** Its bytes, with the line end. */
  bytes: Buffer
}

/** The records of a file, without empty lines. Throws `bad_request` for a record of more than `longest` bytes. */
export async function* readCsvRows(
  chunks: AsyncIterable<Uint8Array>,
  { longest, trim = false }: { longest: number; trim?: boolean },
): AsyncGenerator<CsvRow> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let isStart = true
  function* rows(last: boolean): Generator<CsvRow> {
    if (isStart && rest.length < 3 && !last) return
    let at = isStart ? markLength(rest) : 0
    isStart = false
    const sound = isUtf8(rest)
    while (at < rest.length) {
      const record = readRecord(rest, at, last, trim)
      if (!record) break
      const [first, second] = record.cells
      const isEmpty = !record.fault && !second && first?.text === '' && !first.quoted
      const bytes = rest.subarray(at, record.next)
      if (!isEmpty) yield { ...record, line, bytes, sound: sound || isUtf8(bytes) }
      line += record.lines
      at = record.next
    }
    rest = rest.subarray(at)
    if (rest.length > longest) {
      throw new AppError('bad_request', `line ${line} has more than ${longest} bytes: is a quote not closed?`)
    }
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    rest = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    yield* rows(false)
  }
  yield* rows(true)
}
