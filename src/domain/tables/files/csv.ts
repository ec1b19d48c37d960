import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import { isStorable } from '../../../platform/json/json.ts'
import { type CsvCell, countProblem, readCsvRows, readHeader } from '../../../platform/text/csv.ts'
import { guarded, unguarded } from '../../../platform/text/csv-text.ts'
import { NOT_STORABLE } from '../../../platform/values/reader.ts'
import { readText, showValue } from '../definition/columns.ts'
import { fieldsOf, listed } from '../definition/names.ts'
import type { ColumnType, Table } from '../types.ts'
import { dateOf, type Units } from './values.ts'

/**
 * Records as CSV (RFC 4180): a header with the names of the fields, then one record per line. An empty cell means no
 * value; an empty text is written as "".
 */

/** A line of the file: its cells by the names in the header (null: empty), or why it cannot be read. */
export type CsvLine =
  | { line: number; cells: Map<string, string | null>; fault?: undefined }
  | { line: number; fault: FieldErrors }

const MAX_RECORD_LENGTH = 16 * 1024 * 1024

/**
 * `columns` names the field of each cell instead of the header; null leaves a cell out.
 *
 * Throws `invalid` if the header does not fit the table, and `bad_request` for bytes that are not UTF-8 or a line that
 * is too long.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  table: Table,
  columns?: readonly (string | null)[],
): AsyncGenerator<CsvLine> {
  let head: (string | undefined)[] | undefined
  for await (const record of readCsvRows(chunks, { longest: MAX_RECORD_LENGTH })) {
    const { line, cells, fault } = record
    if (!head) {
      const names = readHeader(record, { allowTwice: true })
      head = columns ? mappedHead(columns, names.length, table) : checkHead(names, table)
      continue
    }
    const problem = fault ?? countProblem(record, head.length)
    if (problem !== undefined) yield { line, fault: { '': [problem] } }
    else {
      const named = head.flatMap((name, i) => (name === undefined ? [] : [[name, valueOf(cells[i]!)] as const]))
      yield { line, cells: new Map(named) }
    }
  }
  if (!head) throw new AppError('bad_request', 'the file is empty: its first line names the fields')
}

function valueOf({ text, quoted }: CsvCell): string | null {
  return text === '' && !quoted ? null : text
}

function checkHead(head: string[], table: Table): string[] {
  const known = fieldsOf(table)
  const unknown = head.filter((name) => !known.has(name))
  const errors: FieldErrors = {}
  for (const name of unknown) errors[name] = [`is not a field of the table (${listed([...known.keys()])})`]
  for (const name of head) if (head.indexOf(name) !== head.lastIndexOf(name)) errors[name] = ['is twice in the header']
  if (Object.keys(errors).length > 0)
    throw new AppError('invalid', 'the first line must name fields', { fields: errors })
  return head
}

/** Fields that a caller names instead of the header: as many as it has, known to the table, none twice. */
function mappedHead(columns: readonly (string | null)[], cells: number, table: Table): (string | undefined)[] {
  const known = fieldsOf(table)
  const named = columns.filter((name) => name !== null)
  const unknown = named.filter((name) => !known.has(name))
  const twice = named.filter((name, i) => named.indexOf(name) !== i)
  const faults = [
    ...(columns.length === cells ? [] : [`must have ${cells} items, one for each cell of the first line`]),
    ...(unknown.length === 0 ? [] : [`name ${listed(unknown)}, which the table does not have`]),
    ...(twice.length === 0 ? [] : [`name ${listed(twice)} twice`]),
    ...(named.length > 0 ? [] : ['must name at least one field of the table']),
  ]
  if (faults.length > 0) throw invalid({ columns: faults })
  return columns.map((name) => name ?? undefined)
}

/**
 * The cells of a line as the JSON of a record. Cells of columns that no longer exist are left out. `raw`: keep guards.
 */
export function fieldsOfCells(
  cells: ReadonlyMap<string, string | null>,
  table: Table,
  raw: boolean,
  units: Units = new Map(),
): { fields: Record<string, unknown>; errors: FieldErrors } {
  const fields: [string, unknown][] = []
  const errors: [string, string[]][] = []
  for (const [name, { type }] of fieldsOf(table)) {
    const cell = cells.get(name)
    if (cell === undefined) continue
    const isText = type === 'string' || type === 'text'
    if (cell === null || (cell === '' && !isText)) fields.push([name, null])
    else if (!isStorable(cell)) errors.push([name, [NOT_STORABLE]])
    else if (type === 'datetime') {
      const { value, problem } = dateOf(name, cell, units)
      if (problem === undefined) fields.push([name, value])
      else errors.push([name, [problem]])
    } else {
      const read = readText(type, isText && !raw ? unguarded(cell) : cell)
      if (read.fault === undefined) fields.push([name, showValue(type, read.value)])
      else errors.push([name, [read.fault]])
    }
  }
  return { fields: Object.fromEntries(fields), errors: Object.fromEntries(errors) }
}

/** A value in the form that callers get. */
export interface Cell {
  value: unknown
  type: ColumnType
}

/** A line of CSV. `raw`: text that looks like a formula gets no guard. */
export function csvLine(values: readonly Cell[], raw: boolean): string {
  return `${values.map((cell) => textOfCell(cell, raw)).join(',')}\r\n`
}

function textOfCell({ value, type }: Cell, raw: boolean): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value)
  const isText = type === 'string' || type === 'text'
  const safe = isText && !raw ? guarded(text) : text
  return safe === '' || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
