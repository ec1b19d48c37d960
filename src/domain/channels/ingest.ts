import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { markLength } from '../../platform/csv.ts'
import { failpoint } from '../../platform/failpoints.ts'
import { type ImportsRepository, MOST_UNKNOWN_KEPT } from './imports.repository.ts'
import { LineError, readColumn } from './one-column.ts'
import { idOfUpload, removeUpload, uploadPath, uploadsDirectory } from './subscribers-file.ts'
import type { SubscriptionsRepository } from './subscriptions.repository.ts'
import type { ChannelImport, UnknownLine } from './types.ts'

/**
 * Lines between two places that a restart can go on from. Their users are subscribed in the order of their ids, so that
 * neighbours in the table are written together: measured with a million random lines on SQLite, batches of 20 000 take twice as
 * long. Of these lines only the ids are held, 8 bytes each.
 */
const LINES_AT_ONCE = 250_000
/** Lines of one look-up. SQLite's keeps the thread for some 30 ms. Fewer are more work for PostgreSQL, more take memory. */
const LOOKED_UP_AT_ONCE = 20_000
const BYTES_AT_ONCE = 512 * 1024
/** Users of one transaction. SQLite has one writer: some 20 ms, then it is the turn of others. PostgreSQL waits for fewer flushes. */
const USERS_AT_ONCE = { sqlite: 5000, postgres: 20_000 }
/** With several machines the file is on the one that took it in. When that one is gone for so long, somebody must send it again. */
const PATIENCE_MS = 3_600_000
/** A file that nobody waits for and that is not being written any more. */
const ORPHAN_MS = 3_600_000

/** What applying a file needs of the areas, on the whole database or in a transaction. */
export interface IngestAreas {
  imports: ImportsRepository
  subscriptions: SubscriptionsRepository
}

export interface IngestParts {
  read: IngestAreas
  inTransaction<T>(work: (areas: IngestAreas) => Promise<T>): Promise<T>
  clock: Clock
  dataDir: string
  /** Nobody else has a data directory for this database (SQLite): a file that is not here is nowhere. */
  alone: boolean
  /** For tests: lines between two places that a restart can go on from. */
  linesAtOnce?: number
}

/**
 * What a step did: a part; the last one; it gave the import up; nothing, because the file is on another machine; nothing, because
 * the import is over.
 */
export type Step = 'more' | 'done' | 'failed' | 'elsewhere' | 'over'

/** Some lines of an import, on their way from the file to the table. Lost with the process, and then read again. */
interface Batch {
  /** The place of the import that it begins at. */
  from: number
  /** Where it ends so far, in bytes and as the line that comes next. */
  place: number
  line: number
  /** Identifiers in it. */
  read: number
  /** Users to subscribe; ascending once `written` is a number. */
  ids: number[] | Float64Array
  unknown: number
  /** As many of the unknown lines as the import still keeps. */
  unknownLines: UnknownLine[]
  /** How many of the ids are subscribed; undefined until all lines of it are looked up. */
  written: number | undefined
}

export type Ingestion = ReturnType<typeof createIngestion>

/**
 * Applies files of subscribers in short steps, as many files side by side as the caller likes. Of each it looks a batch of
 * lines up, then subscribes their users and notes the lines that name nobody; the place of the import moves on in the
 * transaction that completes the batch. So a kill at any moment neither skips nor counts twice, and two who work on the same
 * import do not hinder each other.
 */
export function createIngestion(parts: IngestParts) {
  const { read, inTransaction, clock, dataDir, alone, linesAtOnce = LINES_AT_ONCE } = parts
  // Only SQLite has its database in one data directory.
  const kind = alone ? 'sqlite' : 'postgres'
  const batches = new Map<number, Batch>()

  async function fail({ row, id }: ChannelImport, error: string): Promise<Step> {
    await inTransaction(({ imports }) => imports.fail(row, error, clock.now()))
    await removeUpload(dataDir, id)
    return 'failed'
  }

  function begin({ place, line }: ChannelImport): Batch {
    return { from: place, place, line, read: 0, ids: [], unknown: 0, unknownLines: [], written: undefined }
  }

  /** Looks the next lines up. */
  async function gather(one: ChannelImport, batch: Batch): Promise<Step> {
    const bytes = await readPiece(uploadPath(dataDir, one.id), batch.place)
    if (!bytes) {
      if (!alone && clock.now() - one.updatedAt < PATIENCE_MS) return 'elsewhere'
      return fail(one, 'its file is gone: upload it again')
    }
    const skipped = batch.place === 0 ? markLength(bytes) : 0
    const last = batch.place + bytes.length >= one.size
    const most = Math.min(LOOKED_UP_AT_ONCE, linesAtOnce - batch.read)
    const column = readColumn(bytes.subarray(skipped), { line: batch.line, last, most })
    if (column.consumed === 0) return fail(one, 'its file changed since it was taken in')
    const known = await read.subscriptions.usersOf(one.appId, column.values)
    const ids = batch.ids as number[]
    for (const [i, identifier] of column.values.entries()) {
      const id = known.get(identifier)
      if (id !== undefined) ids.push(id)
      else {
        batch.unknown++
        const isKept = one.unknown + batch.unknown <= MOST_UNKNOWN_KEPT
        if (isKept) batch.unknownLines.push({ line: column.lines[i]!, identifier })
      }
    }
    batch.read += column.values.length
    batch.line = column.line
    // Blank lines at the end of the file hold nothing.
    batch.place = Math.min(batch.place + skipped + column.consumed, one.size)
    if (batch.read >= linesAtOnce || batch.place === one.size) {
      batch.ids = Float64Array.from(ids).sort()
      batch.written = 0
    }
    return 'more'
  }

  /** Subscribes the next users. Twice is the same as once, so the place needs to move only with the last of them. */
  async function write(one: ChannelImport, batch: Batch, written: number): Promise<Step> {
    const end = written + USERS_AT_ONCE[kind]
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
    // Somebody else was faster; look again.
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
      // Others of this thread take their turn: SQLite answers without letting go of it.
      await setImmediate()
      return step
    },

    /** Forgets what it holds of imports that are not among these: their channels are gone. */
    keepOnly(rows: readonly number[]): void {
      for (const row of batches.keys()) if (!rows.includes(row)) batches.delete(row)
    },
  }
}

/** The next bytes of a file; undefined when there is no such file. */
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

/** Deletes files that a kill left behind: taken in but never queued, or applied and not yet deleted. Returns how many. */
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
    if (id && info && clock.now() - info.mtimeMs > ORPHAN_MS) old.push(id)
  }
  const needed = await read.imports.openAmong(old)
  const orphans = old.filter((id) => !needed.has(id))
  for (const id of orphans) await removeUpload(dataDir, id)
  return orphans.length
}
