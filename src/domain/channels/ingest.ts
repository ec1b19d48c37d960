import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { failpoint } from '../../platform/process/failpoints.ts'
import { markLength } from '../../platform/text/csv.ts'
import { ageOfFile, type Clock } from '../../platform/time/clock.ts'
import { type ImportsRepository, MAX_UNKNOWN_KEPT } from './imports.repository.ts'
import { LineError, readColumn } from './one-column.ts'
import { idOfUpload, removeUpload, uploadPath, uploadsDirectory } from './subscribers-file.ts'
import type { SubscriptionsRepository } from './subscriptions.repository.ts'
import type { ChannelImport, UnknownLine } from './types.ts'

/**
 * Lines of one batch. A restart continues after the last complete batch. The users of a batch are subscribed in the
 * order of their ids, so that neighbouring rows are written together: with a million random lines on SQLite, batches of
 * 20 000 took twice as long. Only the ids are kept in memory, 8 bytes each.
 */
const LINES_AT_ONCE = 250_000
/**
 * Lines of one look-up, which blocks the thread for about 30 ms on SQLite. Fewer lines cost PostgreSQL more work; more
 * cost memory.
 */
const LOOKED_UP_AT_ONCE = 20_000
const BYTES_AT_ONCE = 512 * 1024
/**
 * Users of one transaction. On SQLite other writers wait about 20 ms for it; on PostgreSQL larger transactions need
 * fewer flushes.
 */
const USERS_AT_ONCE = { sqlite: 5000, postgres: 20_000 }
/**
 * With several machines, only the one that received a file has it. If that machine makes no progress for this long, the
 * import fails.
 */
const PATIENCE_MS = 3_600_000
/** Age at which a file that no open import needs is deleted. */
const ORPHAN_MS = 3_600_000

/** The repositories that applying a file needs, inside or outside of a transaction. */
interface IngestAreas {
  imports: ImportsRepository
  subscriptions: SubscriptionsRepository
}

export interface IngestParts {
  read: IngestAreas
  inTransaction<T>(work: (areas: IngestAreas) => Promise<T>): Promise<T>
  clock: Clock
  dataDir: string
  /** This is the only data directory of the database (SQLite), so a file that is missing here is lost. */
  alone: boolean
  /** For tests: lines of one batch. */
  linesAtOnce?: number
  /** For tests: users of one transaction. */
  usersAtOnce?: number
}

/**
 * Result of a step: `more` work remains; the import is `done`; it `failed`; nothing was done because the file is on
 * another machine (`elsewhere`), or because the import had already ended (`over`).
 */
export type Step = 'more' | 'done' | 'failed' | 'elsewhere' | 'over'

/** Some lines of an import, read from the file and not yet stored. If the process ends, they are read again. */
interface Batch {
  /** The place of the import that it begins at. */
  from: number
  /** Where it ends so far: offset in bytes and number of the next line. */
  place: number
  line: number
  /** Number of identifiers. */
  read: number
  /** Users to subscribe; ascending once `written` is a number. */
  ids: number[] | Float64Array
  unknown: number
  /** As many of the unknown lines as the import still keeps. */
  unknownLines: UnknownLine[]
  /** How many of the ids are subscribed; undefined until all lines are looked up. */
  written: number | undefined
}

/**
 * Applies files of subscribers in short steps; the caller may interleave any number of files. For each file it looks up
 * a batch of lines, then subscribes their users and records the lines without a user. The transaction that completes a
 * batch also advances the position of the import. A kill at any moment therefore neither skips nor repeats lines, and
 * two workers on one import are safe.
 */
