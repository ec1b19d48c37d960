import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type App, createApp } from './app.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { createVault, loadMasterKey } from './platform/crypto.ts'
import { makePrivateFile, prepareDataDirectory } from './platform/data-directory.ts'
import { connect } from './platform/db/connect.ts'
import { loadSqlite } from './platform/db/sqlite-client.ts'
import { AppError } from './platform/errors.ts'
import { type Custody, createCustody } from './platform/instance/custody.ts'
import { instanceRepository } from './platform/instance/repository.ts'
import { type Log, silentLog } from './platform/log.ts'

/** What a process or a worker thread needs to open the program on its configured database. */
export interface OpenOptions {
  config: Config
  /** Default: says nothing. */
  log?: Log | undefined
  /** Shared by all threads of one process (platform/db/write-turn.ts); absent when there is one thread. */
  turnCell?: SharedArrayBuffer | undefined
  /** Shared by all threads of one process (platform/db/soundness.ts). */
  soundnessCell?: SharedArrayBuffer | undefined
  clock?: Clock | undefined
  /** Connections for reading (SQLite) or in all (PostgreSQL); a worker thread needs few. */
  pool?: number | undefined
  /** Called when there may be work for the sending threads. */
  wake?: (() => void) | undefined
}

/** The SQLite file of a data directory. */
export function databaseFile(config: Config): string {
  return join(config.dataDir, 'appsvc.sqlite')
}

/** Where the key that seals secrets is. */
export function masterKeyFile(config: Config): string {
  return config.masterKeyFile || join(config.dataDir, 'master.key')
}

/** What tells that the database is the one that was used here last. */
function markFile(config: Config): string {
  return join(config.dataDir, 'appsvc.mark')
}

/**
 * Makes the data directory of these settings, and makes sure that its database can be opened at all. Returns whether it was made.
 * Throws as `openApp` does; then a directory that it made is gone again.
 */
export function prepareStorage(config: Config): boolean {
  const isSqlite = config['database.url'].reveal() === ''
  return prepareDataDirectory(config.dataDir, isSqlite ? () => loadSqlite(config.dataDir) : undefined)
}

/** Whether there is a database; one on another machine is taken to be there. */
export function hasDatabase(config: Config): boolean {
  return config['database.url'].reveal() !== '' || existsSync(databaseFile(config))
}

/** Throws `not_found` where there is no SQLite database yet: a command that only looks must not make one. */
export function requireDatabase(config: Config): void {
  if (hasDatabase(config)) return
  throw new AppError(
    'not_found',
    `there is no database in ${resolve(config.dataDir)}: appsvc serve and appsvc apps create make one, --data-dir says where another is`,
  )
}

/**
 * From settings to the program: data directory, master key, database, areas. Makes what is missing (directory 0700, files
 * 0600); does not migrate. Throws `config` when the directory or the key cannot be used, `forbidden` when it belongs to
 * another user.
 */
export function openApp(options: OpenOptions): App {
  const { config, log = silentLog, turnCell, soundnessCell, clock = systemClock, pool, wake } = options
  prepareStorage(config)
  const url = config['database.url'].reveal() || undefined
  const file = databaseFile(config)
  const keyFile = masterKeyFile(config)
  // A fresh key here would make every key and credential in the database useless, and say so much later.
  if (!url && existsSync(file) && !existsSync(keyFile)) {
    throw new AppError(
      'config',
      `${resolve(file)} exists but its master key ${resolve(keyFile)} is missing: put the key file back`,
    )
  }
  const vault = createVault(loadMasterKey(keyFile, () => madeHere.add(resolve(keyFile))))
  if (!url) makePrivateFile(file)
  const db = connect({ url, file, turnCell, soundnessCell, log, ...(pool && { pool }) })
  return createApp({ config, clock, log, vault, db, ...(wake && { wake }) })
}

/** Master key files that this process made. */
const madeHere = new Set<string>()

/**
 * Before `openApp` where the database is elsewhere: a second machine without a key file must not make a key of its own. Throws
 * `config` when the database belongs to a key already.
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
    `the master key file ${resolve(keyFile)} is missing and the database belongs to one already: copy master.key there from the machine that made it`,
  )
}

/** How many sealed values are tried before a key is believed. */
const MOST_TRIED = 20

/**
 * On a migrated database: makes sure that the master key is the one that the database belongs to. The first one that comes
 * becomes it, unless something that is sealed already says otherwise. Throws `config` for another key. Does nothing while the schema
 * is older than this.
 */
export async function settleMasterKey(app: App): Promise<void> {
  const { vault, config } = app.kernel
  const keyFile = resolve(masterKeyFile(config))
  const mine = vault.keyCheck()
  const known = await app.instance.readIfThere()
  if (known === undefined) return
  let check = known.keyCheck
  if (check === null && (await opensSomething(app))) {
    await app.inTransaction((tx) => tx.instance.adoptKeyCheck(mine))
    // Another machine may have been first.
    check = (await app.instance.read()).keyCheck
  }
  if (check === mine) return
  // Made a moment ago, when it was not known that there is another one; it seals nothing.
  if (madeHere.delete(keyFile)) rmSync(keyFile, { force: true })
  throw new AppError(
    'config',
    `the master key in ${keyFile} is not the one that this database belongs to: put the right key file there, or name it with masterKeyFile`,
  )
}

/** False when there are sealed values and the key opens none of them. */
async function opensSomething(app: App): Promise<boolean> {
  const { vault } = app.kernel
  const sealed = [...(await app.gateways.sealed(MOST_TRIED)), ...(await app.signedIds.sealed(MOST_TRIED))]
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

/** Who looks after the app's database: whether it was copied or restored. */
export function custodyOf(app: App): Custody {
  const { config, db, clock, log } = app.kernel
  return createCustody({
    db,
    file: databaseFile(config),
    markFile: markFile(config),
    clock,
    log,
    isUsed: async () => (await app.apps.list()).length > 0,
  })
}
