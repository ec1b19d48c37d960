import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Migrations } from '../../platform/db/migrate.ts'
import { replaceFile } from '../../platform/files/durable-file.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { fetchChecked } from './checked-copy.ts'
import { fileFault, isAborted } from './file-faults.ts'
import { type KeptBackup, listBackups } from './keep.ts'
import type { Manifest } from './manifest.ts'
import { textOf } from './packed-files.ts'
import type { BackupStore } from './stores/store.ts'

/** The result of verifying a backup; times in ms. */
export interface Verification {
  name: string
  at: number
  seconds: number
  /** The reason for which the backup cannot be restored; null when it can. */
  error: string | null
}

/** Results that are known, the newest first, and the backup that somebody wants to be verified. */
export interface Verifications {
  wanted?: { name: string; at: number }
  done: Verification[]
}

/** Results that are kept. */
const MOST_KEPT = 100

const fileOf = (dataDir: string) => join(dataDir, 'backup-checks.json')

/** Reads the results of a data directory; empty when there are none, or the file cannot be understood. */
export function readVerifications(dataDir: string): Verifications {
  let value: unknown
  try {
    value = JSON.parse(textOf(fileOf(dataDir)) ?? '')
  } catch {
    return { done: [] }
  }
  if (!isPlainObject(value)) return { done: [] }
  const { wanted, done } = value
  return {
    ...(isPlainObject(wanted) &&
      typeof wanted.name === 'string' &&
      typeof wanted.at === 'number' && { wanted: { name: wanted.name, at: wanted.at } }),
    done: Array.isArray(done) ? done.filter(isVerification) : [],
  }
}

function isVerification(value: unknown): value is Verification {
  if (!isPlainObject(value)) return false
  const { name, at, seconds, error } = value
  return (
    typeof name === 'string' &&
    Number.isFinite(at) &&
    Number.isFinite(seconds) &&
    (error === null || typeof error === 'string')
  )
}

/** Makes the server verify this backup next, instead of one that was wanted before and has not begun. */
export function askForVerification(dataDir: string, name: string, now: number): void {
  replaceFile(fileOf(dataDir), JSON.stringify({ ...readVerifications(dataDir), wanted: { name, at: now } }))
}

/** Stores a result in place of an earlier one of the same backup. */
export function storeVerification(dataDir: string, result: Verification): void {
  const { wanted, done } = readVerifications(dataDir)
  const others = done.filter(({ name }) => name !== result.name)
  const isStillWanted = wanted !== undefined && wanted.name !== result.name
  replaceFile(
    fileOf(dataDir),
    JSON.stringify({ ...(isStillWanted && { wanted }), done: [result, ...others].slice(0, MOST_KEPT) }),
  )
}

interface VerifyOptions {
  store: BackupStore
  name: string
  dataDir: string
  migrations: Migrations
  lowWater?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?: Parameters<typeof fetchChecked>[0]['onProgress']
}

/** A backup in a store, with what is known of it. */
export interface StoredBackup extends KeptBackup {
  address: string
  /** False when the master key does not open its secrets. */
  isOfThisKey: boolean
  verification: Verification | undefined
  /** True while the server is asked to verify it. */
  isWanted: boolean
}

/** The newest `limit` complete backups of a store, with what was found when they were verified. `keyCheck` is that of the master key. */
export async function storedBackups(
  { store, dataDir, keyCheck }: { store: BackupStore; dataDir: string; keyCheck: string },
  limit: number,
): Promise<StoredBackup[]> {
  const { wanted, done } = readVerifications(dataDir)
  return (await listBackups(store, limit)).map(({ name, manifest }) => ({
    name,
    manifest,
    address: store.addressOf(name),
    isOfThisKey: manifest.keyCheck === null || manifest.keyCheck === keyCheck,
    verification: done.find((one) => one.name === name),
    isWanted: wanted?.name === name,
  }))
}

const DRAFT = /^\.backup-(\d+)\.checking(?:-journal|-wal|-shm)?$/

/**
 * Verifies that a backup can be restored: copies it to the data directory, checks the copy as `restore` does, and removes it. Throws what
 * `fetchChecked` throws.
 */
export async function verifyBackup({ dataDir, ...options }: VerifyOptions): Promise<Manifest | undefined> {
  clearDrafts(dataDir)
  const draft = join(dataDir, `.backup-${process.pid}.checking`)
  try {
    return (await fetchChecked({ ...options, draft })).manifest
  } catch (error) {
    if (isAborted(error, options.signal)) throw error
    throw fileFault(error, `${options.store.addressOf(options.name)} cannot be verified`)
  } finally {
    for (const side of ['', '-journal', '-wal', '-shm']) rmSync(draft + side, { force: true })
  }
}

/** Removes copies of processes that were killed. */
function clearDrafts(dataDir: string): void {
  for (const entry of readdirSync(dataDir)) {
    const pid = Number(DRAFT.exec(entry)?.[1])
    if (pid > 0 && (pid === process.pid || !isRunning(pid))) rmSync(join(dataDir, entry), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
