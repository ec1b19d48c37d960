import { setImmediate } from 'node:timers/promises'
import { Collision } from '../../platform/db/collision.ts'
import { isStatementTimeout } from '../../platform/db/unavailable.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { markLength } from '../../platform/text/csv.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { oldUploads, readUpload, removeUpload } from './files/disk.ts'
import { ORPHAN_MS } from './files/keeper.ts'
import { FileChanged, type Lines, readLines } from './files/lines.ts'
import type { SlicesRepository } from './files/slices.repository.ts'
import { sliceReader } from './files/slices.ts'
import { type ImportsRepository, MAX_UNKNOWN_KEPT } from './imports.repository.ts'
import { LineError, readColumn } from './one-column.ts'
import { isThereAlready, type SubscriptionsRepository } from './subscriptions.repository.ts'
import type { ChannelImport, UnknownLine } from './types.ts'

/**
 * Lines of one batch. A restart continues after the last complete batch. The users of a batch are subscribed in the
 * order of their ids, so that neighbouring rows are written together: with a million random lines on SQLite, batches of
 * 20 000 took twice as long. Only the ids are kept in memory, 8 bytes each. Files that are applied side by side on PostgreSQL share this number.
 */
const LINES_AT_ONCE = 250_000
/** Lines of one look-up, which blocks the thread for about 30 ms on SQLite. The fewest lines of a batch on PostgreSQL. */
const LOOKED_UP_AT_ONCE = 20_000
/** Users of one transaction on SQLite: other writers wait about 20 ms for it. */
const USERS_AT_ONCE = 5000
/**
 * The time after which an import without progress fails when its file is missing. Nodes before 0153 keep a file on their own
 * disk: the others leave it to them.
 */
const PATIENCE_MS = 3_600_000
/** The time for which nobody else applies a file, and after which its worker extends that time. */
const LEASE_MS = 30_000
const RENEWED_MS = 10_000

/** The repositories that applying a file needs, inside or outside of a transaction. */
interface IngestAreas {
  imports: ImportsRepository
  subscriptions: SubscriptionsRepository
  slices: SlicesRepository
}

export interface IngestParts {
  read: IngestAreas
  inTransaction<T>(work: (areas: IngestAreas) => Promise<T>): Promise<T>
  clock: Clock
  dataDir: string
  /**
   * True on SQLite: only this process applies files, and they are on its disk. Otherwise they are in the database, and one worker
   * at a time applies each.
   */
  alone: boolean
  /** The name of this worker in the leases of files. */
  owner: string
  /** Lines of one batch; set by tests. */
  linesAtOnce?: number
  /** Users of one transaction on SQLite; set by tests. */
  usersAtOnce?: number
}

/**
 * Result of a step: `more` work remains; the import is `done`; it `failed`; nothing was done because another
 * worker applies the file or has it (`elsewhere`), or because the import had already ended (`over`).
 */
export type Step = 'more' | 'done' | 'failed' | 'elsewhere' | 'over'

/** Some lines of an import, read from the file and not yet stored. If the process ends, they are read again. */
interface Batch {
  /** The place of the import that it begins at. */
  from: number
  /** The present end of the batch: offset in bytes and number of the next line. */
  place: number
  line: number
  /** Number of identifiers. */
  read: number
  /** Users to subscribe; ascending once `written` is a number. */
  ids: number[] | Float64Array
  unknown: number
  /** Unknown lines, as many as the import still keeps. */
  unknownLines: UnknownLine[]
  /** The number of ids that are subscribed; undefined until all lines are looked up. */
  written: number | undefined
}

/** A file that this worker applies. */
interface Work {
  batch: Batch
  /** On PostgreSQL the next lines, which are read while those before them are written. */
  ahead: { from: number; lines: Promise<Lines | undefined> } | undefined
  /** Maximum number of lines of a batch on PostgreSQL. */
  most: number
  /** True once somebody else has subscribed a user in the middle of a batch. */
  isContested: boolean
  /** Bytes from a place on, where the database has the file. */
  read(from: number): Promise<Buffer | undefined>
  /** The time when the lease was taken or extended (ms, monotonic); undefined before. */
  heldAt: number | undefined
}

/**
 * Applies files of subscribers in short steps; the caller may interleave any number of files. For each file it looks up
 * a batch of lines, then subscribes their users and records the lines without a user. The transaction that completes a
 * batch also advances the position of the import. A kill at any moment therefore neither skips nor repeats lines, and
 * two workers on one import are safe. On PostgreSQL a lease keeps the others away meanwhile, who would do the same work, and a
 * batch is one transaction with one long statement (docs/decisions/0135-subscriber-files-on-postgresql.md).
 */
