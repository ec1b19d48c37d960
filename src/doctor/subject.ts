import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import { databaseFile, databaseOf, hasDatabase, masterKeyFile, openClock } from '../open.ts'
import type { Config } from '../platform/config/settings.ts'
import { createVault, loadMasterKey, type Vault } from '../platform/crypto/vault.ts'
import { whyDatabaseIsSilent } from '../platform/db/answering.ts'
import { connect, type Database } from '../platform/db/connect.ts'
import { migrationStatus } from '../platform/db/migrate.ts'
import { DAMAGED, isDamage } from '../platform/db/soundness.ts'
import { loadSqlite } from '../platform/db/sqlite-client.ts'
import { isAppError, messageOf } from '../platform/errors.ts'
import { networkFileSystemOf } from '../platform/files/data-directory.ts'
import { instanceRepository } from '../platform/instance/repository.ts'
import { type Log, silentLog } from '../platform/log/log.ts'
import type { Clock } from '../platform/time/clock.ts'
import { createProgram, type Program } from '../program.ts'
import { error, type Finding, type KeyState, type Storage, type Subject } from './checks/types.ts'
import { isServed } from './state/served.ts'

/** A subject that a command has opened. */
export interface OpenedSubject extends Subject {
  close(): Promise<void>
}

/**
 * Opens the database and its key, beside a server or without one, and creates and changes nothing. A failure is part of the
 * subject: no database yet, a damaged one, one that does not answer, a wrong master key. Throws nothing of the kind.
 */
export async function openSubject({
  config,
  log = silentLog,
  clock = openClock({ config, keeps: 'never' }).clock,
}: {
  config: Config
  log?: Log
  clock?: Clock
}): Promise<OpenedSubject> {
  const base = { config, clock, inside: 'command' as const }
  const storage = await openStorage(config, log, clock)
  if (storage.state !== 'open') return { ...base, storage, served: undefined, close: async () => {} }
  const { db, program } = storage
  return {
    ...base,
    storage,
    served: await isRunning(config, db),
    close: () => (program ? program.close() : db.close()),
  }
}

/** The program that examines itself, in the process that serves. */
export async function subjectOf(program: Program): Promise<Subject> {
  const { config, clock, db } = program.kernel
  const silence = await whyDatabaseIsSilent(db, clock)
  const storage: Storage =
    silence === undefined
      ? { state: 'open', db, schema: await migrationStatus(db, migrations), key: 'right', program }
      : { state: 'unusable', finding: error(silence, remedyOf(config)) }
  return { config, clock, storage, inside: 'server', served: true }
}

/** Tells whether a server runs, as far as that can be seen. A directory without the lock file has never been served. */
async function isRunning(config: Config, db: Database): Promise<boolean | undefined> {
  if (db.kind === 'sqlite' && !existsSync(join(config.dataDir, 'server.lock'))) return false
  return isServed({ kernel: { db, config } })
}

async function openStorage(config: Config, log: Log, clock: Clock): Promise<Storage> {
  if (!hasDatabase(config)) return { state: 'absent' }
  const url = config['database.url'].reveal() || undefined
  const refusal = url === undefined ? whyNotOpened(config) : undefined
  if (refusal) return { state: 'unusable', finding: refusal }
  const db = connect({ ...databaseOf(config), log, pool: 3 })
  try {
    const silence = await whyDatabaseIsSilent(db, clock)
    if (silence !== undefined) {
      await closeSoon(db, clock)
      return { state: 'unusable', finding: silent(config, db, silence) }
    }
    const schema = await migrationStatus(db, migrations)
    const { key, vault } = await judgeKey(config, db)
    const isCurrent = schema.pending.length === 0 && schema.unknown.length === 0
    // Without the right key everything but the secrets can be read.
    const parts = { config, clock, log, vault: vault ?? createVault(randomBytes(32)), db }
    return { state: 'open', db, schema, key, program: isCurrent ? createProgram(parts) : undefined }
  } catch (failure) {
    await closeSoon(db, clock)
    return { state: 'unusable', finding: silent(config, db, `the database cannot be read: ${messageOf(failure)}`) }
  }
}

/** Closes a database. Connections that hang must not keep the command. */
async function closeSoon(db: Database, clock: Clock): Promise<void> {
  const closed = new AbortController()
  await Promise.race([db.close().catch(() => {}), clock.sleep(1000, closed.signal)])
  closed.abort()
}

/** The reason why an SQLite file must not be opened by us: opening it leaves files of ours beside it. */
function whyNotOpened(config: Config): Finding | undefined {
  const { dataDir } = config
  const owner = statSync(dataDir).uid
  const me = process.getuid?.()
  if (me !== undefined && owner !== me) {
    return error(
      `the data directory ${resolve(dataDir)} belongs to the user with id ${owner}, and you are ${me}`,
      `sudo -u '#${owner}' appsvc doctor`,
    )
  }
  const remote = networkFileSystemOf(dataDir)
  if (remote !== undefined) {
    return error(
      `the database is on a network file system (${remote}), where file locks are not reliable`,
      'move the data directory to a local disk (dataDir), or use PostgreSQL (database.url)',
    )
  }
  try {
    loadSqlite(dataDir)
    return undefined
  } catch (failure) {
    return error(`SQLite cannot be loaded: ${messageOf(failure)}`, 'install appsvc again for this system')
  }
}

function silent(config: Config, db: Database, sentence: string): Finding {
  if (db.soundness.damaged || isDamage(sentence) || /not a database|malformed/.test(sentence)) {
    return error(DAMAGED, 'stop appsvc, put a backup in place of the data directory, start it, and run appsvc release')
  }
  return error(sentence, remedyOf(config))
}

function remedyOf(config: Config): string {
  return config['database.url'].reveal() === ''
    ? `see that ${resolve(databaseFile(config))} can be read and written by its owner and that the disk works`
    : 'start PostgreSQL, and see that database.url names its host, port, user, password and database'
}

/** Compares the master key file with the database. Creates no key. */
async function judgeKey(config: Config, db: Database): Promise<{ key: KeyState; vault?: Vault }> {
  const file = masterKeyFile(config)
  if (!existsSync(file)) return { key: 'missing' }
  let vault: Vault
  try {
    vault = createVault(loadMasterKey(file))
  } catch (failure) {
    if (isAppError(failure)) return { key: 'unreadable' }
    throw failure
  }
  const known = (await instanceRepository(db.read).readIfThere())?.keyCheck ?? null
  if (known === null) return { key: 'unbound', vault }
  return known === vault.keyCheck() ? { key: 'right', vault } : { key: 'wrong' }
}
