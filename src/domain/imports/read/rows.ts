import { isUtf8 } from 'node:buffer'
import { readCsvRows } from '../../../platform/csv.ts'
import { AppError } from '../../../platform/errors.ts'
import { isPlainObject, lineProblem, parseJsonBytes } from '../../../platform/json.ts'
import type { Row, Source, SourceOptions } from '../types.ts'
import { readJsonItems } from './json-items.ts'

/** A row of a file, or why it cannot be read. */
export interface SourceRow {
  /** From 1; in JSON the line where the object begins. */
  line: number
  row?: Row
  problem?: string
  /** As it is in the file. */
  bytes: Buffer
}

/** Largest record of a CSV file. */
const MAX_RECORD = 1024 * 1024

/**
 * The rows of an export: CSV with a header, a JSON list, or JSON lines, told apart by the first character. Throws
 * `bad_request` for a file that cannot be read as a whole.
 */
export async function* readExportRows(
  chunks: AsyncIterable<Buffer>,
  source: Source,
  options: SourceOptions,
): AsyncGenerator<SourceRow> {
  const iterator = chunks[Symbol.asyncIterator]()
  const taken: Buffer[] = []
  let first: string | undefined
  while (first === undefined) {
    const next = await iterator.next()
    if (next.done) throw new AppError('bad_request', 'the file is empty')
    taken.push(next.value)
    first = next.value
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart()[0]
  }
  const all = (async function* () {
    yield* taken
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  })()
  if (first === '[' || first === '{') yield* readJsonRows(all, source)
  else yield* readTable(all, source, options)
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
  source: Source,
  options: SourceOptions,
): AsyncGenerator<SourceRow> {
  let head: readonly string[] | undefined
  let isLoose = false
  for await (const { line, cells, fault, sound, bytes } of readCsvRows(chunks, { longest: MAX_RECORD })) {
    if (!sound) throw notUtf8(line)
    if (!head) {
      if (fault !== undefined) throw new AppError('bad_request', `the first line ${fault}`)
      const texts = cells.map(({ text }) => text.trim())
      const names = source.headless?.(texts)
      isLoose = names !== undefined
      head = names ?? checkHead(texts)
      source.checkHeader?.(head, options)
      if (!isLoose) continue
    }
    if (fault !== undefined) yield { line, bytes, problem: fault }
    else if (!isLoose && cells.length !== head.length) {
      yield { line, bytes, problem: `has ${cells.length} cells, but the header has ${head.length}` }
    } else {
      const row: [string, string][] = []
      for (const [i, { text }] of cells.entries()) if (text !== '' && head[i] !== undefined) row.push([head[i], text])
      yield { line, bytes, row: Object.fromEntries(row) }
    }
  }
  if (!head) throw new AppError('bad_request', 'the file is empty: its first line must name the columns')
}

function checkHead(names: string[]): string[] {
  if (names.length === 1 && names[0]!.includes(';')) {
    throw new AppError('bad_request', 'the columns are separated by semicolons: save the file with commas')
  }
  if (names.length === 1 && names[0]!.includes('\t')) {
    throw new AppError('bad_request', 'the columns are separated by tabs: save the file with commas')
  }
  const double = names.find((name, i) => name !== '' && names.indexOf(name) !== i)
  if (double !== undefined) {
    throw new AppError('bad_request', `the header has ${JSON.stringify(double)} twice: rename one of the columns`)
  }
  return names
}

function notUtf8(line: number): AppError {
  return new AppError(
    'bad_request',
    `line ${line} is not UTF-8, probably Windows-1252: save the file as "CSV UTF-8", or run iconv -f WINDOWS-1252 -t UTF-8 FILE`,
  )
}
