import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { restoringFile } from './domain/backups/manifest.ts'
import type { Snapshot } from './domain/backups/snapshot.ts'
import { logRepository } from './domain/followers/log/repository.ts'
import type { Config } from './platform/config/settings.ts'
import { nextKeyFile, replaceKeyFile } from './platform/crypto/key-file.ts'
import { createVault, loadMasterKey, readKeyFile } from './platform/crypto/vault.ts'
import { type ConnectOptions, connect, type Database, isOnThisMachine } from './platform/db/connect.ts'
import { hasTable } from './platform/db/dialect.ts'
import { refusePooler } from './platform/db/pooler.ts'
import { createReplica, type Replica } from './platform/db/replica.ts'
import { loadSqlite } from './platform/db/sqlite-client.ts'
import { AppError, messageOf } from './platform/errors.ts'
import { makePrivateFile, prepareDataDirectory } from './platform/files/data-directory.ts'
import { type Custody, createCustody } from './platform/instance/custody.ts'
import type { Faults } from './platform/instance/faults.ts'
import { instanceRepository } from './platform/instance/repository.ts'
import { type Log, silentLog } from './platform/log/log.ts'
import { createChanges } from './platform/threads/changes.ts'
import type { Sharing } from './platform/threads/sharing.ts'
import { type Clock, systemClock } from './platform/time/clock.ts'
import { believedClock } from './platform/timekeeping/believed-clock.ts'
import { isFilled, newClockCell } from './platform/timekeeping/cell.ts'
import { memoryFile } from './platform/timekeeping/memory-file.ts'
import { createTimekeeper, type Timekeeper, type TimekeeperParts } from './platform/timekeeping/timekeeper.ts'
import { createProgram, type Program } from './program.ts'

/** Options with which a process or a worker thread opens the program on its configured database. */
export interface OpenOptions {
  config: Config
  /** Default: no log. */
  log?: Log | undefined
  /** Shared by all threads of a process (platform/db/write-turn.ts); absent when there is only one thread. */
  turnCell?: SharedArrayBuffer | undefined
  /** True in a thread whose writes nobody waits for (platform/db/write-turn.ts). */
  background?: boolean | undefined
  /** The thread goes on while SQLite's log is flushed (platform/db/flush.ts). Default: unless it is in the background. */
  flushesAside?: boolean | undefined
  /** Shared by all threads of one process (platform/db/soundness.ts). */
  soundnessCell?: SharedArrayBuffer | undefined
  /** Shared by all threads of one process (platform/threads/changes.ts). */
  changesCell?: SharedArrayBuffer | undefined
  /** The state that HTTP threads share; absent when there is only one. */
  sharing?: Sharing | undefined
  /** Known faults, in a thread that is told by another one what is wrong. */
  faults?: Faults | undefined
  /** Shared by all threads of one process (platform/timekeeping/cell.ts): the first that gets it keeps the time for the others. */
  clockCell?: SharedArrayBuffer | undefined
  /** Clock of the program. By default it is that of the machine, while the machine is believed (platform/timekeeping). */
  clock?: Clock | undefined
  /** Number of connections: for reading on SQLite, in total on PostgreSQL. A worker thread needs few. */
  pool?: number | undefined
  /** The time limit (ms) of a statement on PostgreSQL; default 30 s. */
  statementMs?: number | undefined
  /** True in the thread for long reads (platform/db/database.ts). */
  longReads?: boolean | undefined
  /**
   * The check value of the key that this process began with. A thread passes it: it uses that key or none, and makes none when
   * the file is gone.
   */
  keyCheck?: string | undefined
  /** Called when there may be work for the sending threads. */
  wake?: (() => void) | undefined
}

/** The SQLite file of a data directory. */
export function databaseFile(config: Config): string {
  return join(config.dataDir, 'appsvc.sqlite')
}

/** The options of `connect` that say where the configured database is, and what leads to it. */
export function databaseOf(config: Config): Pick<ConnectOptions, 'url' | 'file' | 'pooler'> {
  return {
    url: config['database.url'].reveal() || undefined,
    file: databaseFile(config),
    pooler: config['database.pooler'] === 'transaction' ? 'transaction' : 'none',
  }
}

/**
 * The standby on which long reads of the program may run (`database.readUrl`), as a program of its own on the same key, and the rule for
 * it. Undefined without one.
 */
