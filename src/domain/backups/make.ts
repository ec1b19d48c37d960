import { createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, fsyncSync, openSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createVault, readMasterKey } from '../../platform/crypto/vault.ts'
import { inspectFile, openFile } from '../../platform/db/database-file.ts'
import { copyOnline } from '../../platform/db/online-copy.ts'
import { AppError, isAppError, messageOf } from '../../platform/errors.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { sizeOf } from '../../platform/text/size.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { erasuresFile } from '../erasures/list-file.ts'
import { clearInterrupted, discard, noteBegun } from './begun.ts'
import { fileFault, isAborted } from './file-faults.ts'
import { removeOld } from './keep.ts'
import { keyName, type Manifest, manifestName, nameAt, rowsIn } from './manifest.ts'
import { joinLists, openFiles, PACKED_TABLE, textOf } from './packed-files.ts'
import { draftName, taken } from './stores/local-store.ts'
import type { BackupStore, Place } from './stores/store.ts'

export interface MakeOptions {
  /** Version of this program. */
  program: string
  dataDir: string
  /** The SQLite file. */
  database: string
  place: Place
  /** Replace a file of this name. */
  force?: boolean
  /** The master key file to put beside the backup. */
  withKey?: string | undefined
  /** The number of its own files that stay; all when absent. */
  keep?: number | undefined
  /** Bytes that must stay free where the data directory is. */
  lowWater?: number | undefined
  clock: Pick<Clock, 'now' | 'doubt'>
  signal?: AbortSignal | undefined
  onProgress?: ((step: BackupStep, done: number, total: number) => void) | undefined
}

type BackupStep = 'copying' | 'checking' | 'storing'

/** A backup that is complete, and was verified by opening it. */
export interface MadeBackup {
  address: string
  manifest: Manifest
  rows: number
  tables: number
  seconds: number
  /** The address of the master key; undefined when it is not in the backup. */
  keyAddress: string | undefined
  /** Addresses of older backups that were deleted. */
  removed: string[]
}

/** Room that must stay free: more than a file system needs for itself. */
const SPARE_BYTES = 16 * 1024 * 1024
/** The name of the newest erasure list in a directory of backups. */
export const NEWEST_ERASURES = 'erasures.list'

/**
 * Backs up an SQLite database that others are using. The copy is made under a temporary name, flushed, opened and checked (every page, every
 * index, the rows of every table), and only then gets its name and its manifest. When it fails or `signal` aborts, nothing of it stays.
 * Blocks its thread for seconds per gigabyte while it checks. Throws `conflict` when the name is taken, `unavailable` when there is no room.
 */
export async function makeBackup(options: MakeOptions): Promise<MadeBackup> {
  const { place, database, force = false, signal, onProgress } = options
  const { store } = place
  const begun = performance.now()
  const takenAt = options.clock.now()
  const name = place.name ?? nameAt(takenAt)
  const address = store.addressOf(name)
  await store.prepare(options.clock)
  await clearInterrupted(options.dataDir, store)
  if ((await store.has(name)) && !force) {
    throw place.name === undefined
      ? new AppError('conflict', `${address} was made in this second: try again`)
      : taken(address)
  }
  const id = randomBytes(6).toString('hex')
  const draft = join(store.staging, draftName(id))
  let note: ReturnType<typeof noteBegun> | undefined
  /** True when a file of ours may have the name, but no manifest. */
  let mayBeLeft = false
  try {
    requireRoom(options)
    note = noteBegun(options.dataDir, { id, store, name, draft })
    const manifest = await draftOf(options, draft, takenAt)
    failpoint('backup.verified')
    const key = keyOf(options, manifest)
    onProgress?.('storing', 0, manifest.bytes)
    // An older manifest does not describe the new file.
    if (force) await store.remove(manifestName(name))
    mayBeLeft = place.name === undefined
    await store.put(draft, name, { overwrite: force, signal })
    // A file that replaced another one stays: it is all that there is now, and whole.
    mayBeLeft = !force
    failpoint('backup.stored')
    const keyAddress = key === undefined ? undefined : await storeKey(key, store, name)
    if (place.name === undefined) await storeErasures(store, erasuresFile(options.dataDir))
    // Last: a backup without a manifest is not complete.
    await store.putText(manifestName(name), `${JSON.stringify(manifest, null, 2)}\n`)
    mayBeLeft = false
    const removed = options.keep === undefined ? [] : await removeOld(store, options.keep, manifest.keyCheck)
    return {
      address,
      manifest,
      rows: rowsIn(manifest),
      tables: Object.keys(manifest.tables).length,
      seconds: (performance.now() - begun) / 1000,
      keyAddress,
      removed: removed.map((old) => store.addressOf(old)),
    }
  } catch (error) {
    // Then the name is that of somebody else's file.
    if (isAppError(error) && error.code === 'conflict') mayBeLeft = false
    if (isAborted(error, signal)) throw error
    throw fileFault(error, `${resolve(database)} cannot be backed up`)
  } finally {
    for (const file of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true })
    if (mayBeLeft && !(await isDiscarded(store, name))) note?.giveUp()
    else note?.end()
  }
}