export function createIngestion(parts: IngestParts) {
  const { read, inTransaction, clock, dataDir, alone, linesAtOnce = LINES_AT_ONCE } = parts
  // Only SQLite keeps its database in the data directory.
  const { usersAtOnce = USERS_AT_ONCE[alone ? 'sqlite' : 'postgres'] } = parts
  const batches = new Map<number, Batch>()

  async function fail({ row, id }: ChannelImport, error: string): Promise<Step> {
    await inTransaction(({ imports }) => imports.fail(row, error, clock.now()))
    await removeUpload(dataDir, id)
    return 'failed'
  }

  function begin({ place, line }: ChannelImport): Batch {
    return { from: place, place, line, read: 0, ids: [], unknown: 0, unknownLines: [], written: undefined }
  }

  /** Looks up the users of the next lines. */
  async function gather(one: ChannelImport, batch: Batch): Promise<Step> {
    const bytes = await readPiece(uploadPath(dataDir, one.id), batch.place)
    if (!bytes) {
      if (!alone && clock.now() - one.updatedAt < PATIENCE_MS) return 'elsewhere'
      return fail(one, 'its file is missing: upload it again')
    }
    const skipped = batch.place === 0 ? markLength(bytes) : 0
    const last = batch.place + bytes.length >= one.size
    const most = Math.min(LOOKED_UP_AT_ONCE, linesAtOnce - batch.read)
    const column = readColumn(bytes.subarray(skipped), { line: batch.line, last, most })
    if (column.consumed === 0) return fail(one, 'its file has changed since it was uploaded')
    const known = await read.subscriptions.usersOf(one.appId, column.values)
    const ids = batch.ids as number[]
    for (const [i, identifier] of column.values.entries()) {
      const id = known.get(identifier)
      if (id !== undefined) ids.push(id)
      else {
        batch.unknown++
        const isKept = one.unknown + batch.unknown <= MAX_UNKNOWN_KEPT
        if (isKept) batch.unknownLines.push({ line: column.lines[i]!, identifier })
      }
    }
    batch.read += column.values.length
    batch.line = column.line
    // Skips blank lines at the end of the file.
    batch.place = Math.min(batch.place + skipped + column.consumed, one.size)
    if (batch.read >= linesAtOnce || batch.place === one.size) {
      batch.ids = Float64Array.from(ids).sort()
      batch.written = 0
    }
    return 'more'
  }

  /**
   * Subscribes the next users. Repeating this changes nothing, so only the last transaction has to advance the
   * position.
   */
  async function write(one: ChannelImport, batch: Batch, written: number): Promise<Step> {
    const end = written + usersAtOnce
    const ids = Array.from(batch.ids.slice(written, end))
    if (end < batch.ids.length) {
      await inTransaction(({ subscriptions }) => subscriptions.addUsers(one.appId, one.channelId, ids))
      failpoint('ingest.subscribed')
      batch.written = end
      return 'more'
    }
    const { place, line, unknown, unknownLines } = batch
    const advanced = await inTransaction(async ({ imports, subscriptions }) => {
      const step = { place, line, applied: batch.read - unknown, unknown }
      if (!(await imports.advance(one, step, clock.now()))) return false
      await subscriptions.addUsers(one.appId, one.channelId, ids)
      await imports.insertUnknown(one.row, unknownLines)
      return true
    })
    failpoint('ingest.advanced')
    batches.delete(one.row)
    // Another worker may have advanced the import: read it again.
    if (!advanced || place < one.size) return 'more'
    await removeUpload(dataDir, one.id)
    return 'done'
  }

  async function stepOf(one: ChannelImport): Promise<Step> {
    let batch = batches.get(one.row)
    if (batch?.from !== one.place) batches.set(one.row, (batch = begin(one)))
    try {
      return await (batch.written === undefined ? gather(one, batch) : write(one, batch, batch.written))
    } catch (error) {
      if (error instanceof LineError) return fail(one, `line ${error.line} ${error.message}`)
      throw error
    }
  }

  return {
    /** Takes an import a step further. Deletes the file when the import is over. */
    async step(row: number): Promise<Step> {
      const one = await read.imports.get(row)
      const isOpen = one?.state === 'queued' || one?.state === 'running'
      if (one && !isOpen) await removeUpload(dataDir, one.id)
      const step = one && isOpen ? await stepOf(one) : 'over'
      if (step !== 'more') batches.delete(row)
      // Lets other work of this thread run: queries of SQLite are synchronous.
      await setImmediate()
      return step
    },

    /** Drops the batches of all other imports: their channels were deleted. */
    keepOnly(rows: readonly number[]): void {
      for (const row of batches.keys()) if (!rows.includes(row)) batches.delete(row)
    },
  }
}

/** The next bytes of a file; undefined if it does not exist. */
async function readPiece(path: string, from: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE)
      const { bytesRead } = await handle.read(bytes, 0, BYTES_AT_ONCE, from)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Deletes files that a kill left behind: received but never queued, or applied but not deleted. Returns how many. */
export async function removeOrphans({
  read,
  clock,
  dataDir,
}: Pick<IngestParts, 'read' | 'clock' | 'dataDir'>): Promise<number> {
  const directory = uploadsDirectory(dataDir)
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const old: string[] = []
  for (const name of names) {
    const id = idOfUpload(name)
    const info = id && (await stat(join(directory, name)).catch(() => undefined))
    if (id && info && ageOfFile(clock, info.mtimeMs) > ORPHAN_MS) old.push(id)
  }
  const needed = await read.imports.openAmong(old)
  const orphans = old.filter((id) => !needed.has(id))
  for (const id of orphans) await removeUpload(dataDir, id)
  return orphans.length
}
