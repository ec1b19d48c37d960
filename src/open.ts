import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type App, createApp } from './app.ts'
import { logRepository } from './domain/followers/log.repository.ts'
import { createChanges } from './platform/changes.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { createVault, loadMasterKey } from './platform/crypto.ts'
import { makePrivateFile, prepareDataDirectory } from './platform/data-directory.ts'
import { connect } from './platform/db/connect.ts'
import { loadSqlite } from './platform/db/sqlite-client.ts'
import { AppError } from './platform/errors.ts'
import type { Faults } from './platform/faults.ts'
import { type Custody, createCustody } from './platform/instance/custody.ts'
import { instanceRepository } from './platform/instance/repository.ts'
import { type Log, silentLog } from './platform/log.ts'
import type { Sharing } from './platform/sharing.ts'

/** What a process or a worker thread needs to open the program on its configured database. */
export interface OpenOptions {
  config: Config
  /** Default: no log. */
  log?: Log | undefined
  /** Shared by all threads of a process (platform/db/write-turn.ts); absent when there is only one thread. */
  turnCell?: SharedArrayBuffer | undefined
  /** True in a thread whose writes nobody waits for (platform/db/write-turn.ts). */
  background?: boolean | undefined
  /** Shared by all threads of one process (platform/db/soundness.ts). */
  soundnessCell?: SharedArrayBuffer | undefined
  /** Shared by all threads of one process (platform/changes.ts). */
  changesCell?: SharedArrayBuffer | undefined
  /** What HTTP threads share; absent when there is only one. */
  sharing?: Sharing | undefined
  /** Known faults, in a thread that is told by another one what is wrong. */
  faults?: Faults | undefined
  clock?: Clock | undefined
  /** Number of connections: for reading on SQLite, in total on PostgreSQL. A worker thread needs few. */
  pool?: number | undefined
  /** How long a statement may take on PostgreSQL (ms); default 30 s. */
  statementMs?: number | undefined
  /** Called when there may be work for the sending threads. */
  wake?: (() => void) | undefined
}

/** The SQLite file of a data directory. */
export function databaseFile(config: Config): string {
  return join(config.dataDir, 'appsvc.sqlite')
}

/** The file of the master key, which encrypts stored secrets. */
export function masterKeyFile(config: Config): string {
  return config.masterKeyFile || join(config.dataDir, 'master.key')
}

/** The file that tells whether the database is the one this directory used last (platform/instance/custody.ts). */
function markFile(config: Config): string {
  return join(config.dataDir, 'appsvc.mark')
}

/**
 * Creates the data directory if needed and checks that SQLite can be loaded. Returns whether it created the directory. Throws
 * as `openApp` does; a directory that it created is then removed.
 */
export function prepareStorage(config: Config): boolean {
  const isSqlite = config['database.url'].reveal() === ''
  return prepareDataDirectory(config.dataDir, isSqlite ? () => loadSqlite(config.dataDir) : undefined)
}

/** Whether the database exists. A PostgreSQL database is assumed to exist. */
export function hasDatabase(config: Config): boolean {
  return config['database.url'].reveal() !== '' || existsSync(databaseFile(config))
}

/** Throws `not_found` when there is no SQLite database yet: a command that only reads must not create one. */
export function requireDatabase(config: Config): void {
  if (hasDatabase(config)) return
  throw new AppError(
    'not_found',
    `there is no database in ${resolve(config.dataDir)}: create one with appsvc serve or appsvc apps create, or name another directory with --data-dir`,
  )
}

/**
 * Opens the program with these settings: data directory, master key, database, areas. Creates what is missing (directory with
 * mode 0700, files with 0600); does not migrate. Throws `config` when the directory or the key cannot be used, `forbidden` when
 * the directory belongs to another user.
 */