/** Tells whether nothing is left of a file whose manifest could not be stored. */
async function isDiscarded(store: BackupStore, name: string): Promise<boolean> {
  try {
    await store.abandon(name)
    await discard(store, name)
    return true
  } catch {
    return false
  }
}

/** Throws `unavailable` when the copy does not fit, or the server would be left with too little. */
function requireRoom({ database, dataDir, place, lowWater = 0 }: MakeOptions): void {
  const { staging } = place.store
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const isSameDisk = statSync(staging).dev === statSync(dataDir).dev
  const needed = size(database) + size(`${database}-wal`) + SPARE_BYTES + (isSameDisk ? lowWater : 0)
  const { bavail, bsize } = statfsSync(staging)
  if (bavail * bsize >= needed) return
  throw new AppError(
    'unavailable',
    `a backup needs ${sizeOf(needed, Math.ceil)} in ${resolve(staging)}, and ${sizeOf(bavail * bsize, Math.ceil)} are free: free some space, or choose another place`,
  )
}

/** Makes and checks the copy. */
async function draftOf(options: MakeOptions, draft: string, takenAt: number): Promise<Manifest> {
  const { program, dataDir, database, signal, onProgress } = options
  const files = openFiles(dataDir)
  try {
    files.add()
    closeSync(openSync(draft, 'wx', 0o600))
    await copyOnline({
      from: database,
      to: draft,
      signal,
      onProgress: (done, total) => onProgress?.('copying', done, total),
    })
    files.add()
    failpoint('backup.copied')
    const db = openFile(draft)
    try {
      // One file instead of three.
      db.pragma('journal_mode = DELETE')
      files.packInto(db)
    } finally {
      db.close()
    }
  } finally {
    files.close()
  }
  signal?.throwIfAborted()
  flushFile(draft)
  onProgress?.('checking', 0, statSync(draft).size)
  const contents = checked(draft)
  if (contents.keyCheck === undefined) {
    throw new AppError('config', 'the schema of this database is older than backups: run appsvc migrate up first')
  }
  signal?.throwIfAborted()
  const { [PACKED_TABLE]: _files, ...tables } = contents.tables
  return {
    format: 1,
    program,
    takenAt: new Date(takenAt).toISOString(),
    bytes: contents.bytes,
    sha256: await digestOf(draft, signal),
    schema: contents.steps.at(-1) ?? '',
    keyCheck: contents.keyCheck,
    tables,
  }
}

function checked(draft: string) {
  try {
    return inspectFile(draft)
  } catch (error) {
    throw new AppError(
      'unavailable',
      `the copy is not sound, so nothing was stored: ${messageOf(error)}; check the database with appsvc status and the disk`,
    )
  }
}

/** SHA-256 of a file, hex. */
export async function digestOf(file: string, signal?: AbortSignal): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 1024 * 1024 }))
    digest.update(chunk as Buffer)
  return digest.digest('hex')
}

function flushFile(file: string): void {
  const fd = openSync(file, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * The text of the key file that goes beside the backup. Throws `conflict` when it does not open this backup: `keys rotate` has
 * replaced it since the copy was made.
 */
function keyOf({ withKey }: MakeOptions, { keyCheck }: Manifest): string | undefined {
  if (withKey === undefined) return undefined
  const key = textOf(withKey)
  if (key === undefined) throw new AppError('config', `the master key file ${resolve(withKey)} is missing`)
  if (keyCheck === null || createVault(readMasterKey(key, withKey)).keyCheck() === keyCheck) return key
  throw new AppError(
    'conflict',
    `the master key in ${resolve(withKey)} is not the one of the backup: it was changed meanwhile, so run the backup again`,
  )
}

async function storeKey(key: string, store: BackupStore, name: string): Promise<string> {
  await store.putText(keyName(name), key)
  return store.addressOf(keyName(name))
}

/** Adds to the newest erasure list: a user who is erased after an older backup must stay erased when that one is restored. */
async function storeErasures(store: BackupStore, file: string): Promise<void> {
  const mine = textOf(file)
  if (mine === undefined) return
  const before = await store.getText(NEWEST_ERASURES)
  const joined = joinLists([before ?? '', mine])
  if (joined !== before) await store.putText(NEWEST_ERASURES, joined)
}
