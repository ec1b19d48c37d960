import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { restoringFile } from '../../domain/backups/manifest.ts'
import { databaseFile, lossOf, masterKeyFile } from '../../open.ts'
import type { Config } from '../../platform/config/settings.ts'
import { nextKeyFile } from '../../platform/crypto/key-file.ts'
import { createVault, readKeyFile } from '../../platform/crypto/vault.ts'
import {
  checkTables,
  longTransactions,
  type PostgresState,
  postgresState,
  sqliteState,
} from '../../platform/db/inspect.ts'
import { UNFINISHED_COPY } from '../../platform/db/migrate.ts'
import { DAMAGED, DAMAGED_SENTENCE } from '../../platform/db/soundness.ts'
import { type AppError, isAppError } from '../../platform/errors.ts'
import { instanceRepository } from '../../platform/instance/repository.ts'
import { lockHoldersOf } from '../../platform/process/proc.ts'
import { sizeOf } from '../../platform/text/size.ts'
import {
  type Check,
  error,
  type Finding,
  info,
  type KeyState,
  ok,
  type Storage,
  type Subject,
  type WithDatabase,
  warning,
} from './types.ts'

const MEBIBYTE = 2 ** 20

/** Checks whether the database is there, answers, and has the settings that keep what is committed. */
export const databaseCheck: Check = {
  name: 'database',
  group: 'database',
  needs: 'settings',
  async run({ config, storage }) {
    const loss = await lossIn(config, storage)
    if (loss)
      return [error(loss.message, 'appsvc restore FROM, or appsvc init --again to begin with an empty database')]
    if (storage.state === 'absent') {
      const draft = resolve(restoringFile(databaseFile(config)))
      if (existsSync(draft)) {
        return [
          error(
            `a restore into ${resolve(config.dataDir)} was interrupted, so the server does not start`,
            `appsvc restore again, or remove ${draft} to begin empty`,
          ),
        ]
      }
      return [info(`there is no database in ${resolve(config.dataDir)} yet: appsvc serve makes it`)]
    }
    if (storage.state === 'unusable') return [storage.finding]
    const { db } = storage
    if (db.kind === 'postgres') return judgePostgres(await postgresState(db))
    const { version, bytes, freeBytes } = await sqliteState(db)
    // Older libraries and other settings are refused when a connection is opened.
    const findings = [ok(`SQLite ${version} answers, with write-ahead log and full flushes; ${sizeOf(bytes)}`)]
    if (freeBytes > 256 * MEBIBYTE && freeBytes > bytes / 2) {
      findings.push(info(`${sizeOf(freeBytes)} of its file are empty and will be used again before it grows`))
    }
    return findings
  },
}

/** The reason why a start would refuse to make a new database; undefined when it would not. */
async function lossIn(config: Config, storage: Storage): Promise<AppError | undefined> {
  if (storage.state === 'unusable') return undefined
  if (storage.state === 'absent') return existsSync(restoringFile(databaseFile(config))) ? undefined : lossOf(config)
  return lossOf(config, storage.db)
}

const OLDEST_POSTGRES = 140_000
/** Connections that other nodes and the command line may still need. */
const FEW_LEFT = 10

/** Judges what PostgreSQL says about itself. */
export function judgePostgres(state: PostgresState): Finding[] {
  const { settings, connections, invalidIndexes } = state
  const findings: Finding[] = []
  const left = connections.most - connections.used
  if (state.versionNumber < OLDEST_POSTGRES) {
    findings.push(error(`PostgreSQL ${state.version} is too old`, 'upgrade PostgreSQL to 14 or newer'))
  }
  if (state.isStandby) {
    findings.push(
      error('this PostgreSQL is a standby, where nothing can be written', 'database.url: that of the primary'),
    )
  }
  for (const name of ['fsync', 'full_page_writes'] as const) {
    if (settings[name] === 'on') continue
    const remedy = `ALTER SYSTEM SET ${name} = on; SELECT pg_reload_conf()`
    findings.push(error(`${name} is off: a power cut destroys the database`, remedy))
  }
  if (settings.autovacuum !== 'on') {
    findings.push(
      warning(
        'autovacuum is off: the tables grow, and queries become slow',
        'ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf()',
      ),
    )
  }
  if (settings.server_encoding !== 'UTF8') {
    findings.push(
      error(
        `the database has the encoding ${settings.server_encoding}, which cannot store every text`,
        "CREATE DATABASE appsvc ENCODING 'UTF8' TEMPLATE template0, and copy the data there",
      ),
    )
  }
  if (left < FEW_LEFT) {
    findings.push(
      warning(
        `only ${Math.max(0, left)} of ${connections.most} connections to PostgreSQL are left`,
        'ALTER SYSTEM SET max_connections = 200, restart PostgreSQL, or put PgBouncer in session mode before it',
      ),
    )
  }
  for (const index of invalidIndexes) {
    findings.push(warning(`the index ${index} is invalid: no query uses it`, `REINDEX INDEX CONCURRENTLY "${index}"`))
  }
  if (findings.length > 0) return findings
  const used = `${connections.used} of ${connections.most} connections`
  return [ok(`PostgreSQL ${state.version} answers and keeps what is committed; ${sizeOf(state.bytes)}, ${used}`)]
}