export function openReplica(
  { kernel }: Program,
  limits: { pool: number; statementMs: number },
): { program: Program; replica: Replica } | undefined {
  const { config, clock, log, vault, db, changes } = kernel
  const url = config['database.readUrl'].reveal()
  if (db.kind === 'sqlite' || url === '') return undefined
  const standby = connect({ ...databaseOf(config), url, log, ...limits, longReads: true })
  const program = createProgram({ config, clock, log, vault, db: standby, changes })
  return { program, replica: createReplica({ primary: db.read, standby: standby.read }, { clock, log }) }
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
 * Creates the data directory if needed and checks that SQLite can be loaded. Returns the topmost directory that it created. Throws
 * as `openProgram` does; a directory that it created is then removed.
 */
export function prepareStorage(config: Config): string | undefined {
  const isSqlite = config['database.url'].reveal() === ''
  return prepareDataDirectory(config.dataDir, isSqlite ? () => loadSqlite(config.dataDir) : undefined)
}

/** The file that tells that this directory was used with a PostgreSQL database. It has no marks: those of PostgreSQL are identities. */
function postgresMarkFile(config: Config): string {
  return join(config.dataDir, 'appsvc.postgres')
}

const isPostgres = (config: Config) => config['database.url'].reveal() !== ''

/** The files that tell that this directory had a database of the configured kind. */
export function usedMark(config: Config): string {
  return isPostgres(config) ? postgresMarkFile(config) : markFile(config)
}

/** Tells whether the SQLite file is missing or empty, although this directory had a database. */
function lostFile(config: Config): boolean {
  if (isPostgres(config) || !existsSync(markFile(config)) || existsSync(restoringFile(databaseFile(config))))
    return false
  const size = statSync(databaseFile(config), { throwIfNoEntry: false })?.size ?? 0
  return size === 0
}

/**
 * The error for a database that has vanished or was emptied. A start would make an empty one, call itself ready, and refuse every
 * key and every device.
 */
function lostDatabase(config: Config): AppError {
  const { dataDir } = config
  const what = isPostgres(config)
    ? `the PostgreSQL database is empty, and ${resolve(dataDir)} was used with one that was not: correct database.url, or restore your dump with pg_restore`
    : `the database ${resolve(databaseFile(config))} is gone or empty, and ${resolve(markFile(config))} tells that there was one: put the file back (appsvc backup makes copies), or run appsvc restore FROM`
  return new AppError(
    'config',
    `${what}; to begin with an empty database and the same master key, run appsvc init --again`,
  )
}

/**
 * The reason why a start must not make a new database here: the one that this directory used has vanished or was emptied.
 * Undefined when all is well. `db` is the open database; without it there is none.
 */
export async function lossOf(config: Config, db?: Database): Promise<AppError | undefined> {
  if (!existsSync(usedMark(config)) || (db && (await isUsed(db)))) return undefined
  return lostDatabase(config)
}

/** Tells whether a database was in use before, also with the schema of an older version. */
async function isUsed({ read }: Database): Promise<boolean> {
  const instance = await instanceRepository(read).readIfThere()
  if (instance !== undefined && (instance.mark !== null || instance.keyCheck !== null)) return true
  return (await hasTable(read, 'apps')) && (await read('apps').first('id')) !== undefined
}

/** `lossOf` for a database that is not open. Makes no file. */
export async function findLoss(config: Config): Promise<AppError | undefined> {
  if (!hasDatabase(config) || lostFile(config)) return lossOf(config)
  const db = connect({ ...databaseOf(config), log: silentLog, pool: 1 })
  try {
    return await lossOf(config, db)
  } finally {
    await db.close()
  }
}

/**
 * Throws `config` when the database that this directory used has vanished or was emptied (docs/operating.md, When the database is gone).
 * Call it before migrating, which would make the tables again.
 */
export async function refuseLostDatabase({ kernel: { config, db } }: Program): Promise<void> {
  const loss = await lossOf(config, db)
  if (loss) throw loss
}

/** Tells whether the database exists. A PostgreSQL database is assumed to exist. */
export function hasDatabase(config: Config): boolean {
  return config['database.url'].reveal() !== '' || existsSync(databaseFile(config))
}

/**
 * Throws `not_found` when there is no SQLite database yet: a command that only reads must not create one. Throws `config` when
 * there was one.
 */
export function requireDatabase(config: Config): void {
  if (lostFile(config)) throw lostDatabase(config)
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
export function openProgram(options: OpenOptions): Program {
  const { config, log = silentLog, turnCell, soundnessCell, background, flushesAside } = options
  const { pool, statementMs, longReads, wake } = options
  prepareStorage(config)
  const place = databaseOf(config)
  const { url, file } = place
  const keyFile = masterKeyFile(config)
  // A new key would make every stored key and credential useless, and the error would appear much later.
  if (!existsSync(keyFile) && (options.keyCheck !== undefined || (!url && existsSync(file)))) {
    const what = url ? 'the database' : resolve(file)
    throw new AppError(
      'config',
      `${what} exists but its master key ${resolve(keyFile)} is missing: put the key file back`,
    )
  }
  if (!url && !existsSync(file) && existsSync(restoringFile(file))) {
    throw new AppError(
      'config',
      `a restore into ${resolve(config.dataDir)} was interrupted: run appsvc restore again, or remove ${resolve(restoringFile(file))} to begin empty`,
    )
  }
  if (lostFile(config)) throw lostDatabase(config)
  const vault = createVault(loadMasterKey(keyFile, () => madeHere.add(resolve(keyFile))))
  if (options.keyCheck !== undefined && options.keyCheck !== vault.keyCheck()) throw wrongKey(keyFile)
  if (!url) makePrivateFile(file)
  const { clock, timekeeper } = options.clock ? { clock: options.clock, timekeeper: undefined } : openClock(options)
  const db = connect({
    ...place,
    ...(!options.clock && { now: () => clock.now() }),
    turnCell,
    soundnessCell,
    background,
    flushesAside,
    log,
    statementMs,
    longReads,
    ...(pool && { pool }),
  })
  const { changesCell, sharing, faults } = options
  return createProgram({
    config,
    clock,
    log,
    vault,
    db,
    changes: createChanges(changesCell),
    ...(sharing && { sharing }),
    ...(faults && { faults }),
    ...(timekeeper && { timekeeper }),
    ...(wake && { wake }),
  })
}

/** The believed clock of this thread. The first thread of a process keeps the time for all. */
export function openClock({
  config,
  clockCell,
  keeps = clockCell === undefined ? 'seldom' : 'minutely',
}: Pick<OpenOptions, 'config' | 'clockCell'> & Partial<Pick<TimekeeperParts, 'keeps'>>): {
  clock: Clock
  timekeeper: Timekeeper | undefined
} {
  const cell = clockCell ?? newClockCell()
  if (isFilled(cell)) return { clock: believedClock(systemClock, cell), timekeeper: undefined }
  const timekeeper = createTimekeeper({
    raw: systemClock,
    cell,
    file: memoryFile(config.dataDir),
    isNear: isOnThisMachine(config['database.url'].reveal()),
    keeps,
  })
  return { clock: believedClock(systemClock, cell), timekeeper }
}

/** Hears the time of PostgreSQL. Call it after `openProgram`, before anything is decided by the time. */
export async function hearDatabaseTime(program: Program): Promise<void> {
  const { db, timekeeper } = program.kernel
  if (db.kind === 'postgres') await timekeeper?.look(() => program.nodes.now())
}

/** Throws `config` when a pooler before PostgreSQL needs another `database.pooler`. Call it before anything else connects. */
export async function refuseUnknownPooler(config: Config): Promise<void> {
  const { url, pooler = 'none' } = databaseOf(config)
  if (url) await refusePooler(url, pooler)
}

/** Master key files that this process created. */
const madeHere = new Set<string>()

/**
 * Call it before `openProgram`. A second machine that shares a PostgreSQL database must not create a master key of its own: throws
 * `config` when the key file is missing and the database already belongs to a key.
 */
export async function refuseToMakeKey(config: Config, log: Log = silentLog): Promise<void> {
  const place = databaseOf(config)
  const keyFile = masterKeyFile(config)
  if (!place.url || existsSync(keyFile)) return
  const db = connect({ ...place, log, pool: 1 })
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

/**
 * Call it before `openProgram`. A rotation of the master key that was killed after it had stored its work left the new key beside the old
 * one (domain/rotation): the key that the database belongs to is put in its place.
 */
export async function finishRotation(config: Config, log: Log = silentLog): Promise<void> {
  const keyFile = masterKeyFile(config)
  const next = readKeyFile(nextKeyFile(keyFile))
  if (next === undefined || !hasDatabase(config)) return
  const db = connect({ ...databaseOf(config), log, pool: 1 })
  try {
    const instance = await instanceRepository(db.read).readIfThere()
    if (instance?.keyCheck === createVault(next).keyCheck()) replaceKeyFile(keyFile)
  } finally {
    await db.close()
  }
}

/** The number of sealed values that are tried before a key is rejected. */
const SEALED_TRIED = 20

function wrongKey(keyFile: string): AppError {
  return new AppError(
    'config',
    `the master key in ${resolve(keyFile)} is not the one that this database belongs to: put the right key file there, or name it with masterKeyFile`,
  )
}

/**
 * Throws `config` when the database belongs to another master key. Call it before migrating, which a stranger must not do either.
 */
export async function refuseWrongKey(program: Program): Promise<void> {
  const { vault, config } = program.kernel
  const check = (await program.instance.readIfThere())?.keyCheck ?? null
  if (check === null || check === vault.keyCheck()) return
  throw loseKey(config)
}

/** The error for a wrong key. A key file that this process created before it knew of the other key is deleted: nothing is sealed with it. */
function loseKey(config: Config): AppError {
  const keyFile = resolve(masterKeyFile(config))
  if (madeHere.delete(keyFile)) rmSync(keyFile, { force: true })
  return wrongKey(keyFile)
}

/** Throws `config` when a running node must end: the database has another master key, or a schema that this program cannot work on. */
export async function refuseToGoOn(program: Program): Promise<void> {
  await refuseWrongKey(program)
  await program.checkSchema()
}

/**
 * Checks that the master key is the one this database belongs to. A database that belongs to no key yet adopts this one, unless
 * it holds sealed values that the key cannot open. Throws `config` for a wrong key. Does nothing when the schema is older than
 * this check.
 */
export async function settleMasterKey(program: Program): Promise<void> {
  const { vault, config } = program.kernel
  const mine = vault.keyCheck()
  const known = await program.instance.readIfThere()
  if (known === undefined) return
  let check = known.keyCheck
  if (check === null && (await canOpenSealed(program))) {
    await program.inTransaction((tx) => tx.instance.adoptKeyCheck(mine))
    // Another machine may have been faster.
    check = (await program.instance.read()).keyCheck
  }
  if (check !== mine) throw loseKey(config)
  rememberPostgres(program)
  await loadPepper(program)
}

/** Notes that this directory has used a PostgreSQL database. A directory that cannot be written to (a container's) goes without. */
function rememberPostgres({ kernel: { config, log } }: Program): void {
  const file = postgresMarkFile(config)
  if (!isPostgres(config) || existsSync(file)) return
  try {
    writeFileSync(file, 'A PostgreSQL database belongs to this directory. appsvc init --again deletes this file.\n', {
      mode: 0o600,
    })
  } catch (error) {
    log.debug(
      { error: messageOf(error) },
      `${resolve(file)} cannot be written: an emptied database will not be noticed`,
    )
  }
}

/**
 * Loads the pepper, which digests are keyed with. Every thread calls it after `openProgram`, before it makes a digest;
 * `settleMasterKey` does, too. Does nothing when the schema is older than the pepper.
 */
export async function loadPepper({ kernel, instance }: Program): Promise<void> {
  const known = await instance.readIfThere()
  if (known?.pepper) kernel.vault.usePepper(known.pepper)
}

/** Tells whether the key opens any of the sealed values; also true when there are none. */
async function canOpenSealed(program: Program): Promise<boolean> {
  const { vault } = program.kernel
  const sealed = [
    ...(await program.gateways.sealed(SEALED_TRIED)),
    ...(await program.signedIds.sealed(SEALED_TRIED)),
    ...(await program.webhooks.sealed(SEALED_TRIED)),
    ...(await program.certificates.sealed(SEALED_TRIED)),
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

/** The result of a migration. */
export interface Migrated {
  /** Names of the applied steps. */
  applied: string[]
  /** The copy from before; undefined when none was wanted: on PostgreSQL, for a new database, and without `backup.beforeMigration`. */
  snapshot: Snapshot | undefined
}

/**
 * Migrates the schema. An SQLite database that exists is copied first (domain/backups/snapshot.ts). On SQLite the caller holds the directory
 * lock. Throws `config` when the schema is newer than this program, `unavailable` when the copy fails.
 */
export async function migrateSafely(program: Program): Promise<Migrated> {
  const { config, db, disk } = program.kernel
  const { applied, pending, unknown, passThrough } = await program.schema()
  const isWanted = db.kind === 'sqlite' && config['backup.beforeMigration'] && applied.length > 0
  if (!isWanted || pending.length === 0 || unknown.length > 0 || passThrough !== undefined)
    return { applied: await program.migrate(), snapshot: undefined }
  const { migrationEnded, snapshotBefore } = await import('./domain/backups/snapshot.ts')
  const { dataDir } = config
  const lowWater = disk.look()?.mark ?? 0
  const snapshot = await snapshotBefore({ dataDir, database: databaseFile(config), applied, pending, lowWater })
  const done = await program.migrate()
  migrationEnded(dataDir)
  return { applied: done, snapshot }
}

/** The sentence that tells an operator of a snapshot. */
export function snapshotSentence(snapshot: Snapshot): string {
  if (snapshot.kind === 'taken') return `the database before the migration was copied to ${snapshot.file}`
  if (snapshot.kind === 'kept') return `the migration goes on; the database before it is in ${snapshot.file}`
  return `the schema is migrated without a snapshot: ${snapshot.reason}`
}

/** Detects whether the app's database was copied or restored. */
export function custodyOf(program: Program): Custody {
  const { config, db, clock, log } = program.kernel
  return createCustody({
    db,
    file: databaseFile(config),
    markFile: markFile(config),
    clock,
    log,
    isUsed: async () => (await program.apps.list()).length > 0,
    restored: (trx) => logRepository(trx).jump(),
  })
}
