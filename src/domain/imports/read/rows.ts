import { isUtf8 } from 'node:buffer'
import { AppError } from '../../../platform/errors.ts'
import { isPlainObject, lineProblem, parseJsonBytes } from '../../../platform/json/json.ts'
import { countProblem, readCsvRows, readHeader } from '../../../platform/text/csv.ts'
import { notUtf8 } from '../../../platform/text/text-files.ts'
import type { Row, Source, SourceOptions } from '../types.ts'
import { type ColumnWatch, watchColumns } from './columns.ts'
import { readsHeadless } from './headless.ts'
import { readJsonItems } from './json-items.ts'

/** A row of a file, or the reason why it cannot be read. */
export interface SourceRow {
  /** The line, from 1; in JSON the one in which the object begins. */
  line: number
  row?: Row
  problem?: string
  /** The row as it is in the file. */
  bytes: Buffer
}

/** Largest record of a CSV file. */
const MAX_RECORD = 1024 * 1024

/** The number of bytes of a file from which its form is recognized. */
const LOOKED_AT = 64 * 1024

/**
 * The rows of an export: CSV with a header, a JSON list, or JSON lines, told apart by the first character. Throws
 * `bad_request` for a file that cannot be read as a whole. `watch` gets the columns.
 */
export async function* readExportRows(
  chunks: AsyncIterable<Buffer>,
  source: Source,
  options: SourceOptions,
  watch: ColumnWatch = watchColumns(new Map()),
): AsyncGenerator<SourceRow> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    yield* rowsOf(iterator, source, options, watch)
  } finally {
    await iterator.return?.()
  }
}

async function* rowsOf(
  chunks: AsyncIterator<Buffer>,
  source: Source,
  options: SourceOptions,
  watch: ColumnWatch,
): AsyncGenerator<SourceRow> {
  const { begin, all } = await lookAt(chunks)
  const first = begin
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()[0]
  if (first === undefined) throw new AppError('bad_request', 'the file is empty')
  if (first !== '[' && first !== '{') yield* readTable(all, begin, source, options, watch)
  else {
    for await (const item of readJsonRows(all, source)) {
      if (item.row) watch.row(item.row)
      yield item
    }
  }
}

/** The beginning of a file, and all of it. Any amount of leading white space is passed by. The caller ends the iterator. */
async function lookAt(iterator: AsyncIterator<Buffer>): Promise<{ begin: Buffer; all: AsyncGenerator<Buffer> }> {
  const taken: Buffer[] = []
  let size = 0
  let isBlank = true
  while (size < LOOKED_AT || isBlank) {
    const next = await iterator.next()
    if (next.done) break
    taken.push(next.value)
    size += next.value.length
    isBlank &&=
      next.value
        .toString('latin1')
        .replace(/^\xef\xbb\xbf/, '')
        .trim() === ''
    // Packed, a gigabyte of blanks is a megabyte.
    if (isBlank && size > MAX_RECORD) {
      throw new AppError('bad_request', `the file begins with more than ${MAX_RECORD} blanks`)
    }
  }
  const begin = Buffer.concat(taken)
  const all = (async function* () {
    yield begin
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  })()
  return { begin, all }
}

async function* readJsonRows(chunks: AsyncIterable<Buffer>, { wrappers }: Source): AsyncGenerator<SourceRow> {
  for await (const { line, bytes } of readJsonItems(chunks, wrappers)) {
    if (!isUtf8(bytes)) throw notUtf8(line)
    try {
      const row = parseJsonBytes(bytes)
      yield isPlainObject(row) ? { line, bytes, row } : { line, bytes, problem: 'is not an object' }
    } catch (error) {
      yield { line, bytes, problem: lineProblem(error) }
    }
  }
}

async function* readTable(
  chunks: AsyncIterable<Buffer>,
  begin: Buffer,
  source: Source,
  options: SourceOptions,
  watch: ColumnWatch,
): AsyncGenerator<SourceRow> {
  const headless = await readsHeadless(begin, source.headless)
  let head = headless?.columns
  if (head) watch.header(head)
  const rules = { longest: MAX_RECORD, ...(headless && { oneLine: true, quotesInside: true }) }
  for await (const record of readCsvRows(chunks, rules)) {
    const { line, bytes, cells, fault } = record
    if (!head) {
      head = readHeader(record)
      watch.header(head)
      source.checkHeader?.(head, options)
      continue
    }
    const problem = fault ?? (headless ? headless.problem(record) : countProblem(record, head.length))
    if (problem !== undefined) yield { line, bytes, problem }
    else {
      const row: [string, string][] = []
      for (const [i, { text }] of cells.entries()) if (text !== '' && head[i] !== undefined) row.push([head[i], text])
      yield { line, bytes, row: Object.fromEntries(row) }
    }
  }
  if (!head) throw new AppError('bad_request', 'the file is empty: its first line must name the columns')
}
