import { isUtf8 } from 'node:buffer'

/**
 * A CSV file of one column without a header, read piece by piece: bytes -> values. RFC 4180 with LF or CRLF between the lines;
 * a value in quotes may hold commas, line breaks and doubled quotes. Pure.
 */

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

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22

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
    const record = bytes[column.consumed] === QUOTE ? readQuoted(bytes, column, last) : readPlain(bytes, column, last)
    if (!record) {
      if (bytes.length - column.consumed > 2 * LONGEST_RECORD) throw tooLong(column.line)
      break
    }
    const { from, to, next, lines, doubled } = record
    if (!sound && !isUtf8(bytes.subarray(from, to))) throw new LineError(column.line, 'is not valid UTF-8')
    const written = bytes.toString('utf8', from, to)
    const value = doubled ? written.replaceAll('""', '"') : written
    if (value === '' && bytes[column.consumed] !== QUOTE) column.blank ??= column.line
    else {
      if (column.blank !== undefined) throw new LineError(column.blank, 'is empty')
      judge(value, column.line)
      column.values.push(value)
      column.lines.push(column.line)
    }
    column.consumed = next
    column.line += lines
  }
  return column
}

/** Where a value stands, where the next record begins, and how many lines it takes; undefined when its end is not there yet. */
interface Found {
  from: number
  to: number
  next: number
  lines: number
  doubled: boolean
}

function readPlain(bytes: Buffer, { consumed: from, line }: Column, last: boolean): Found | undefined {
  const found = bytes.indexOf(LF, from)
  if (found < 0 && !last) return undefined
  const end = found < 0 ? bytes.length : found
  const to = end > from && bytes[end - 1] === CR ? end - 1 : end
  if (to - from > LONGEST_RECORD) throw tooLong(line)
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    if (byte === 0x2c) {
      throw new LineError(line, 'has more than one column: put a value that holds a comma in quotes')
    }
    if (byte === QUOTE)
      throw new LineError(line, 'has a quote inside of a value: put the value in quotes and double it')
    if (byte === CR) throw new LineError(line, 'holds a carriage return: lines end with LF or CRLF')
  }
  return { from, to, next: found < 0 ? end : end + 1, lines: 1, doubled: false }
}

function readQuoted(bytes: Buffer, { consumed, line }: Column, last: boolean): Found | undefined {
  let lines = 1
  let doubled = false
  for (let i = consumed + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === LF) lines++
    if (byte !== QUOTE) continue
    if (i + 1 === bytes.length && !last) return undefined
    if (bytes[i + 1] === QUOTE) {
      doubled = true
      i++
      continue
    }
    const isCrLf = bytes[i + 1] === CR && bytes[i + 2] === LF
    if (bytes[i + 1] === CR && i + 2 === bytes.length && !last) return undefined
    if (i + 1 === bytes.length || bytes[i + 1] === LF || isCrLf) {
      return { from: consumed + 1, to: i, next: Math.min(bytes.length, i + (isCrLf ? 3 : 2)), lines, doubled }
    }
    const reason =
      bytes[i + 1] === 0x2c
        ? 'has more than one column'
        : 'goes on behind the closing quote: double quotes inside of it'
    throw new LineError(line, reason)
  }
  if (last) throw new LineError(line, 'begins with a quote that is never closed')
  return undefined
}

function judge(value: string, line: number): void {
  if (value === '') throw new LineError(line, 'is empty')
  if (value.length > LONGEST_VALUE && Array.from(value).length > LONGEST_VALUE) throw tooLong(line)
  if (value.includes('\0')) throw new LineError(line, 'holds a NUL character')
}

function tooLong(line: number): LineError {
  return new LineError(line, `is longer than ${LONGEST_VALUE} characters`)
}

/** Bytes of a byte order mark at the front of a file: 3 or 0. */
export function markLength(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
