import { isUtf8 } from 'node:buffer'
import { type CsvRecord, readRecord } from '../../platform/csv.ts'

/** A CSV file of one column without a header, read piece by piece: bytes -> values. Pure. */

/** Longest value, in code points: what an identifier column takes. */
export const LONGEST_VALUE = 255

/** Bytes in which the longest value must end: four a code point, quotes around it, the end of the line. */
const LONGEST_RECORD = LONGEST_VALUE * 4 + 4

/** A line that cannot be used, and why, as the end of a sentence that begins with the line. */
export class LineError extends Error {
  readonly line: number

  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

/** What a piece of a file holds. */
export interface Column {
  values: string[]
  /** The line where each value begins. */
  lines: number[]
  /** Bytes that are read; the next piece begins behind them. */
  consumed: number
  /** The number of the line that begins there. */
  line: number
  /** The first of the lines without a value that came last; only the end of a file may have such. */
  blank: number | undefined
}

export interface Piece {
  /** The number of the line that the bytes begin with. */
  line: number
  /** Nothing comes after these bytes. */
  last: boolean
  /** Stop after so many values. */
  most?: number
  /** A line before these bytes that had no value. */
  blank?: number | undefined
}

/**
 * Reads whole records from the front of `bytes`; what is left over belongs to the next piece. Throws `LineError` for a value
 * that is longer than 255 code points, not UTF-8, quoted wrongly, or one of several in its line, and for an empty line that a
 * value follows.
 */
export function readColumn(bytes: Buffer, { line, last, most = Number.POSITIVE_INFINITY, blank }: Piece): Column {
  const column: Column = { values: [], lines: [], consumed: 0, line, blank }
  // One look for all; a character that the piece cuts in two makes it look line by line.
  const sound = isUtf8(bytes)
  while (column.consumed < bytes.length && column.values.length < most) {
    const from = column.consumed
    const record = readRecord(bytes, from, last)
    if (!record) {
      if (bytes.length - from > 2 * LONGEST_RECORD) throw tooLong(column.line)
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
  if (cells.length > 1) throw new LineError(line, 'has more than one column: put a value that holds a comma in quotes')
  const { text, quoted } = cells[0]!
  if (quoted) return text
  if (text.includes('"')) {
    throw new LineError(line, 'has a quote inside of a value: put the value in quotes and double it')
  }
  if (text.includes('\r')) throw new LineError(line, 'holds a carriage return: lines end with LF or CRLF')
  return text === '' ? undefined : text
}

function judge(value: string, line: number): void {
  if (value === '') throw new LineError(line, 'is empty')
  if (value.length > LONGEST_VALUE && Array.from(value).length > LONGEST_VALUE) throw tooLong(line)
  if (value.includes('\0')) throw new LineError(line, 'holds a NUL character')
}

function tooLong(line: number): LineError {
  return new LineError(line, `is longer than ${LONGEST_VALUE} characters`)
}
