import { setImmediate } from 'node:timers/promises'
import { BATCH_BYTES } from '../../platform/concurrency/chunks.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { type Reading, type ReadRow, readExport } from './read/export.ts'
import type { ImportsService, StoreOptions } from './service.ts'
import { type ImportCounts, type ImportProgress, noCounts, type RefusedRow } from './types.ts'

/** Rows of one transaction while a server waits for it on SQLite: 20 to 40 ms. */
const ROWS_BESIDE_SERVER = 500
/**
 * Rows of one transaction otherwise. New ids and tokens lie all over their indexes, so four times the rows write little
 * more pages: 40 000 rows on SQLite wrote 820 MB with 500, and 330 MB with 2000.
 */
const ROWS_ALONE = 2000

export interface RunParts {
  reading: Omit<Reading, 'from'>
  storing: StoreOptions
  inTransaction<T>(work: (imports: ImportsService) => Promise<T>): Promise<T>
  /** Writes refused rows at this position of their file; rows there that a kill left are replaced. Returns where they end. */
  refuse(rows: readonly RefusedRow[], position: number): Promise<number>
  onProgress?(counts: ImportCounts): void
  /** Lets a server have its turn after a transaction of this many milliseconds. Absent when none waits. */
  rest?(tookMs: number): Promise<void>
  /** Tells whether to stop; asked between batches. */
  isStopped?(): boolean
}

/**
 * Applies an export from the place of the import, batch by batch. The changes of a batch and the new place are in one
 * transaction, so a kill at any moment neither skips nor repeats rows. Returns how far it came, and whether that is the
 * end. Throws what a transaction throws; earlier batches remain stored.
 */
export async function runImport(
  begun: ImportProgress,
  parts: RunParts,
): Promise<{ progress: ImportProgress; isDone: boolean }> {
  let progress = begun
  let batch: ReadRow[] = []
  let bytes = 0
  const rowsAtOnce = parts.rest ? ROWS_BESIDE_SERVER : ROWS_ALONE
  const flush = async () => {
    if (batch.length === 0) return
    const start = performance.now()
    progress = await storeBatch(progress, batch, parts)
    failpoint('import.advanced')
    batch = []
    bytes = 0
    parts.onProgress?.(progress.counts)
    await (parts.rest ? parts.rest(performance.now() - start) : setImmediate())
  }
  for await (const row of readExport({ ...parts.reading, from: begun.place })) {
    batch.push(row)
    bytes += row.bytes.length
    if (batch.length < rowsAtOnce && bytes < BATCH_BYTES) continue
    await flush()
    if (parts.isStopped?.()) return { progress, isDone: false }
  }
  await flush()
  await parts.inTransaction((imports) => imports.finish(progress))
  return { progress, isDone: true }
}

async function storeBatch(
  progress: ImportProgress,
  batch: readonly ReadRow[],
  { inTransaction, storing, refuse }: RunParts,
): Promise<ImportProgress> {
  const rows = batch.map((row) => ({ ready: 'ready' in row ? row.ready : [] }))
  return inTransaction(async (imports) => {
    const { counts, problems } = await imports.store(progress.appId, rows, storing)
    const refused = refusedOf(batch, problems)
    const errorsSize = refused.length > 0 ? await refuse(refused, progress.errorsSize) : progress.errorsSize
    failpoint('import.stored')
    const step = {
      place: progress.place + batch.length,
      errorsSize,
      counts: added(progress.counts, {
        ...counts,
        rows: batch.length,
        left: batch.filter((row) => 'left' in row).length,
        refused: refused.length,
      }),
    }
    await imports.advance(progress, step)
    return { ...progress, ...step }
  })
}

function refusedOf(batch: readonly ReadRow[], problems: ReadonlyMap<number, string>): RefusedRow[] {
  return batch.flatMap((row, i) => {
    const problem = 'problem' in row ? row.problem : problems.get(i)
    if (problem === undefined) return []
    return [{ file: row.file, line: row.line, problem, text: row.bytes.toString('utf8').trim() }]
  })
}

function added(before: ImportCounts, more: Partial<ImportCounts>): ImportCounts {
  // An import that an earlier version began has not counted everything.
  const sum = { ...noCounts(), ...before }
  for (const [name, count] of Object.entries(more) as [keyof ImportCounts, number][]) sum[name] += count
  return sum
}
