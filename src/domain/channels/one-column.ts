import { isUtf8 } from 'node:buffer'
import { type CsvRecord, isRoundedNumber, ROUNDED_RULE, readRecord } from '../../platform/text/csv.ts'
import { unguarded } from '../../platform/text/csv-text.ts'
import { CR_ALONE, hasLoneCr } from '../../platform/text/text-files.ts'

/** Reads a CSV file of one column without a header, piece by piece: bytes -> values. Pure. */

/** Maximum length of a value in code points: that of an identifier column. */
const MAX_VALUE_LENGTH = 255

/** Maximum size of a plain record in bytes: four per code point, two quotes, and the line end. */
const MAX_RECORD_LENGTH = MAX_VALUE_LENGTH * 4 + 4

/** Said of the first line of a file in UTF-16. */
export const IS_UTF16 = 'is not valid UTF-8: this is UTF-16, save the file as UTF-8'

/** A line that cannot be used. The message completes a sentence that begins with the line. */
export class LineError extends Error {
  readonly line: number

  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

/** The contents of a piece of a file. */
export interface Column {
  values: string[]
  /** The line in which each value begins. */
  lines: number[]
  /** Number of bytes read; the next piece begins after them. */
  consumed: number
  /** Number of the line that begins there. */
  line: number
  /** The first of the empty lines at the end, if any; a file may have empty lines only at its end. */
  blank: number | undefined
}

export interface Piece {
  /** Number of the line that the bytes begin with. */
  line: number
  /** These bytes end the file. */
  last: boolean
  /** Maximum number of values to read. */
  most?: number
  /** An empty line that precedes these bytes. */
  blank?: number | undefined
}

/**
 * Reads the complete records of `bytes`; the remaining bytes belong to the next piece. Throws `LineError` for a value
 * that is longer than 255 code points, not UTF-8, quoted wrongly, or not the only one of its line, and for an empty
 * line before a value.
 */
export function readColumn(bytes: Buffer, { line, last, most = Number.POSITIVE_INFINITY, blank }: Piece): Column {
  const column: Column = { values: [], lines: [], consumed: 0, line, blank }
  // One check for the whole piece. It fails if the piece cuts a character in two; then each record is checked.
  const sound = isUtf8(bytes)
  while (column.consumed < bytes.length && column.values.length < most) {
    const from = column.consumed
    const record = readRecord(bytes, from, last)
    if (!record) {
      if (bytes.length - from > 2 * MAX_RECORD_LENGTH) {
        throw hasLoneCr(bytes.subarray(from)) ? new LineError(column.line, CR_ALONE) : tooLong(column.line)
      }
      break
    }
    if (!sound && !isUtf8(bytes.subarray(from, record.next))) throw new LineError(column.line, 'is not valid UTF-8')
    const value = valueOf(record, column.line)
    if (value === undefined) column.blank ??= column.line
    else {
      if (column.blank !== undefined) throw new LineError(column.blank, 'is empty')
      judge(value, column.line)
      column.values.push(value)
      column.lines.push(column.line)
    }
    column.consumed = record.next
    column.line += record.lines
  }
  return column
}

/** The value of a record; undefined for an empty line. */
function valueOf({ cells, fault }: CsvRecord, line: number): string | undefined {
  if (fault !== undefined) throw new LineError(line, fault)
  if (cells.length > 1)
    throw new LineError(line, 'has more than one column: put a value that contains a comma in quotes')
  const { text, quoted } = cells[0]!
  // As the file of unknown users has it.
  if (quoted) return unguarded(text)
  if (text.includes('"')) {
    throw new LineError(line, 'has a quote inside a value: put the value in quotes and double the quote')
  }
  if (text.includes('\r')) throw new LineError(line, CR_ALONE)
  return text === '' ? undefined : unguarded(text)
}

function judge(value: string, line: number): void {
  if (value === '') throw new LineError(line, 'is empty')
  if (value.length > MAX_VALUE_LENGTH && Array.from(value).length > MAX_VALUE_LENGTH) throw tooLong(line)
  if (isRoundedNumber(value)) throw new LineError(line, ROUNDED_RULE)
  if (value.includes('\0')) throw new LineError(line, 'contains a NUL character')
}

function tooLong(line: number): LineError {
  return new LineError(line, `is longer than ${MAX_VALUE_LENGTH} characters`)
}
