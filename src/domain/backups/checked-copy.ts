import { statfsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type DatabaseContents, inspectFile } from '../../platform/db/database-file.ts'
import { compareSteps, type Migrations } from '../../platform/db/migrate.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { digestOf } from './make.ts'
import { type Manifest, manifestName, readManifest } from './manifest.ts'
import type { BackupStore } from './stores/store.ts'

const SPARE_BYTES = 16 * 1024 * 1024

export type CheckedStep = 'fetching' | 'checking'

interface CheckedCopyOptions {
  store: BackupStore
  name: string
  /** The file that the copy becomes. The caller removes it. */
  draft: string
  migrations: Migrations
  /** Bytes that must stay free beside the copy. */
  lowWater?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((step: CheckedStep, done: number, total: number) => void) | undefined
  onFetched?(): void
}

/**
 * Copies a backup from its store and checks the copy: its size and SHA-256, every page and index, the rows of every table, and that this
 * program can migrate it. Blocks its thread for seconds per gigabyte. Throws `not_found`, `bad_request` when the backup is damaged or cut,
 * `config` for a schema that this program does not know, `unavailable` when there is no room.
 */
export async function fetchChecked(
  options: CheckedCopyOptions,
): Promise<{ manifest: Manifest | undefined; contents: DatabaseContents }> {
  const { store, name, draft, lowWater = 0, signal, onProgress } = options
  const address = store.addressOf(name)
  if (!(await store.has(name))) throw new AppError('not_found', `there is no backup ${address}`)
  const manifest = await manifestOf(store, name)
  if (manifest) requireRoom(dirname(draft), manifest.bytes + lowWater)
  await store.fetch(name, draft, { signal, onProgress: (done, total) => onProgress?.('fetching', done, total) })
  options.onFetched?.()
  signal?.throwIfAborted()
  onProgress?.('checking', 0, manifest?.bytes ?? 0)
  if (manifest) await compareDigest(draft, manifest, address, signal)
  return { manifest, contents: checkContents(draft, address, manifest, options.migrations) }
}

async function manifestOf(store: BackupStore, name: string): Promise<Manifest | undefined> {
  const text = await store.getText(manifestName(name))
  if (text === undefined) return undefined
  const manifest = readManifest(text)
  if (manifest) return manifest
  const address = store.addressOf(manifestName(name))
  throw new AppError(
    'bad_request',
    `the manifest ${address} is damaged or of a newer version: remove it to restore without it`,
  )
}

function requireRoom(dir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize >= bytes + SPARE_BYTES) return
  throw new AppError(
    'unavailable',
    `the database needs ${sizeOf(bytes + SPARE_BYTES, Math.ceil)} in ${resolve(dir)}, and ${sizeOf(bavail * bsize, Math.ceil)} are free: free some space, or choose another directory`,
  )
}

async function compareDigest(
  draft: string,
  { bytes, sha256 }: Manifest,
  address: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { size } = await stat(draft)
  if (size !== bytes) {
    throw new AppError(
      'bad_request',
      `${address} has ${size} bytes and its manifest says ${bytes}: it was cut or replaced; take another backup`,
    )
  }
  if ((await digestOf(draft, signal)) === sha256) return
  throw new AppError(
    'bad_request',
    `${address} is not what was backed up (its SHA-256 differs from the manifest): it is damaged; take another backup`,
  )
}

function checkContents(
  draft: string,
  address: string,
  manifest: Manifest | undefined,
  migrations: Migrations,
): DatabaseContents {
  let contents: DatabaseContents
  try {
    contents = inspectFile(draft)
  } catch (error) {
    throw new AppError(
      'bad_request',
      `${address} is damaged (${messageOf(error).replace(draft, 'it')}): take another backup`,
    )
  }
  if (contents.steps.length === 0) throw new AppError('bad_request', `${address} is not a database of appsvc`)
  const { unknown, passThrough } = compareSteps(contents.steps, migrations)
  if (passThrough !== undefined) {
    throw new AppError(
      'config',
      `${address} is older than this appsvc can migrate: restore it with the program of commit ${passThrough}, and run its appsvc migrate up`,
    )
  }
  if (unknown.length > 0) {
    const maker = manifest ? `appsvc ${manifest.program}` : 'the version that made it'
    throw new AppError(
      'config',
      `${address} was made by a newer appsvc (it has ${unknown.join(', ')}): restore it with ${maker} or newer`,
    )
  }
  if (contents.keyCheck === undefined) {
    throw new AppError(
      'config',
      `${address} is older than backups and cannot be held: put it in its place yourself, and start it with serve --no-workers`,
    )
  }
  const counted = Object.entries(manifest?.tables ?? {})
  const wrong = counted.find(([table, rows]) => contents.tables[table] !== rows)
  if (wrong) {
    throw new AppError(
      'bad_request',
      `${address} has ${contents.tables[wrong[0]] ?? 0} rows in ${wrong[0]} and its manifest says ${wrong[1]}: take another backup`,
    )
  }
  return contents
}
