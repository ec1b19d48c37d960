import { readCsvRows } from '../../../platform/csv.ts'
import { AppError, type FieldErrors, messageOf } from '../../../platform/errors.ts'
import {
  isPlainObject,
  jsonProblem,
  lineProblem,
  parseJsonText,
  type ReadJson,
  readJsonText,
  unkeptProblem,
} from '../../../platform/json.ts'
import { byItem } from '../../../platform/json-numbers.ts'
import { check } from '../../../platform/parse.ts'
import type { NewLink } from '../types.ts'
import { type Conversion, type Converted, convertRow, type Service } from './import-formats.ts'
import { createLinks } from './schema.ts'
import { withoutSlash } from './slug.ts'

/** Imports the links of another service in batches, so that memory does not grow with the file. */

export interface ImportParts {
  /** Stores links with new slugs in one transaction. Returns how many it stored. */
  adopt(links: readonly NewLink[]): Promise<number>
  /** Why a link cannot be stored although its fields are right; undefined if it can. */
  refusalOf?(link: NewLink): string | undefined
  /** Called with every refused row, as it is in the file. */
  onRefused?(row: RefusedRow, text: string): Promise<void> | void
  /** Called with the number of processed rows. */
  onProgress?(rows: number): void
}

/** A row that was not imported. */
interface RefusedRow {
  /** Line in the file, from 1; in a JSON list the position of the item. */
  line: number
  problem: string
}

/** Each row is counted exactly once. */
export interface ImportReport {
  created: number
  /** Rows whose slug the app already has. Those links are unchanged. */
  existing: number
  refused: number
  /** At most the first thousand. */
  refusedRows: RefusedRow[]
}

/** One row of a file, or why it cannot be read. */
interface ReadRow {
  line: number
  row?: unknown
  problem?: string
  text: string
}

const BATCH = 500
const MAX_NAMED = 1000
/** Maximum size of a JSON list, which is read as a whole. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
const MAX_ROW_LENGTH = 1024 * 1024

/**
 * Reads an export (CSV with a header, a JSON list, or JSON lines) and stores its links. Repeating it creates no
 * duplicates. Throws `bad_request` for a file without rows or a JSON list that cannot be read.
 */
export async function importLinks(
  input: AsyncIterable<Buffer>,
  service: Service,
  options: Conversion,
  { adopt, refusalOf, onRefused, onProgress }: ImportParts,
): Promise<ImportReport> {
  const report: ImportReport = { created: 0, existing: 0, refused: 0, refusedRows: [] }
  let batch = new Map<string, NewLink>()
  const refuse = async (line: number, problem: string, text: string) => {
    report.refused++
    if (report.refusedRows.length < MAX_NAMED) report.refusedRows.push({ line, problem })
    await onRefused?.({ line, problem }, text)
  }
  const flush = async () => {
    if (batch.size > 0) {
      const stored = await adopt([...batch.values()])
      report.created += stored
      report.existing += batch.size - stored
      batch = new Map()
    }
    onProgress?.(report.created + report.existing + report.refused)
  }

  const { isList, rows: read } = await openRows(input)
  let rows = 0
  for await (const { line, row, problem, text } of read) {
    rows++
    const converted = problem === undefined ? convert(service, row, options) : { problem }
    if ('problem' in converted) {
      await refuse(line, converted.problem, text)
      continue
    }
    const link = { ...converted.link, slug: withoutSlash(converted.link.slug!) }
    const errors = check(createLinks, [link], true)
    const refusal = errors ? sentenceOf(errors) : refusalOf?.(link)
    if (refusal !== undefined) await refuse(line, refusal, text)
    else if (batch.has(link.slug)) report.existing++
    else batch.set(link.slug, link)
    if (batch.size >= BATCH) await flush()
  }
  await flush()
  if (rows === 0 && !isList) {
    throw new AppError('bad_request', 'the file has no rows: it must be CSV with a header, a JSON list, or JSON lines')
  }
  return report
}

