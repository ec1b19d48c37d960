import { isUtf8 } from 'node:buffer'
import { AppError } from '../errors.ts'
import { CR_ALONE, HAS_NUL, hasLoneCr, isUtf16, notUtf8, refusedUtf16 } from './text-files.ts'

/**
 * CSV (RFC 4180) read from bytes: commas between cells, LF or CRLF between records; a cell in quotes may hold commas,
 * line breaks and doubled quotes. Why not a library: docs/decisions/0021-libraries-we-use-and-do-not.md.
 */

export interface CsvCell {
  text: string
  /** True when the cell is in quotes. If so, an empty text was meant. */
  quoted: boolean
}

export interface CsvRecord {
  cells: CsvCell[]
  /** The index of the next record. */
  next: number
  /** Number of line ends in the record, including the one that ends it. */
  lines: number
  /** The reason why the cells cannot be used, as the end of a sentence that begins with the line. */
  fault?: string
}

/** Bytes of a byte order mark at the front of a file: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/**
 * Tells whether a text is a number as spreadsheets and data frames write long ones, `1.23E+17`: the digits that they show are not
 * those that were there. A plus sign or a point must be in it, because `12e5` may be an identifier.
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
    const fault = bytes[at] === CR ? CR_ALONE : 'has text behind a closing quote: double the quotes inside of a text'
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
  /** Bytes of the record, with its line end. */
  bytes: Buffer
}

export interface CsvRules {
  /** Maximum number of bytes of a record. */
  longest: number
  /** Blanks around cells do not belong to them. */
  trim?: boolean
  /** Each line is a record: a cell in quotes has no line breaks, so that a quote that is not closed ends with its line. */
  oneLine?: boolean
  /** Cells without quotes around them may have quotes inside. */
  quotesInside?: boolean
}

/**
 * The records of a file, without empty lines. A record that cannot be used has a `fault`. Where a quote is closed in a wrong
 * place or never, every line that it takes in has one, so that none is lost unseen. Throws `bad_request` for bytes that are not
 * UTF-8 and for a record that is too long.
 */
export async function* readCsvRows(chunks: AsyncIterable<Uint8Array>, rules: CsvRules): AsyncGenerator<CsvRow> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let isStart = true
  function* rows(last: boolean): Generator<CsvRow> {
    if (isStart && rest.length < 3 && !last) return
    if (isStart && isUtf16(rest)) throw refusedUtf16()
    let at = isStart ? markLength(rest) : 0
    isStart = false
    const sound = isUtf8(rest)
    while (at < rest.length) {
      const record = rules.oneLine ? readLine(rest, at, last, rules.trim) : readRecord(rest, at, last, rules.trim)
      if (!record) break
      const bytes = rest.subarray(at, record.next)
      if (!sound && !isUtf8(bytes)) throw notUtf8(lineOfFault(bytes, line))
      const fault = record.fault ?? faultOf(record.cells, rules)
      if (record.fault !== undefined && bytes.subarray(0, -1).includes(LF))
        yield* brokenLines(bytes, line, record.fault)
      else if (!isEmpty(record)) yield { ...record, line, bytes, ...(fault !== undefined && { fault }) }
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, end + 1)) line++
      at = record.next
    }
    rest = rest.subarray(at)
    if (rest.length > rules.longest) throw tooLong(rest, line, rules.longest)
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    rest = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    yield* rows(false)
  }
  yield* rows(true)
}

/** `readRecord` for files whose records are lines. */
function readLine(bytes: Buffer, from: number, last: boolean, trim?: boolean): CsvRecord | undefined {
  const end = bytes.indexOf(LF, from)
  if (end < 0 && !last) return undefined
  const next = end < 0 ? bytes.length : end + 1
  const record = readRecord(bytes.subarray(from, next), 0, true, trim)!
  return { ...record, next, lines: 1 }
}

const isEmpty = ({ cells: [first, second], fault }: CsvRecord) =>
  fault === undefined && second === undefined && first?.text === '' && !first.quoted

/** The reason why cells cannot be used although the record ends where it should. */
function faultOf(cells: readonly CsvCell[], { quotesInside = false }: CsvRules): string | undefined {
  for (const { text, quoted } of cells) {
    if (text.includes('\0')) return HAS_NUL
    if (quoted) continue
    if (text.includes('\r')) return CR_ALONE
    if (!quotesInside && text.includes('"')) {
      return 'has a quote inside a cell: put the cell in quotes and double the quote'
    }
  }
  return undefined
}

/** The lines of a record with a quote that does not belong there. */
function* brokenLines(bytes: Buffer, first: number, fault: string): Generator<CsvRow> {
  let line = first
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(LF, at)
    const next = end < 0 ? bytes.length : end + 1
    const own = bytes.subarray(at, next)
    const why = line === first ? fault : `cannot be told apart from line ${first}, which ${fault.split(':', 1)[0]!}`
    if (own.some((byte) => byte !== LF && byte !== CR))
      yield { cells: [], next, lines: 1, line, bytes: own, fault: why }
    at = next
  }
}

function lineOfFault(bytes: Buffer, first: number): number {
  let line = first
  for (let at = 0; ; line++) {
    const end = bytes.indexOf(LF, at)
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return line
    at = end + 1
  }
}

function tooLong(rest: Buffer, line: number, longest: number): AppError {
  const isOld = !rest.includes(LF) && hasLoneCr(rest)
  return new AppError(
    'bad_request',
    isOld ? `line ${line} ${CR_ALONE}` : `line ${line} has more than ${longest} bytes: is a quote not closed?`,
  )
}

/**
 * The names of columns in the first record of a table, without blanks around them. Throws `bad_request` for another
 * separator, and for a name that is there twice unless `allowTwice`.
 */
export function readHeader({ cells, fault }: CsvRecord, { allowTwice = false } = {}): string[] {
  if (fault !== undefined) throw new AppError('bad_request', `the first line ${fault}`)
  const names = cells.map(({ text }) => text.trim())
  const separator = names.length === 1 ? SEPARATORS.find(([mark]) => names[0]!.includes(mark)) : undefined
  if (separator) {
    throw new AppError('bad_request', `the columns are separated by ${separator[1]}: save the file with commas`)
  }
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) !== i)
  if (twice !== undefined && !allowTwice) {
    throw new AppError('bad_request', `the header has ${JSON.stringify(twice)} twice: rename one of the columns`)
  }
  return names
}

const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'bars'],
] as const

/** The reason why a row does not fit a header with `count` columns; undefined if it does. */
export function countProblem({ cells }: CsvRecord, count: number): string | undefined {
  return cells.length === count ? undefined : `has ${cells.length} cells, but the header has ${count}`
}
