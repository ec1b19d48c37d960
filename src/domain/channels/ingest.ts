import { setImmediate } from 'node:timers/promises'
import { Collision } from '../../platform/db/collision.ts'
import { isStatementTimeout } from '../../platform/db/unavailable.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { markLength } from '../../platform/text/csv.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { oldUploads, readUpload, removeUpload } from './files/disk.ts'
import { ORPHAN_MS } from './files/keeper.ts'
import { FileChanged, type Lines, namesAt, readLines } from './files/lines.ts'
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
/**
 * Users of one transaction. On SQLite other writers wait about 20 ms for it. On PostgreSQL only whoever subscribes one of them, deletes the
 * channel or erases a user waits.
 */
const USERS_AT_ONCE = { sqlite: 5000, postgres: 20_000 }
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
  /** Users of one transaction; set by tests. */
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
  /** On PostgreSQL the next batch, which is looked up while the one before it is written. */
  ahead: { from: number; batch: Promise<Batch | undefined> } | undefined
  /** Maximum number of lines of a batch on PostgreSQL. */
  most: number
  /** Maximum number of users of a transaction. */
  usersAtOnce: number
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
 * batch is looked up by one long statement that locks nothing (docs/decisions/0140-subscriber-files-in-short-transactions.md).
 */
export function createIngestion(parts: IngestParts) {
  const { read, inTransaction, clock, dataDir, alone, owner } = parts
  const { linesAtOnce = LINES_AT_ONCE, usersAtOnce = USERS_AT_ONCE[alone ? 'sqlite' : 'postgres'] } = parts
  const works = new Map<number, Work>()
  /** The last look-up on PostgreSQL: files side by side take turns, and one connection. */
  let lookedUp: Promise<unknown> = Promise.resolve()

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
   * Subscribes the next users. Repeating this changes nothing, so only the last transaction has to advance the
   * position.
   */
  async function write(one: ChannelImport, work: Work, written: number): Promise<Step> {
    const { batch } = work
    const end = written + work.usersAtOnce
    const ids = (batch.ids as Float64Array).slice(written, end)
    const isOver = end >= batch.ids.length
    const isLast = isOver && batch.place >= one.size
    const isDone = await inTransaction(async (areas) => {
      if (!alone && !(await areas.imports.lock(one))) return false
      if (isOver && !(await advance(areas, one, batch))) return false
      await add(areas.subscriptions, one, ids, work)
      if (isLast) await areas.slices.remove(one.appId, one.id)
      return true
    })
    failpoint(isOver ? 'ingest.advanced' : 'ingest.subscribed')
    if (isDone && !isOver) batch.written = end
    // Another worker may have advanced the import: it is read again.
    else work.batch = begin({ ...one, place: batch.place, line: batch.line })
    if (!isDone || !isLast) return 'more'
    await removeUpload(dataDir, one.id)
    return 'done'
  }

  async function advance({ imports }: IngestAreas, one: ChannelImport, batch: Batch): Promise<boolean> {
    const { place, line, read, unknown, unknownLines } = batch
    if (!(await imports.advance(one, { place, line, applied: read - unknown, unknown }, clock.now()))) return false
    await imports.insertUnknown(one.row, unknownLines.slice(0, Math.max(0, MAX_UNKNOWN_KEPT - one.unknown)))
    return true
  }

  async function add(subscriptions: SubscriptionsRepository, one: ChannelImport, ids: Float64Array, work: Work) {
    if (ids.length === 0) return
    if (alone) return subscriptions.addUsers(one.appId, one.channelId, Array.from(ids))
    const { isContested } = work
    try {
      await subscriptions.addFound(one.appId, one.channelId, ids, { isContested })
    } catch (error) {
      // A slow database: the next try has fewer users.
      if (isStatementTimeout(error)) work.usersAtOnce = Math.ceil(ids.length / 4)
      if (work.isContested || !isThereAlready(error)) throw error
      work.isContested = true
      // The transaction runs again.
      throw new Collision()
    }
  }

  /** The next batch from a place on, on PostgreSQL. Looking it up begins with the first call for this place. */
  function batchFrom(one: ChannelImport, work: Work, { place, line }: { place: number; line: number }) {
    if (work.ahead?.from !== place) {
      const batch = lookedUp.catch(() => {}).then(() => lookUp(one, work, { place, line }))
      lookedUp = batch
      work.ahead = { from: place, batch }
      // Whoever awaits it hears of it, and the next step looks again.
      batch.catch(() => {
        if (work.ahead?.batch === batch) work.ahead = undefined
      })
    }
    return work.ahead.batch
  }

  async function lookUp(one: ChannelImport, work: Work, { place: from, line }: { place: number; line: number }) {
    // Many files at once: each waits for the batches of the others.
    const most = Math.min(work.most, Math.max(LOOKED_UP_AT_ONCE, Math.ceil(linesAtOnce / works.size)))
    const read = await readLines({ place: from, line, size: one.size, most }, (at) => bytesOf(one, work, at))
    if (!read) return undefined
    const { ids, nobody } = await usersOf(one, work, read)
    const places = nobody.subarray(0, MAX_UNKNOWN_KEPT)
    const identifiers = namesAt(read.names, places)
    const batch: Batch = {
      from,
      place: read.place,
      line: read.line,
      read: read.lines.length,
      ids,
      unknown: nobody.length,
      unknownLines: identifiers.map((identifier, i) => ({ line: read.lines[places[i]! - 1]!, identifier })),
      written: 0,
    }
    return batch
  }

  async function usersOf({ appId }: ChannelImport, work: Work, { names, lines }: Lines) {
    try {
      return await read.subscriptions.named(appId, names)
    } catch (error) {
      // A slow database: the next try has fewer lines.
      if (isStatementTimeout(error)) work.most = Math.ceil(lines.length / 4)
      throw error
    }
  }

  /** Applies the next users of a batch on PostgreSQL, and looks the batch behind it up meanwhile. */
  async function applyNext(one: ChannelImport, work: Work): Promise<Step> {
    if (work.batch.written === undefined) {
      const batch = await batchFrom(one, work, one)
      if (!batch) return missing(one)
      work.batch = batch
      work.ahead = undefined
    }
    const { batch } = work
    if (!(await hold(one, work))) return 'elsewhere'
    if (batch.place < one.size) void batchFrom(one, work, batch)
    return write(one, work, batch.written!)
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
        usersAtOnce,
        isContested: false,
        heldAt: undefined,
      }
      works.set(one.row, work)
    }
    if (work.batch.from !== one.place) work.batch = begin(one)
    try {
      if (!alone) return await applyNext(one, work)
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
        await ahead?.batch.catch(() => {})
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