function convert(service: Service, row: unknown, options: Conversion): Converted {
  return isPlainObject(row) ? convertRow(service, row, options) : { problem: 'is not an object' }
}

function sentenceOf(errors: FieldErrors): string {
  return Object.entries(errors)
    .flatMap(([path, messages]) => messages.map((message) => `${path.replace(/^\[0\]\.?/, '')} ${message}`))
    .join('; ')
}

/** A file without rows is an error unless it is an empty JSON list: any text could be a CSV file with only a header. */
async function openRows(input: AsyncIterable<Buffer>): Promise<{ isList: boolean; rows: AsyncGenerator<ReadRow> }> {
  const chunks = input[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) throw new AppError('bad_request', 'the file is empty')
  const all = (async function* () {
    yield first.value
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  })()
  const begin = Buffer.from(first.value)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()[0]
  if (begin === '[') return { isList: true, rows: readList(all) }
  return { isList: false, rows: begin === '{' ? readJsonLines(all) : readCsv(all) }
}

async function* readList(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size > MAX_LIST_BYTES) {
      throw new AppError(
        'too_large',
        `a JSON list may have at most ${MAX_LIST_BYTES / 1024 / 1024} MiB: write one object per line instead`,
      )
    }
  }
  let list: ReadJson
  try {
    list = readJsonText(
      Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  } catch (error) {
    throw new AppError('bad_request', `the file ${jsonProblem(error) ?? messageOf(error)}`)
  }
  const numbers = byItem(list.unkept)
  for (const [i, row] of (list.value as unknown[]).entries()) {
    const unkept = numbers.get(i)
    const text = JSON.stringify(row)
    if (unkept) yield { line: i + 1, problem: unkeptProblem(unkept), text }
    else yield { line: i + 1, row, text }
  }
}

async function* readJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let line = 0
  for await (const text of linesOf(chunks)) {
    line++
    if (text.trim() === '') continue
    try {
      yield { line, row: parseJsonText(text.replace(/^\uFEFF/, '')), text }
    } catch (error) {
      yield { line, problem: lineProblem(error), text }
    }
  }
}

/** Not with node:readline, which hides read errors. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    if (rest.length > MAX_ROW_LENGTH)
      throw new AppError('too_large', `a line may have at most ${MAX_ROW_LENGTH} characters`)
    yield* lines
  }
  yield rest + decoder.decode()
}

async function* readCsv(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let head: string[] | undefined
  for await (const { line, cells, fault, bytes } of readCsvRows(withLineFeeds(chunks), {
    longest: MAX_ROW_LENGTH,
    trim: true,
  })) {
    const hasQuote = cells.some(({ text, quoted }) => !quoted && text.includes('"'))
    const problem =
      fault ?? (hasQuote ? 'has a quote inside a cell: put the cell in quotes and double the quote' : undefined)
    const text = bytes.toString('utf8').trim()
    if (problem !== undefined) yield { line, problem: `cannot be read as CSV: ${problem}`, text }
    else if (!head) head = cells.map(({ text }) => text)
    else
      yield {
        line,
        row: Object.fromEntries(head.flatMap((name, i) => (cells[i] ? [[name, cells[i].text]] : []))),
        text,
      }
  }
}

const CR = 0x0d
const LF = 0x0a

/**
 * A file whose first line ends in a lone CR, as old spreadsheets write it, gets LF for every CR. Others stay as they
 * are.
 */
async function* withLineFeeds(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isOld: boolean | undefined
  for await (const chunk of chunks) {
    const end = isOld === undefined ? chunk.findIndex((byte) => byte === CR || byte === LF) : -1
    // A CR that ends the chunk may be half of a CRLF: such a file is read as it is.
    if (end >= 0) isOld = chunk[end] === CR && end + 1 < chunk.length && chunk[end + 1] !== LF
    yield isOld ? Buffer.from(chunk.map((byte) => (byte === CR ? LF : byte))) : chunk
  }
}