export function createIngestion(parts: IngestParts) {
  const { read, inTransaction, clock, dataDir, alone, owner } = parts
  const { linesAtOnce = LINES_AT_ONCE, usersAtOnce = USERS_AT_ONCE } = parts
  const works = new Map<number, Work>()

  async function fail({ row, appId, id }: ChannelImport, error: string): Promise<Step> {
    await inTransaction(async ({ imports, slices }) => {
      await imports.fail(row, error, clock.now())
      await slices.remove(appId, id)
    })
    await removeUpload(dataDir, id)
    return 'failed'
  }

  function begin({ place, line }: ChannelImport): Batch {
    return { from: place, place, line, read: 0, ids: [], unknown: 0, unknownLines: [], written: undefined }
  }

  /**
   * The bytes of a file from a place on, wherever it is. A database that was copied may have the files of the other kind: from
   * SQLite on the disk, from PostgreSQL in the table.
   */
  async function bytesOf({ id }: ChannelImport, work: Work, place: number): Promise<Buffer | undefined> {
    const sources = [() => work.read(place), () => readUpload(dataDir, id, place)]
    const [first, second] = alone ? sources.reverse() : sources
    return (await first!()) ?? second!()
  }

  /** Tells whether this worker may go on with the file on PostgreSQL. Whoever has its bytes asks. */
  async function hold({ row }: ChannelImport, work: Work): Promise<boolean> {
    const now = clock.monotonic()
    if (work.heldAt !== undefined && now - work.heldAt < RENEWED_MS) return true
    work.heldAt = (await inTransaction(({ imports }) => imports.claim(row, owner, LEASE_MS))) ? now : undefined
    return work.heldAt !== undefined
  }

  async function missing(one: ChannelImport): Promise<Step> {
    if (!alone && clock.now() - one.updatedAt < PATIENCE_MS) return 'elsewhere'
    return fail(one, 'its file is missing: upload it again')
  }

  /** Looks up the users of the next lines, on SQLite. */
  async function gather(one: ChannelImport, work: Work): Promise<Step> {
    const { batch } = work
    const bytes = await bytesOf(one, work, batch.place)
    if (!bytes) return missing(one)
    const skipped = batch.place === 0 ? markLength(bytes) : 0
    const last = batch.place + bytes.length >= one.size
    const most = Math.min(LOOKED_UP_AT_ONCE, linesAtOnce - batch.read)
    const column = readColumn(bytes.subarray(skipped), { line: batch.line, last, most })
    if (column.consumed === 0) throw new FileChanged()
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
   * Subscribes the next users, on SQLite. Repeating this changes nothing, so only the last transaction has to advance the
   * position.
   */
  async function write(one: ChannelImport, work: Work, written: number): Promise<Step> {
    const { batch } = work
    const end = written + usersAtOnce
    const ids = Array.from(batch.ids.slice(written, end))
    if (end < batch.ids.length) {
      await inTransaction(({ subscriptions }) => subscriptions.addUsers(one.appId, one.channelId, ids))
      failpoint('ingest.subscribed')
      batch.written = end
      return 'more'
    }
    const { place, line, unknown, unknownLines } = batch
    const isLast = place >= one.size
    const advanced = await inTransaction(async ({ imports, subscriptions, slices }) => {
      const step = { place, line, applied: batch.read - unknown, unknown }
      if (!(await imports.advance(one, step, clock.now()))) return false
      await subscriptions.addUsers(one.appId, one.channelId, ids)
      await imports.insertUnknown(one.row, unknownLines)
      if (isLast) await slices.remove(one.appId, one.id)
      return true
    })
    failpoint('ingest.advanced')
    // Another worker may have advanced the import: it is read again.
    work.batch = begin({ ...one, place, line })
    if (!advanced || !isLast) return 'more'
    await removeUpload(dataDir, one.id)
    return 'done'
  }

  /** The next lines from a place on. Reading them begins with the first call for this place. */
  function linesFrom(one: ChannelImport, work: Work, { place, line }: { place: number; line: number }) {
    if (work.ahead?.from !== place) {
      // Many files at once: each waits for the batches of the others.
      const most = Math.min(work.most, Math.max(LOOKED_UP_AT_ONCE, Math.ceil(linesAtOnce / works.size)))
      const lines = readLines({ place, line, size: one.size, most }, (from) => bytesOf(one, work, from))
      work.ahead = { from: place, lines }
      // Whoever awaits them hears of it, and the next step reads them again.
      lines.catch(() => {
        if (work.ahead?.lines === lines) work.ahead = undefined
      })
    }
    return work.ahead.lines
  }

  /** Applies the next batch on PostgreSQL in one transaction, and reads the one behind it meanwhile. */
  async function applyBatch(one: ChannelImport, work: Work): Promise<Step> {
    const lines = await linesFrom(one, work, one)
    if (!lines) return missing(one)
    if (!(await hold(one, work))) return 'elsewhere'
    const isLast = lines.place >= one.size
    if (!isLast) void linesFrom(one, work, lines)
    const advanced = await inTransaction(async ({ imports, subscriptions, slices }) => {
      if (!(await imports.lock(one))) return false
      const unknown = await addNamed(subscriptions, one, lines, work)
      failpoint('ingest.subscribed')
      const { place, line } = lines
      const applied = lines.lines.length - unknown.count
      await imports.advance(one, { place, line, applied, unknown: unknown.count }, clock.now())
      const unknownLines = unknown.first.map(([at, identifier]) => ({ line: lines.lines[at - 1]!, identifier }))
      await imports.insertUnknown(one.row, unknownLines)
      if (isLast) await slices.remove(one.appId, one.id)
      return true
    })
    failpoint('ingest.advanced')
    if (!advanced || !isLast) return 'more'
    await removeUpload(dataDir, one.id)
    return 'done'
  }

  async function addNamed(subscriptions: SubscriptionsRepository, one: ChannelImport, given: Lines, work: Work) {
    const { isContested } = work
    const most = Math.max(0, MAX_UNKNOWN_KEPT - one.unknown)
    try {
      return await subscriptions.addNamed(one.appId, one.channelId, given.names, { most, isContested })
    } catch (error) {
      if (isStatementTimeout(error)) {
        // A slow database: the next try has fewer lines.
        work.most = Math.ceil(given.lines.length / 4)
        work.ahead = undefined
      }
      if (work.isContested || !isThereAlready(error)) throw error
      work.isContested = true
      // The transaction runs again.
      throw new Collision()
    }
  }

  async function stepOf(one: ChannelImport): Promise<Step> {
    let work = works.get(one.row)
    // Nothing is read of a file that another worker applies. The database decides when it is over: see `claim`.
    if (!alone && !work && one.owner !== owner && one.leaseUntil > clock.now()) return 'elsewhere'
    if (!work) {
      const reader = sliceReader(read.slices, one.appId, one.id)
      work = {
        batch: begin(one),
        read: reader.read,
        ahead: undefined,
        most: linesAtOnce,
        isContested: false,
        heldAt: undefined,
      }
      works.set(one.row, work)
    }
    if (work.batch.from !== one.place) work.batch = begin(one)
    try {
      if (!alone) return await applyBatch(one, work)
      return await (work.batch.written === undefined ? gather(one, work) : write(one, work, work.batch.written))
    } catch (error) {
      if (error instanceof LineError) return fail(one, `line ${error.line} ${error.message}`)
      if (error instanceof FileChanged) return fail(one, 'its file has changed since it was uploaded')
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
      if (step !== 'more') works.delete(row)
      // Lets other work of this thread run: queries of SQLite are synchronous.
      await setImmediate()
      return step
    },

    /** Drops the batches of all other imports: their channels were deleted. */
    keepOnly(rows: readonly number[]): void {
      for (const row of works.keys()) if (!rows.includes(row)) works.delete(row)
    },

    /** Ends the leases of this worker, which stops: another worker need not wait for them. */
    async release(): Promise<void> {
      for (const [row, { heldAt, ahead }] of works) {
        await ahead?.lines.catch(() => {})
        if (heldAt !== undefined) await inTransaction(({ imports }) => imports.release(row, owner))
      }
      works.clear()
    },
  }
}

/** Deletes files that a kill left behind: received but never queued, or applied but not deleted. Returns how many. */
export async function removeOrphans({
  read,
  inTransaction,
  clock,
  dataDir,
}: Pick<IngestParts, 'read' | 'inTransaction' | 'clock' | 'dataDir'>): Promise<number> {
  const old = await oldUploads(dataDir, clock)
  const stored = await read.slices.old(clock.now() - ORPHAN_MS)
  const needed = await read.imports.openAmong([...old, ...stored.map(({ file }) => file)])
  const orphans = old.filter((id) => !needed.has(id))
  for (const id of orphans) await removeUpload(dataDir, id)
  const forgotten = stored.filter(({ file }) => !needed.has(file))
  for (const { appId, file } of forgotten) await inTransaction(({ slices }) => slices.remove(appId, file))
  return orphans.length + forgotten.length
}
