import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Database } from 'better-sqlite3'
import { createVault, readMasterKey } from '../../platform/crypto/vault.ts'
import { openFile } from '../../platform/db/database-file.ts'
import { compareSteps, type Migrations } from '../../platform/db/migrate.ts'
import { AppError } from '../../platform/errors.ts'
import { flush, replaceFile } from '../../platform/files/durable-file.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { type CheckedStep, fetchChecked } from './checked-copy.ts'
import { fileFault, isAborted } from './file-faults.ts'
import { listBackups } from './keep.ts'
import { NEWEST_ERASURES } from './make.ts'
import { keyName, type Manifest, restoringFile, rowsIn } from './manifest.ts'
import { PACKED_TABLE, textOf, unpackFiles } from './packed-files.ts'
import type { Place } from './stores/store.ts'

export interface RestoreOptions {
  place: Place
  /** Exists and is locked by the caller. */
  dataDir: string
  /** The path of the database. */
  database: string
  /** The path at which the server reads the master key. */
  keyFile: string
  /** The key file that the operator named, and its text: it is copied to `keyFile`. */
  givenKey?: { file: string; text: string } | undefined
  migrations: Migrations
  now(): number
  signal?: AbortSignal | undefined
  onProgress?: ((step: CheckedStep, done: number, total: number) => void) | undefined
}

/** A data directory that was restored. It is held: its server sends nothing before it is released. */
export interface Restored {
  address: string
  /** Manifest of the backup; undefined when it has none. */
  manifest: Manifest | undefined
  takenAt: string | undefined
  schema: string
  /** Steps that the next start applies. */
  pendingSteps: number
  tables: number
  rows: number
  bytes: number
  keyFile: string
  /** The address that the key came from, if it was not in its place. */
  keyFrom: string | undefined
  /** Subscriber files that wait to be applied. */
  uploads: number
}

/**
 * Makes a data directory from a backup. All is checked and written under temporary names; the last step gives the database its name, so a
 * kill leaves either no database or the whole one. Throws `conflict` when there is a database, `bad_request` when the backup is damaged or
 * cut, `config` for a wrong or missing key and for a newer schema; then the directory is as it was.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDir, database, signal, onProgress } = options
  const { store } = options.place
  refuseData(dataDir, database)
  const name = options.place.name ?? (await newestOf(options.place))
  const address = store.addressOf(name)
  const draft = restoringFile(database)
  const leftovers = [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]
  for (const file of leftovers) rmSync(file, { force: true })
  try {
    const { manifest, contents } = await fetchChecked({
      store,
      name,
      draft,
      migrations: options.migrations,
      signal,
      onProgress,
      onFetched: () => failpoint('restore.fetched'),
    })
    const key = await keyOf(options, name, contents.keyCheck ?? null)
    const lists = [textOf(join(dataDir, 'erasures.list')), await store.getText(NEWEST_ERASURES)]
    failpoint('restore.checked')

    const uploads = prepareDraft(draft, dataDir, lists, { since: options.now(), address, takenAt: manifest?.takenAt })
    if (key.text !== undefined) replaceFile(options.keyFile, key.text)
    flushFile(draft)
    failpoint('restore.prepared')
    renameSync(draft, database)
    flush(dataDir)
    failpoint('restore.named')
    const { [PACKED_TABLE]: _files, ...tables } = contents.tables
    return {
      address,
      manifest,
      takenAt: manifest?.takenAt,
      schema: contents.steps.at(-1) ?? '',
      pendingSteps: compareSteps(contents.steps, options.migrations).pending.length,
      tables: Object.keys(tables).length,
      rows: rowsIn({ tables }),
      bytes: contents.bytes,
      keyFile: resolve(options.keyFile),
      keyFrom: key.from,
      uploads,
    }
  } catch (error) {
    for (const file of leftovers) rmSync(file, { force: true })
    if (isAborted(error, signal)) throw error
    throw fileFault(error, `${address} cannot be restored to ${resolve(dataDir)}`)
  }
}

/** Holds the database, ends its sign-ins and unpacks its files. Returns how many subscriber files wait to be applied. */
function prepareDraft(
  draft: string,
  dataDir: string,
  lists: readonly (string | undefined)[],
  held: Parameters<typeof hold>[1],
): number {
  const db = openFile(draft)
  try {
    hold(db, held)
    endSignIns(db)
    return unpackFiles(
      db,
      dataDir,
      lists.filter((list) => list !== undefined),
    )
  } finally {
    db.close()
  }
}

