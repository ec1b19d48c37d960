import { type CsvRecord, readCsvRows } from '../../../platform/text/csv.ts'
import type { HeadlessTable } from '../types.ts'

/** Lines of the beginning of a file that are looked at: one that is broken does not hide what the file is. */
const LINES_LOOKED_AT = 100
const LONGEST = 64 * 1024

/** A table without a header. */
export interface Headless {
  columns: readonly string[]
  /** Why a record is none of the table; undefined if it is one. */
  problem(record: CsvRecord): string | undefined
}

/**
 * Recognizes a table without a header by the records at the beginning of a file. Its rows have as many cells as most of
 * these. Undefined when none of them is one.
 */
export async function readsHeadless(begin: Buffer, table: HeadlessTable | undefined): Promise<Headless | undefined> {
  if (!table) return undefined
  const widths = new Map<number, number>()
  for await (const cells of firstLines(begin)) {
    if (table.problem(cells) === undefined) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1)
  }
  const [width] = [...widths].sort(([, a], [, b]) => b - a)[0] ?? []
  if (width === undefined) return undefined
  return {
    columns: table.columns,
    problem({ cells }) {
      if (cells.length !== width) return `has ${cells.length} cells, but the rows of this export have ${width}`
      return table.problem(cells.map(({ text }) => text))
    },
  }
}

async function* firstLines(begin: Buffer): AsyncGenerator<string[]> {
  // The last line may be cut in the middle.
  const end = begin.length > LONGEST ? begin.lastIndexOf(0x0a, LONGEST) + 1 : begin.length
  const piece = (async function* () {
    yield begin.subarray(0, end)
  })()
  let count = 0
  try {
    for await (const { cells, fault } of readCsvRows(piece, { longest: LONGEST, oneLine: true, quotesInside: true })) {
      if (fault === undefined) yield cells.map(({ text }) => text)
      if (++count >= LINES_LOOKED_AT) return
    }
  } catch {
    // Whoever reads the whole file meets this error again, and says it.
  }
}
