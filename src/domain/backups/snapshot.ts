import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { inspectFile, openFile } from '../../platform/db/database-file.ts'
import { copyOnline } from '../../platform/db/online-copy.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { makeDirectories } from '../../platform/files/directories.ts'
import { flush, replaceFile } from '../../platform/files/durable-file.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { draftName } from './stores/local-store.ts'

export interface SnapshotOptions {
  /** Locked by the caller: nobody else changes the schema or takes a snapshot. */
  dataDir: string
  database: string
  /** Steps of the database, and steps that will be applied, oldest first. */
  applied: readonly string[]
  pending: readonly string[]
  /** Bytes that must stay free. */
  lowWater: number
}

/** The snapshot of a start: `taken` and `kept` name the file; `skipped` says why there is none. */
export type Snapshot =
  | { kind: 'taken'; file: string; bytes: number; seconds: number }
  | { kind: 'kept'; file: string }
  | { kind: 'skipped'; reason: string }

/** Snapshots that stay. */
const KEEP = 2
/** Room for the schema changes: more than a few steps add to a database. */
const SPARE_BYTES = 16 * 1024 * 1024

/**
 * Copies a database before it is migrated, to `backups/before-<newest step>.sqlite` of the data directory. When a migration was interrupted,
 * the copy from before it stays. Its pages are not checked, so that the start does not wait for it: it is a copy of the same pages. When
 * there is no room the snapshot is skipped: a server that does not start helps nobody on a full disk. Throws `unavailable` when it fails
 * for another reason.
 */
export async function snapshotBefore(options: SnapshotOptions): Promise<Snapshot> {
  const { dataDir, database, applied, pending, lowWater } = options
  const dir = join(dataDir, 'backups')
  const file = join(dir, `before-${pending.at(-1)!}.sqlite`)
  const begun = performance.now()
  try {
    makeDirectories(dir)
    removeDrafts(dir)
    if (existsSync(markerOf(dataDir)) && isFromBefore(file, applied)) return { kind: 'kept', file: resolve(file) }
    const lack = lackOfRoom(database, dir, lowWater)
    if (lack !== undefined) return { kind: 'skipped', reason: lack }
    await take(database, dir, file, applied)
    failpoint('snapshot.named')
    replaceFile(markerOf(dataDir), `${file}\n`)
    removeOlder(dir)
    return {
      kind: 'taken',
      file: resolve(file),
      bytes: statSync(file).size,
      seconds: (performance.now() - begun) / 1000,
    }
  } catch (error) {
    if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(String((error as { code?: unknown }).code))) {
      return { kind: 'skipped', reason: `the disk of ${resolve(dir)} is full` }
    }
    throw new AppError(
      'unavailable',
      `the snapshot before the migration cannot be stored in ${resolve(dir)}: ${messageOf(error)}; correct this, or set backup.beforeMigration: false`,
    )
  }
}

/** A file that exists from the beginning of a migration to its end. */
const markerOf = (dataDir: string) => join(dataDir, 'backups', 'migrating')

/** Notes that the migration after the snapshot is complete. */
export function migrationEnded(dataDir: string): void {
  rmSync(markerOf(dataDir), { force: true })
}

async function take(database: string, dir: string, file: string, applied: readonly string[]): Promise<void> {
  const draft = join(dir, draftName(randomBytes(6).toString('hex')))
  try {
    await copy(database, draft, applied)
    renameSync(draft, file)
    flush(dir)
  } finally {
    rmSync(draft, { force: true })
  }
}

async function copy(database: string, draft: string, applied: readonly string[]): Promise<void> {
  closeSync(openSync(draft, 'wx', 0o600))
  await copyOnline({ from: database, to: draft })
  const db = openFile(draft)
  try {
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
  const fd = openSync(draft, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  failpoint('snapshot.copied')
  const { steps } = inspectFile(draft, { isQuick: true })
  if (steps.join() !== applied.join()) throw new Error('the copy has other migration steps than the database')
}

/** Tells whether the file is from before the first of several steps, of which some are applied: a migration was interrupted. */
function isFromBefore(file: string, applied: readonly string[]): boolean {
  if (!existsSync(file)) return false
  try {
    const { steps } = inspectFile(file, { isQuick: true })
    return steps.length > 0 && steps.length < applied.length && steps.every((step) => applied.includes(step))
  } catch {
    return false
  }
}

function lackOfRoom(database: string, dir: string, lowWater: number): string | undefined {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const needed = size(database) + size(`${database}-wal`) + SPARE_BYTES + lowWater
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize >= needed) return undefined
  return `it needs ${sizeOf(needed, Math.ceil)} in ${resolve(dir)}, and ${sizeOf(bavail * bsize, Math.ceil)} are free`
}

/** Removes incomplete snapshots. Nobody else is taking one: a process that was killed has left them. */
function removeDrafts(dir: string): void {
  if (!existsSync(dir)) return
  for (const name of readdirSync(dir)) if (name.startsWith('.appsvc-backup-')) rmSync(join(dir, name), { force: true })
}

function removeOlder(dir: string): void {
  const found = readdirSync(dir)
    .filter((name) => /^before-.*\.sqlite$/.test(name))
    .map((name) => ({ path: join(dir, name), at: statSync(join(dir, name)).mtimeMs }))
  for (const { path } of found.toSorted((a, b) => b.at - a.at).slice(KEEP)) rmSync(path, { force: true })
}