export function openApp(options: OpenOptions): App {
  const { config, log = silentLog, turnCell, soundnessCell, background } = options
  const { clock = systemClock, pool, statementMs, wake } = options
  prepareStorage(config)
  const url = config['database.url'].reveal() || undefined
  const file = databaseFile(config)
  const keyFile = masterKeyFile(config)
  // A new key would make every stored key and credential useless, and the error would appear much later.
  if (!url && existsSync(file) && !existsSync(keyFile)) {
    throw new AppError(
      'config',
      `${resolve(file)} exists but its master key ${resolve(keyFile)} is missing: put the key file back`,
    )
  }
  const vault = createVault(loadMasterKey(keyFile, () => madeHere.add(resolve(keyFile))))
  if (!url) makePrivateFile(file)
  const db = connect({ url, file, turnCell, soundnessCell, background, log, statementMs, ...(pool && { pool }) })
  const { changesCell, sharing, faults } = options
  return createApp({
    config,
    clock,
    log,
    vault,
    db,
    changes: createChanges(changesCell),
    ...(sharing && { sharing }),
    ...(faults && { faults }),
    ...(wake && { wake }),
  })
}

/** Master key files that this process created. */
const madeHere = new Set<string>()

/**
 * Call it before `openApp`. A second machine that shares a PostgreSQL database must not create a master key of its own: throws
 * `config` when the key file is missing and the database already belongs to a key.
 */
export async function refuseToMakeKey(config: Config, log: Log = silentLog): Promise<void> {
  const url = config['database.url'].reveal() || undefined
  const keyFile = masterKeyFile(config)
  if (!url || existsSync(keyFile)) return
  const db = connect({ url, file: '', log, pool: 1 })
  try {
    const instance = await instanceRepository(db.read).readIfThere()
    if (instance === undefined || instance.keyCheck === null) return
  } finally {
    await db.close()
  }
  throw new AppError(
    'config',
    `the master key file ${resolve(keyFile)} is missing and the database already belongs to a key: copy master.key there from the machine that created it`,
  )
}

/** How many sealed values are tried before a key is rejected. */
const SEALED_TRIED = 20

/**
 * Checks that the master key is the one this database belongs to. A database that belongs to no key yet adopts this one, unless
 * it holds sealed values that the key cannot open. Throws `config` for a wrong key. Does nothing when the schema is older than
 * this check.
 */
export async function settleMasterKey(app: App): Promise<void> {
  const { vault, config } = app.kernel
  const keyFile = resolve(masterKeyFile(config))
  const mine = vault.keyCheck()
  const known = await app.instance.readIfThere()
  if (known === undefined) return
  let check = known.keyCheck
  if (check === null && (await canOpenSealed(app))) {
    await app.inTransaction((tx) => tx.instance.adoptKeyCheck(mine))
    // Another machine may have been faster.
    check = (await app.instance.read()).keyCheck
  }
  if (check === mine) return
  // This process created the key file before it knew of the other key. Nothing is sealed with it.
  if (madeHere.delete(keyFile)) rmSync(keyFile, { force: true })
  throw new AppError(
    'config',
    `the master key in ${keyFile} is not the one that this database belongs to: put the right key file there, or name it with masterKeyFile`,
  )
}

/** Whether the key opens any of the sealed values; also true when there are none. */
async function canOpenSealed(app: App): Promise<boolean> {
  const { vault } = app.kernel
  const sealed = [
    ...(await app.gateways.sealed(SEALED_TRIED)),
    ...(await app.signedIds.sealed(SEALED_TRIED)),
    ...(await app.webhooks.sealed(SEALED_TRIED)),
    ...(await app.certificates.sealed(SEALED_TRIED)),
  ]
  if (sealed.length === 0) return true
  return sealed.some(({ value, context }) => {
    try {
      vault.open(value, context)
      return true
    } catch {
      return false
    }
  })
}

/** Detects whether the app's database was copied or restored. */
export function custodyOf(app: App): Custody {
  const { config, db, clock, log } = app.kernel
  return createCustody({
    db,
    file: databaseFile(config),
    markFile: markFile(config),
    clock,
    log,
    isUsed: async () => (await app.apps.list()).length > 0,
    restored: (trx) => logRepository(trx).jump(),
  })
}
