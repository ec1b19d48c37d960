import { AppError, isAppError } from '../../../platform/errors.ts'
import { ExtendedJsonError, fromExtendedJson } from '../../../platform/text/extended-json.ts'
import { HAS_NUL } from '../../../platform/text/text-files.ts'
import { type CheckRules, checkCandidate } from '../check.ts'
import type { Ready, Row, Source, SourceOptions } from '../types.ts'
import { watchColumns } from './columns.ts'
import { decodeExport } from './decode.ts'
import { readExportRows } from './rows.ts'

/** A file of an export, which can be read several times. */
interface ExportFile {
  name: string
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** Result of a row of the files: the candidates to store, the reason for refusing it, or the part that is left behind. */
export type ReadRow = {
  /** The index of the file, from 0. */
  file: number
  line: number
  bytes: Buffer
  row: Row | undefined
} & ({ ready: readonly Ready[] } | Refusal | { left: string })

/** A refused row. `unsaid`: number of devices that are refused because the export does not say whether the person opted out. */
interface Refusal {
  problem: string
  unsaid?: number
}

export interface Reading {
  files: readonly ExportFile[]
  source: Source
  options: SourceOptions
  rules: CheckRules
  /** Called with the unpacked bytes of the files. */
  onBytes?(bytes: Buffer): void
  /** Rows before this one are read but not converted: an earlier run has stored them. */
  from?: number
}

/** The rows of all files in their order. Throws as `readExportRows` does, with the name of the file. */
export async function* readExport({
  files,
  source,
  options,
  rules,
  onBytes,
  from = 0,
}: Reading): AsyncGenerator<ReadRow> {
  let place = 0
  const watch = watchColumns(options.map)
  for (const [file, { open }] of files.entries()) {
    const bytes = counted(decodeExport(await open()), onBytes)
    const rows = named(readExportRows(bytes, source, options, watch), files.length > 1 ? files[file]!.name : undefined)
    for await (const { line, row, problem, bytes: text } of rows) {
      if (place++ < from) continue
      const at = { file, line, bytes: text, row }
      if (row === undefined) yield { ...at, problem: problem! }
      else yield { ...at, ...convert(row, text, source, options, rules) }
    }
  }
  watch.end()
}

/** Names the file in an error about the whole of it, where there are several. */
async function* named<T>(rows: AsyncIterable<T>, file: string | undefined): AsyncGenerator<T> {
  try {
    yield* rows
  } catch (error) {
    if (file === undefined || !isAppError(error) || error.code !== 'bad_request') throw error
    throw new AppError(error.code, `${file}: ${error.message}`)
  }
}

async function* counted(chunks: AsyncIterable<Buffer>, onBytes: Reading['onBytes']): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes?.(chunk)
    yield chunk
  }
}

const unsaidProblem = (column: string) =>
  `has no ${column}, so nobody knows whether the person opted out: --assume-subscribed imports such devices as subscribed`

/** Converts a row, which is taken whole or refused whole. */
function convert(
  given: Row,
  text: Buffer,
  source: Source,
  options: SourceOptions,
  rules: CheckRules,
): { ready: readonly Ready[] } | Refusal | { left: string } {
  const row = plainRow(given, text)
  if ('problem' in row) return row
  const converted = source.convert(row.row, options)
  if (!('found' in converted)) return converted
  const ready: Ready[] = []
  for (const candidate of converted.found) {
    const checked = checkCandidate(candidate, rules)
    if ('problem' in checked) return checked
    ready.push(checked)
  }
  const unsaid = ready.filter(({ platform, isSaid }) => platform !== null && !isSaid).length
  if (unsaid === 0 || !source.consent || options.assumeSubscribed) return { ready }
  return { problem: unsaidProblem(source.consent.column), unsaid }
}

const MAYBE_TYPE = Buffer.from('"$')
const MAYBE_NUL = Buffer.from('\\u0000')

/** A row of JSON with the types of MongoDB as plain values. Readers of texts would drop a NUL, and make one id of two. */
function plainRow(row: Row, text: Buffer): { row: Row } | { problem: string } {
  if (text.includes(MAYBE_NUL) && hasNul(row)) return { problem: HAS_NUL }
  if (!text.includes(MAYBE_TYPE)) return { row }
  try {
    return { row: fromExtendedJson(row) as Row }
  } catch (error) {
    if (error instanceof ExtendedJsonError) return { problem: error.message }
    throw error
  }
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, item]) => name.includes('\0') || hasNul(item))
}
