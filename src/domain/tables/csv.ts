import { AppError, type FieldErrors } from '../../platform/errors.ts'
import { isStorable } from '../../platform/json.ts'
import { readText, showValue } from './columns.ts'
import { fieldsOf, listed } from './names.ts'
import type { ColumnType, Table } from './types.ts'

/**
 * Records as CSV (RFC 4180): a head with the names of the fields, a record a line. An empty cell is no value; a text that is
 * empty is written as "".
 */

/** A line of the file: its cells by the names in the head (null: empty), or why it cannot be read. */
export type CsvLine =
  | { line: number; cells: Map<string, string | null>; fault?: undefined }
  | { line: number; fault: FieldErrors }

const LONGEST_RECORD = 16 * 1024 * 1024

/** Throws `invalid` for a head that does not fit the table, `bad_request` for what is no UTF-8 or has no end. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>, table: Table): AsyncGenerator<CsvLine> {
  let head: string[] | undefined
  for await (const { line, cells, fault } of readRows(chunks)) {
    if (!head) {
      if (fault !== undefined) throw new AppError('bad_request', `the first line ${fault}`)
      head = readHead(cells, table)
    } else if (fault !== undefined) yield { line, fault: { '': [fault] } }
    else if (cells.length !== head.length) {
      yield { line, fault: { '': [`has ${cells.length} cells, and the head has ${head.length}`] } }
    } else yield { line, cells: new Map(head.map((name, i) => [name, cells[i]!])) }
  }
  if (!head) throw new AppError('bad_request', 'the file is empty: its first line names the fields')
}

/** Cells of one line (of several when quoted text has line breaks); an empty cell is null, "" is an empty text. */
type Row = { cells: (string | null)[]; fault?: undefined } | { cells?: undefined; fault: string }

/** Rows that are not empty, each with the number of its first line. */
async function* readRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row & { line: number }> {
  let rest = ''
  let line = 1
  function* rows(last: boolean): Generator<Row & { line: number }> {
    let at = 0
    while (at < rest.length) {
      const found = readRow(rest, at, last)
      if (!found) break
      const { row, next } = found
      if (row.fault !== undefined || row.cells.length > 1 || row.cells[0] !== null) yield { ...row, line }
      for (let i = rest.indexOf('\n', at); i >= 0 && i < next; i = rest.indexOf('\n', i + 1)) line++
      at = next
    }
    rest = rest.slice(at)
    if (rest.length > LONGEST_RECORD) {
      throw new AppError(
        'bad_request',
        `line ${line} has more than ${LONGEST_RECORD} characters: is a quote not closed?`,
      )
    }
  }
  for await (const text of decode(chunks)) {
    rest += text
    yield* rows(false)
  }
  yield* rows(true)
}

/** The row that begins at `from`, and where the next one does; undefined when its end has not come yet. */
function readRow(text: string, from: number, last: boolean): { row: Row; next: number } | undefined {
  const cells: (string | null)[] = []
  for (let at = from; ; at++) {
    const cell = text[at] === '"' ? readQuoted(text, at, last) : readPlain(text, at, last)
    if (!cell) return undefined
    if (cell === 'open') return { row: { fault: 'has a quote that is never closed' }, next: text.length }
    cells.push(cell.value)
    at = cell.end
    if (text[at] === ',') continue
    if (at === text.length) return last ? { row: { cells }, next: at } : undefined
    if (text[at] === '\n') return { row: { cells }, next: at + 1 }
    if (text[at] === '\r' && at + 1 === text.length && !last) return undefined
    if (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length)) return { row: { cells }, next: at + 2 }
    const end = text.indexOf('\n', at)
    if (end < 0 && !last) return undefined
    const fault = 'has text behind a closing quote: double the quotes inside of a text'
    return { row: { fault }, next: end < 0 ? text.length : end + 1 }
  }
}

function readPlain(text: string, from: number, last: boolean): { value: string | null; end: number } | undefined {
  const [comma, line] = [text.indexOf(',', from), text.indexOf('\n', from)]
  const found = comma < 0 ? line : line < 0 ? comma : Math.min(comma, line)
  if (found < 0 && !last) return undefined
  const end = found < 0 ? text.length : found
  const cut = end > from && end !== comma && text[end - 1] === '\r' ? end - 1 : end
  return { value: cut === from ? null : text.slice(from, cut), end }
}

function readQuoted(text: string, from: number, last: boolean): { value: string; end: number } | 'open' | undefined {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) return last ? 'open' : undefined
  if (end + 1 === text.length && !last) return undefined
  return { value: text.slice(from + 1, end).replaceAll('""', '"'), end: end + 1 }
}

async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true })
      bytes += chunk.byteLength
      if (text !== '') yield text
    }
    decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('bad_request', `the file is not valid UTF-8 (behind byte ${bytes})`)
  }
}

function readHead(record: readonly (string | null)[], table: Table): string[] {
  const known = fieldsOf(table)
  const head = record.map((name) => (name ?? '').trim())
  const unknown = head.filter((name) => !known.has(name))
  const errors: FieldErrors = {}
  for (const name of unknown) errors[name] = [`is not a field of the table (${listed([...known.keys()])})`]
  for (const name of head) if (head.indexOf(name) !== head.lastIndexOf(name)) errors[name] = ['is twice in the head']
  if (Object.keys(errors).length > 0)
    throw new AppError('invalid', 'the first line must name fields', { fields: errors })
  return head
}

/** Text that a spreadsheet would run, full-width signs and white space before it included, and such text that is already guarded: a quote goes before both, so that it can come off. */
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/
const GUARDED = /^'+(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** The cells of a line as the JSON of a record; cells of columns that are not there any more are left out. `raw`: no guards. */
export function fieldsOfCells(
  cells: ReadonlyMap<string, string | null>,
  table: Table,
  raw: boolean,
): { fields: Record<string, unknown>; errors: FieldErrors } {
  const fields: [string, unknown][] = []
  const errors: [string, string[]][] = []
  for (const [name, { type }] of fieldsOf(table)) {
    const cell = cells.get(name)
    if (cell === undefined) continue
    const isText = type === 'string' || type === 'text'
    if (cell === null || (cell === '' && !isText)) fields.push([name, null])
    else if (!isStorable(cell)) errors.push([name, ['must be well-formed text without NUL characters']])
    else {
      const read = readText(type, isText && !raw && GUARDED.test(cell) ? cell.slice(1) : cell)
      if (read.fault === undefined) fields.push([name, showValue(type, read.value)])
      else errors.push([name, [read.fault]])
    }
  }
  return { fields: Object.fromEntries(fields), errors: Object.fromEntries(errors) }
}

/** A value as records show it. */
export interface Cell {
  value: unknown
  type: ColumnType
}

/** A line of CSV. `raw`: text that looks like a formula stays as it is. */
export function csvLine(values: readonly Cell[], raw: boolean): string {
  return `${values.map((cell) => textOfCell(cell, raw)).join(',')}\r\n`
}

function textOfCell({ value, type }: Cell, raw: boolean): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value)
  const isText = type === 'string' || type === 'text'
  const safe = isText && !raw && FORMULA.test(text) ? `'${text}` : text
  return safe === '' || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