/** The time (ms) for which tables are checked; the check under way is finished. */
const INTEGRITY_MS = 20_000
const SEE_TO_DISK = 'look for errors of the disk in the log of the system, then restart appsvc'
const RESTORE = 'stop appsvc, put a backup in place of the data directory, start it, and run appsvc release'

/** Checks whether the pages of the SQLite file are whole. PostgreSQL checks its own. */
export const integrityCheck: Check = {
  name: 'integrity',
  group: 'database',
  needs: 'database',
  deadlineMs: 90_000,
  async run({ storage: { db, program }, inside }) {
    if (db.kind === 'postgres') return []
    const { sentence } = db.soundness
    if (sentence === DAMAGED_SENTENCE) return [error(DAMAGED, RESTORE)]
    if (sentence !== undefined) return [error(sentence, SEE_TO_DISK)]
    if (inside === 'server') {
      // To read a large file here would hold up every request.
      const isSound = await program?.vitals.isSound()
      if (isSound === undefined)
        return [info('the database is too large to be checked while it serves: appsvc doctor does')]
      return [isSound ? ok('the pages of the database are whole') : error(DAMAGED, RESTORE)]
    }
    try {
      const now = () => performance.now()
      const { damage, checked, left } = await checkTables(db, { now, until: now() + INTEGRITY_MS })
      if (damage.length > 0) return [error(`the database file is damaged: ${damage.join('; ')}`, RESTORE)]
      const whole = ok(`the pages of ${checked} tables are whole`)
      if (left.length === 0) return [whole]
      const names = left.slice(0, 5).join(', ')
      return [
        whole,
        info(`${left.length} large tables were not checked (${names}): PRAGMA integrity_check reads them all`),
      ]
    } catch (failure) {
      if (db.soundness.damaged) return [error(DAMAGED, RESTORE)]
      throw failure
    }
  },
}

/** Twice the size to which the log is cut. */
const LARGE_LOG = 128 * MEBIBYTE
/** Bytes of the -shm file whose locks readers hold (https://www.sqlite.org/walformat.html, WAL locks). */
const READER_LOCKS = { from: 123, to: 127 }

/** Size of SQLite's write-ahead log, and who keeps it from being cut. */
export const walCheck: Check = {
  name: 'wal',
  group: 'database',
  needs: 'database',
  async run({ config, storage: { db } }) {
    if (db.kind === 'postgres') return []
    const file = databaseFile(config)
    return [judgeLog(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0, readersOf(file))]
  },
  fix: {
    async repair({ config, storage: { db } }) {
      if (db.kind === 'postgres') return []
      const log = `${databaseFile(config)}-wal`
      const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0
      const before = size()
      if (before <= LARGE_LOG) return []
      await db.checkpoint()
      return size() < before ? [`cut the write-ahead log from ${sizeOf(before)} to ${sizeOf(size())}`] : []
    },
  },
}

/** Finds other processes that read the database at this moment; returns their ids. */
function readersOf(file: string): number[] {
  const holders = lockHoldersOf(`${file}-shm`).filter(
    ({ byte }) => byte >= READER_LOCKS.from && byte <= READER_LOCKS.to,
  )
  return [...new Set(holders.map(({ pid }) => pid))].filter((pid) => pid !== process.pid)
}

/** Judges the size of the write-ahead log, with the processes that read the database now. */
export function judgeLog(bytes: number, readers: readonly number[]): Finding {
  const size = `the write-ahead log has ${sizeOf(bytes)}`
  if (bytes <= LARGE_LOG) return ok(size)
  const who =
    readers.length === 0
      ? 'a long read'
      : `a read of ${readers.length === 1 ? 'process' : 'processes'} ${readers.join(', ')}`
  return warning(
    `${size}: ${who} may keep it from being cut`,
    'end that program (a backup, a shell in sqlite3), then appsvc doctor --fix',
  )
}

/** Transactions that keep PostgreSQL from cleaning up. */
export const transactionsCheck: Check = {
  name: 'transactions',
  group: 'database',
  needs: 'database',
  async run({ storage: { db } }) {
    if (db.kind === 'sqlite') return []
    const long = await longTransactions(db, LONG_S)
    if (long.length === 0) return [ok('no transaction has been open for long')]
    return long.map(({ pid, seconds, program, state }) =>
      warning(
        `a transaction of ${program === '' ? 'an unnamed program' : program} has been open for ${Math.round(seconds / 60)} minutes (${state}), so deleted rows cannot be removed`,
        `SELECT pg_terminate_backend(${pid})`,
      ),
    )
  },
}

/** An ordinary statement of ours ends within 30 s. */
const LONG_S = 300