function refuseData(dataDir: string, database: string): void {
  const found = [database, `${database}-wal`].find((file) => existsSync(file))
  if (found === undefined) return
  throw new AppError(
    'conflict',
    `${resolve(dataDir)} already has a database (${resolve(found)}): restore into an empty directory (--data-dir), or move this one away first`,
  )
}

async function newestOf({ store }: Place): Promise<string> {
  const [newest] = await listBackups(store)
  if (newest) return newest.name
  throw new AppError('not_found', `there is no complete backup in ${store.addressOf('')}: name the file`)
}

/** The key that opens this backup: the one that was named, the one in its place, or the one beside the backup. */
async function keyOf(
  { place: { store }, keyFile, givenKey }: RestoreOptions,
  name: string,
  keyCheck: string | null,
): Promise<{ text?: string; from?: string }> {
  const isRight = (text: string, from: string) => {
    const key = readMasterKey(text, from)
    return keyCheck === null || createVault(key).keyCheck() === keyCheck
  }
  const inPlace = textOf(keyFile)
  if (givenKey !== undefined) {
    const { file, text } = givenKey
    if (!isRight(text, file)) throw wrongKey(file)
    if (inPlace === undefined) return { text, from: file }
    if (inPlace.trim() === text.trim()) return {}
    throw new AppError(
      'conflict',
      `${resolve(keyFile)} is another key: move it away, or use it for another data directory`,
    )
  }
  if (inPlace !== undefined) {
    if (isRight(inPlace, keyFile)) return {}
    throw wrongKey(resolve(keyFile))
  }
  const beside = await store.getText(keyName(name))
  if (beside === undefined) {
    throw new AppError(
      'config',
      `the master key is missing, and without it the stored credentials cannot be read: name the file with --key-file, or copy it to ${resolve(keyFile)}`,
    )
  }
  const from = store.addressOf(keyName(name))
  if (!isRight(beside, from)) throw wrongKey(from)
  return { text: beside, from }
}

function wrongKey(file: string): AppError {
  return new AppError(
    'config',
    `the master key in ${file} is not the one of this backup: name the right file with --key-file`,
  )
}

/**
 * Holds the database: nothing is sent before an operator says so. The mark belongs to no file, so that the next start
 * finds out by itself, too, that the database was restored (platform/instance/custody.ts), and lets the event log jump.
 */
function hold(
  db: Database,
  { since, address, takenAt }: { since: number; address: string; takenAt: string | undefined },
) {
  const reason = `it was restored from ${address}${takenAt === undefined ? '' : `, a backup of ${takenAt.slice(0, 16)}Z`}`
  db.prepare('UPDATE instance SET held_at = ?, held_reason = ?, mark = ?, previous_mark = NULL WHERE id = 1').run(
    since,
    reason,
    randomBytes(16).toString('base64url'),
  )
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
 * Ends sign-ins: a person who signed out after the backup must not be signed in again. Personal tokens stay: nothing
 * could be done without them.
 */
function endSignIns(db: Database): void {
  const isThere = db.prepare(`SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'admin_sessions'`)
  // A backup of an older version has no such tables.
  if ((isThere.get() as { n: number }).n === 0) return
  db.exec('DELETE FROM admin_sessions; DELETE FROM admin_links')
}
