import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type App, createApp } from './app.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { createVault, loadMasterKey } from './platform/crypto.ts'
import { makePrivateFile, prepareDataDirectory } from './platform/data-directory.ts'
import { connect } from './platform/db/connect.ts'
import { loadSqlite } from './platform/db/sqlite-client.ts'
import { AppError } from './platform/errors.ts'
import { type Log, silentLog } from './platform/log.ts'

/** What a process or a worker thread needs to open the program on its configured database. */
export interface OpenOptions {
  config: Config
  /** Default: says nothing. */
  log?: Log | undefined
  /** Shared by all threads of one process (platform/db/write-turn.ts); absent when there is one thread. */
  turnCell?: SharedArrayBuffer | undefined
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
export function openApp({ config, log = silentLog, turnCell, clock = systemClock, pool, wake }: OpenOptions): App {
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
  const vault = createVault(loadMasterKey(keyFile))
  if (!url) makePrivateFile(file)
  const db = connect({ url, file, turnCell, log, ...(pool && { pool }) })
  return createApp({ config, clock, log, vault, db, ...(wake && { wake }) })
}
