import { type CheckRules, checkCandidate } from '../check.ts'
import type { Converted, Ready, Row, Source, SourceOptions } from '../types.ts'
import { decodeExport } from './decode.ts'
import { readExportRows } from './rows.ts'
import { RowProblem } from './values.ts'

/** A file of an export, which can be read several times. */
interface ExportFile {
  name: string
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** What a row of the files says: what can be stored, why it is refused, or what is left behind of it. */
export type ReadRow = {
  /** From 0. */
  file: number
  line: number
  bytes: Buffer
  row: Row | undefined
} & ({ ready: readonly Ready[] } | { problem: string } | { left: string })

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
  for (const [file, { open }] of files.entries()) {
    const bytes = counted(decodeExport(await open()), onBytes)
    for await (const { line, row, problem, bytes: text } of readExportRows(bytes, source, options)) {
      if (place++ < from) continue
      const at = { file, line, bytes: text, row }
      if (row === undefined) yield { ...at, problem: problem! }
      else yield { ...at, ...convert(row, source, options, rules) }
    }
  }
}

async function* counted(chunks: AsyncIterable<Buffer>, onBytes: Reading['onBytes']): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes?.(chunk)
    yield chunk
  }
}

function convertedBy(source: Source, row: Row, options: SourceOptions): Converted {
  try {
    return source.convert(row, options)
  } catch (error) {
    if (error instanceof RowProblem) return { problem: error.message }
    throw error
  }
}

/** A row is taken whole or refused whole. */
function convert(
  row: Row,
  source: Source,
  options: SourceOptions,
  rules: CheckRules,
): { ready: readonly Ready[] } | { problem: string } | { left: string } {
  const converted = convertedBy(source, row, options)
  if (!('found' in converted)) return converted
  const ready: Ready[] = []
  for (const candidate of converted.found) {
    const checked = checkCandidate(candidate, rules)
    if ('problem' in checked) return checked
    ready.push(checked)
  }
  return { ready }
}