/** Checks whether the tables are those of this version. */
export const schemaCheck: Check = {
  name: 'schema',
  group: 'database',
  needs: 'database',
  async run({ storage: { schema, db }, served }) {
    const { applied, pending, unknown, passThrough } = schema
    if (unknown.includes(UNFINISHED_COPY)) {
      return [
        error(
          'this database is the unfinished target of appsvc db copy, so no server starts on it',
          'run the same appsvc db copy again, which finishes it; with --restart it begins anew',
        ),
      ]
    }
    if (passThrough !== undefined) {
      return [
        error(
          'the schema is older than this version of appsvc can migrate',
          `run appsvc migrate up of commit ${passThrough} on this database, and then this version`,
        ),
      ]
    }
    if (unknown.length > 0) {
      return [
        error(
          `a newer appsvc has changed the schema (it has ${unknown.join(', ')})`,
          'run that version of appsvc, or restore a backup of before the upgrade',
        ),
      ]
    }
    if (pending.length === 0) return [ok(`the schema is that of this version (${applied.at(-1)})`)]
    const steps = pending.length === 1 ? '1 step' : `${pending.length} steps`
    const remedy = served === true ? 'restart the server with this version of appsvc' : 'appsvc migrate up'
    const what =
      applied.length === 0
        ? `the ${db.kind === 'sqlite' ? 'file' : 'database'} has no tables yet`
        : `the schema is older than this version by ${steps}`
    return [warning(what, remedy)]
  },
  fix: {
    question: ({ storage: { schema }, served }) =>
      served === true || schema.pending.length === 0 || schema.unknown.length > 0 || schema.passThrough !== undefined
        ? undefined
        : `Change the schema to that of this version (${schema.pending.join(', ')})? Older versions cannot use it afterwards.`,
    async repair(subject) {
      const [{ migrateUp }, { migrations }] = await Promise.all([
        import('../../platform/db/migrate.ts'),
        import('../../../migrations/index.ts'),
      ])
      const done = await underLock(subject, () => migrateUp(subject.storage.db, migrations))
      return done.length === 0 ? [] : [`changed the schema: ${done.join(', ')}`]
    },
  },
}

/** Runs `work` under the lock of the directory: the schema must not change under a server. PostgreSQL has locks of its own. */
async function underLock<T>({ config, storage: { db } }: WithDatabase, work: () => Promise<T>): Promise<T> {
  if (db.kind === 'postgres') return work()
  const { lockDirectory } = await import('../../platform/files/lock.ts')
  const lock = await lockDirectory(config.dataDir, { waitMs: 3000 })
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Checks whether the master key is the one that the stored secrets were sealed with. */
export const masterKeyCheck: Check = {
  name: 'master-key',
  group: 'database',
  needs: 'database',
  async run(subject) {
    const file = resolve(masterKeyFile(subject.config))
    const { key } = subject.storage
    const next = nextKeyFile(file)
    if (!existsSync(next)) return [judgeKey(key, file, subject)]
    if (await belongsTo(next, subject)) {
      return [
        warning(
          `a rotation of the master key was interrupted: the database belongs to ${next} already`,
          'appsvc keys rotate --master, or a start of the server, puts it in its place',
        ),
      ]
    }
    const interrupted = warning(
      `a rotation of the master key was interrupted before it changed anything, and left ${next}`,
      `appsvc keys rotate --master does it again; or remove ${next}`,
    )
    return [judgeKey(key, file, subject), interrupted]
  },
}

/** Tells whether the key in this file is the one of the database. A file that is no key belongs to none. */
async function belongsTo(file: string, { storage: { db } }: WithDatabase): Promise<boolean> {
  const known = (await instanceRepository(db.read).readIfThere())?.keyCheck
  try {
    const key = readKeyFile(file)
    return key !== undefined && known === createVault(key).keyCheck()
  } catch (failure) {
    if (isAppError(failure)) return false
    throw failure
  }
}

function judgeKey(key: KeyState, file: string, { storage, config }: Subject): Finding {
  const isEmpty = storage.state === 'open' && storage.schema.applied.length === 0
  if (isEmpty && key === 'missing') return info(`there is no master key ${file} yet: the first start makes it`)
  const isShared = config['database.url'].reveal() !== ''
  const from = isShared ? 'the machine that made it' : 'the copy that you keep apart from the backups'
  switch (key) {
    case 'right':
      return ok(`the master key ${file} is the one of this database`)
    case 'unbound':
      return ok(`the master key ${file} can be read, and the database belongs to no key yet`)
    case 'missing':
      return error(
        `the master key ${file} is missing, so no stored secret can be opened`,
        `put master.key back from ${from}`,
      )
    case 'unreadable':
      return error(
        `the master key ${file} cannot be read, or is not 32 bytes in base64`,
        `put master.key back from ${from}`,
      )
    case 'wrong':
      return error(
        `the master key ${file} is not the one of this database, so no stored secret can be opened`,
        'put the right key file there, or name it with masterKeyFile',
      )
  }
}
