import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import type { UsersRepository } from '../crm/repository.ts'
import { type ImportsRepository, MOST_UNKNOWN_KEPT } from './imports.repository.ts'
import { LineError, markLength, readColumn } from './one-column.ts'
import { idOfUpload, removeUpload, uploadPath, uploadsDirectory } from './subscribers-file.ts'
import type { SubscriptionsRepository } from './subscriptions.repository.ts'
import type { ChannelImport, UnknownLine } from './types.ts'

/**
 * Lines that are looked up together. Their users are subscribed in the order of their ids, so that a transaction touches
 * neighbours: measured with a million random lines, half the time of batches in the order of the file.
 */
const LINES_AT_ONCE = 20_000
const BYTES_AT_ONCE = 1024 * 1024
/** Users of one transaction: some 30 ms, then others may write. */
const USERS_AT_ONCE = 5000
/** With several machines the file is on the one that took it in. When that one is gone for so long, somebody must send it again. */
const PATIENCE_MS = 3_600_000
/** A file that nobody waits for and that is not being written any more. */
const ORPHAN_MS = 3_600_000

/** What applying a file needs of the areas, on the whole database or in a transaction. */
export interface IngestAreas {
  imports: ImportsRepository
  subscriptions: SubscriptionsRepository
  users: UsersRepository
}

export interface IngestParts {
  read: IngestAreas
  inTransaction<T>(work: (areas: IngestAreas) => Promise<T>): Promise<T>
  clock: Clock
  dataDir: string
  /** Nobody else has a data directory for this database (SQLite): a file that is not here is nowhere. */
  alone: boolean
}

/**
 * What a step did: a batch; the last one; it gave the import up; nothing, because the file is on another machine; nothing, because
 * the import is over.
 */
export type Step = 'more' | 'done' | 'failed' | 'elsewhere' | 'over'

/**
 * Applies the next batch of an import: subscribes the users that its lines name, notes the lines that name nobody, and moves
 * its place on in the transaction that completes the batch. So a kill at any moment neither skips nor counts twice, and two
 * who work on the same import do not hinder each other. Deletes the file when the import is over.
 */
export async function ingestStep(
  { read, inTransaction, clock, dataDir, alone }: IngestParts,
  row: number,
): Promise<Step> {
  const before = await read.imports.get(row)
  if (!before) return 'over'
  if (before.state !== 'queued' && before.state !== 'running') {
    await removeUpload(dataDir, before.id)
    return 'over'
  }

  async function fail(error: string): Promise<Step> {
    await inTransaction(({ imports }) => imports.fail(row, error, clock.now()))
    await removeUpload(dataDir, before!.id)
    return 'failed'
  }

  /** False when the channel went away meanwhile, and the import with it. */
  function subscribe(ids: readonly number[]): Promise<boolean> {
    return inTransaction(async ({ imports, subscriptions }) => {
      if (!(await imports.get(row))) return false
      await subscriptions.addUsers(before!.appId, before!.channelId, ids)
      return true
    })
  }

  const bytes = await readPiece(uploadPath(dataDir, before.id), before.place)
  if (!bytes) {
    if (!alone && clock.now() - before.updatedAt < PATIENCE_MS) return 'elsewhere'
    return fail('its file is gone: upload it again')
  }
  const skipped = before.place === 0 ? markLength(bytes) : 0
  const last = before.place + bytes.length >= before.size
  try {
    const piece = bytes.subarray(skipped)
    const column = readColumn(piece, { line: before.line, last, most: LINES_AT_ONCE })
    if (column.consumed === 0) return await fail('its file changed since it was taken in')
    const place = before.place + skipped + column.consumed
    // Blank lines at the end of the file hold nothing.
    const isOver = place >= before.size
    const { ids, unknown } = await lookUp(read.users, before, column)
    // Twice is the same as once, so the place needs to move only with the last of them.
    while (ids.length > USERS_AT_ONCE) {
      const some = ids.splice(0, USERS_AT_ONCE)
      if (!(await subscribe(some))) return 'more'
    }
    const advanced = await inTransaction(async ({ imports, subscriptions }) => {
      const step = {
        place: isOver ? before.size : place,
        line: column.line,
        applied: column.values.length - unknown.length,
        unknown: unknown.length,
      }
      if (!(await imports.advance(before, step, clock.now()))) return false
      await subscriptions.addUsers(before.appId, before.channelId, ids)
      await imports.insertUnknown(row, unknown.slice(0, Math.max(0, MOST_UNKNOWN_KEPT - before.unknown)))
      return true
    })
    // Somebody else was faster; look again.
    if (!advanced || !isOver) return 'more'
    await removeUpload(dataDir, before.id)
    return 'done'
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    return fail(`line ${error.line} ${error.message}`)
  }
}

async function lookUp(
  users: UsersRepository,
  { appId }: ChannelImport,
  { values, lines }: { values: string[]; lines: number[] },
): Promise<{ ids: number[]; unknown: UnknownLine[] }> {
  const found = values.length === 0 ? [] : await users.idsOf(appId, values)
  const known = new Set(found.map(({ identifier }) => identifier))
  const unknown = values.flatMap((identifier, i) => (known.has(identifier) ? [] : [{ line: lines[i]!, identifier }]))
  return { ids: found.map(({ id }) => id).sort((a, b) => a - b), unknown }
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
export async function removeOrphans({ read, clock, dataDir }: IngestParts): Promise<number> {
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
