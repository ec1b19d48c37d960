import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Knex } from 'knex'
import BetterSqliteClient, { type KnexQuery } from 'knex/lib/dialects/better-sqlite3/index.js'
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
import SqliteQueryCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js'
import { AppError, messageOf } from '../errors.ts'
import { offerExecutableFolder } from '../files/executable-folder.ts'
import { NOW_FUNCTION } from './dialect.ts'
import type { PreparingClient } from './prepared.ts'
import type { Manner, Translated, Value } from './statement.ts'

/** The first SQLite without the WAL-reset corruption bug, which needs several connections; and a later release that was withdrawn. */
const OLDEST = [3, 51, 3]
const WITHDRAWN = '3.52.0'
/** The time (ms) for which a connection waits for the lock of another one. */
const PATIENCE_MS = 5000

let isLoaded = false

/**
 * Loads SQLite. It is native code, and the default folder may not allow native code to be loaded; `folder`, which must exist, is
 * then used instead. Throws `config` when neither works.
 */
export function loadSqlite(folder: string): void {
  if (isLoaded) return
  offerExecutableFolder(folder)
  try {
    new Database(':memory:').close()
    isLoaded = true
  } catch (error) {
    throw new AppError('config', messageOf(error))
  }
}

/**
 * Opens a connection, applies our durability settings and reads them back. Throws `config` when one did not take effect. A connection that
 * `flushesAside` does not wait for the disk at COMMIT: its owner does (flush.ts).
 */
export function openSqlite(
  filename: string,
  role: 'reader' | 'writer',
  patienceMs: number = PATIENCE_MS,
  flushesAside = false,
  now: () => number = Date.now,
): Database.Database {
  const db = new Database(filename, { timeout: patienceMs })
  // Within a statement its time stands still.
  db.function(NOW_FUNCTION, { deterministic: true }, () => now())
  db.pragma('journal_mode = WAL')
  // FULL, because in WAL mode NORMAL does not fsync on commit: a power cut would lose acknowledged writes. Both do around a checkpoint.
  db.pragma(`synchronous = ${flushesAside ? 'NORMAL' : 'FULL'}`)
  db.pragma('foreign_keys = ON')
  // What is deleted or replaced is overwritten with zeros at once: later nobody could find it (docs/personal-data.md).
  db.pragma('secure_delete = ON')
  db.pragma(`journal_size_limit = ${64 * 1024 * 1024}`)
  // Small, because each of several threads has several connections with a cache of its own. The page cache of the system does the rest.
  db.pragma(`cache_size = -${role === 'writer' ? 8192 : 2048}`)
  db.pragma(`query_only = ${role === 'reader' ? 'ON' : 'OFF'}`)
  const version = db.prepare('select sqlite_version()').pluck().get() as string
  const settings: [string, unknown, unknown][] = [
    ['journal_mode', db.pragma('journal_mode', { simple: true }), 'wal'],
    ['synchronous', db.pragma('synchronous', { simple: true }), flushesAside ? 1 : 2],
    ['foreign_keys', db.pragma('foreign_keys', { simple: true }), 1],
    ['secure_delete', db.pragma('secure_delete', { simple: true }), 1],
  ]
  for (const [name, is, wanted] of settings) {
    if (is === wanted) continue
    db.close()
    throw new AppError(
      'config',
      `SQLite does not take ${name}=${wanted} on ${filename} (it says ${is}): use a local disk`,
    )
  }
  if (version === WITHDRAWN || isOlder(version.split('.').map(Number), OLDEST)) {
    db.close()
    throw new AppError(
      'config',
      `SQLite ${version} can corrupt a database that several connections write: upgrade appsvc`,
    )
  }
  return db
}

function isOlder(version: number[], than: number[]): boolean {
  for (let i = 0; i < than.length; i++) {
    if ((version[i] ?? 0) !== than[i]!) return (version[i] ?? 0) < than[i]!
  }
  return false
}

const BEGIN = 'BEGIN IMMEDIATE;'
const COMMIT = 'COMMIT;'
const ROLLBACK = 'ROLLBACK;'
/** The time (ms) between two looks whether another process is still writing. */
const LOOK_MS = 5

const isBusy = (error: unknown) => (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true
const ended = () => new Error('the transaction has ended')
const rolledBack = () =>
  new Error('SQLite has rolled the transaction back: an error before this statement was not passed on')

/**
 * The session of a writer, which Knex takes for a transaction. Transactions begin and end in it without Knex (session.ts); those
 * of Knex inside it are savepoints, as ever.
 */
class SessionTransaction extends SqliteTransaction {
  begin() {
    return Promise.resolve()
  }

  commit(_connection: unknown, value: unknown) {
    this._completed = true
    this._resolver(value)
    return Promise.resolve()
  }

  rollback(_connection: unknown, error: unknown) {
    this._completed = true
    this._rejecter(error)
    return Promise.resolve()
  }

  /** Lets prepared statements run on the connection of the transaction, and only while it is open. */
  override _onAcquire(container: unknown, connection: unknown) {
    const done = super._onAcquire(container, connection)
    const client = this.trxClient as SqliteClient
    const outer = this.client as SqliteClient
    client.held = connection as Database.Database
    client.isOver = outer.transacting ? () => this.isCompleted() || outer.isOver!() : () => !client.isOpen
    return done
  }
}

/** Writes limits into the text. SQLite plans a statement by the value of its limit, and so plans one with a bound limit each time. */
class LiteralLimits extends SqliteQueryCompiler {
  override limit() {
    this.single.skipBinding = { ...this.single.skipBinding, limit: true }
    return super.limit()
  }
}

/** The compiled statements of each connection, the most recently used one last. They are dropped with the connection. */
const compiled = new WeakMap<Database.Database, Map<string, Database.Statement>>()
const MAX_STATEMENTS = 128
/** Maximum length of a statement that is kept. Longer ones contain lists of values, are rarely repeated, and take memory. */
const MAX_KEPT_LENGTH = 2000

/**
 * The compiled statement for a text. Knex's dialect compiles every query again, which takes several times as long as running most of
 * ours. SQLite recompiles a kept statement by itself when the schema changes.
 */
function statementOf(connection: Database.Database, sql: string): Database.Statement {
  let statements = compiled.get(connection)
  if (!statements) compiled.set(connection, (statements = new Map()))
  const known = statements.get(sql)
  if (known) {
    statements.delete(sql)
    statements.set(sql, known)
    return known
  }
  const statement = connection.prepare(sql)
  if (sql.length > MAX_KEPT_LENGTH) return statement
  if (statements.size >= MAX_STATEMENTS) statements.delete(statements.keys().next().value!)
  statements.set(sql, statement)
  return statement
}

/** The same for statements of prepared.ts: there are as many as are declared, so none has to make room. */
const compiledOf = new WeakMap<Database.Database, Map<Translated, Database.Statement>>()

function preparedOn(connection: Database.Database, statement: Translated): Database.Statement {
  let known = compiledOf.get(connection)
  if (!known) compiledOf.set(connection, (known = new Map()))
  let compiled = known.get(statement)
  if (!compiled) known.set(statement, (compiled = connection.prepare(statement.text)))
  return compiled
}

/** Connections on which a statement has failed. */
const troubled = new WeakSet<Database.Database>()

const isBoolean = (value: Value) => typeof value === 'boolean'
/** Converts booleans, which the driver does not take. */
const bound = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

/** Knex's better-sqlite3 dialect, changed in how it opens connections, begins transactions and keeps statements. */
export class SqliteClient extends BetterSqliteClient implements PreparingClient {
  /** The connection of the session, and whether the transaction has ended. Set on the client of a handle. */
  declare held?: Database.Database
  declare isOver?: () => boolean
  /** True while a transaction is open. Set on the client of a session. */
  declare isOpen?: boolean
  /** The connection for prepared reads outside of transactions, opened by the first one. */
  declare direct?: Database.Database
  /** State of the transaction that reads share until `readTogether` returns: `due` before the first read, then `open`. */
  declare sharedRead?: 'due' | 'open' | undefined

  _driver() {
    return Database
  }

  override queryCompiler(builder: unknown, bindings?: unknown) {
    return new LiteralLimits(this, builder, bindings)
  }

  override transaction(container: unknown, config: unknown, outer: unknown) {
    return new SessionTransaction(this, container, config, outer) as unknown as Knex.Transaction
  }

  /** Asks for a connection of the pool. A transaction does not come here: its client has a connection of its own. */
  override async acquireConnection() {
    this.config.guard?.()
    return super.acquireConnection()
  }

  override async acquireRawConnection() {
    const { filename, role, patienceMs } = this.connectionSettings
    const { flush, flushesAside } = this.config
    try {
      const connection = openSqlite(filename, role, patienceMs, flushesAside, this.config.now)
      if (flushesAside) flush!.connected()
      return connection
    } catch (error) {
      throw this.config.soundness?.judge(error) ?? error
    }
  }

  /**
   * Some errors, such as a full disk, make SQLite roll back the whole transaction at once. If a job swallowed such an error, its
   * further statements would each commit by themselves.
   */
  override async _query(connection: Database.Database, query: KnexQuery) {
    if (this.transacting && !connection.inTransaction) throw this.isOver!() ? ended() : rolledBack()
    try {
      if (query.options?.isScript) {
        connection.exec(query.sql)
        return query
      }
      const statement = statementOf(connection, query.sql)
      const bindings = this._formatBindings(query.bindings)
      if (statement.reader) query.response = statement.all(bindings)
      else {
        const done = statement.run(bindings)
        query.response = done
        query.context = { lastID: done.lastInsertRowid, changes: done.changes }
      }
      return query
    } catch (error) {
      troubled.add(connection)
      throw error
    }
  }

  /**
   * Begins a transaction of the session, at once with the right to write: one that reads first would fail when another connection writes
   * before it does. Other processes write too, the command line and tools of the operator. We wait for them as long as the driver would,
   * but outside the driver, which would block the event loop.
   */
  async beginTransaction(): Promise<void> {
    const until = performance.now() + (this.connectionSettings.patienceMs ?? PATIENCE_MS)
    for (;;) {
      try {
        this.runOwn(BEGIN)
        this.isOpen = true
        troubled.delete(this.held!)
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error
      }
      await setTimeout(LOOK_MS)
    }
  }

  /** Ends the transaction of the session. Throws when it could not be committed. */
  commitTransaction(): void {
    this.isOpen = false
    const { flush } = this.config
    if (flush) flush.commit(() => this.runOwn(COMMIT))
    else this.runOwn(COMMIT)
  }

  /** Ends the transaction of the session, unless SQLite has. */
  rollBackTransaction(): void {
    this.isOpen = false
    if (this.held!.inTransaction) this.runOwn(ROLLBACK)
  }

  /** Runs a statement that begins or ends a transaction. Knex's events tell of it. */
  runOwn(sql: string): void {
    const query = { sql, bindings: [] }
    this.emit('query', query)
    try {
      statementOf(this.held!, sql).run()
    } catch (error) {
      this.emit('query-error', error, query)
      throw error
    }
  }

  /** Runs a statement of prepared.ts at once. Knex's events tell of it as of any other. */
  runPrepared(statement: Translated, bindings: readonly Value[], manner: Manner): unknown {
    const query = { sql: statement.text, bindings }
    this.emit('query', query)
    try {
      const connection = this.transacting ? this.connectionOfTransaction() : this.connectionForReads()
      const compiled = preparedOn(connection, statement)
      const values = bindings.some(isBoolean) ? bindings.map(bound) : bindings
      return manner === 'run' ? compiled.run(values).changes : compiled[manner](values)
    } catch (error) {
      if (this.held) troubled.add(this.held)
      if (error instanceof Error) error.message = `${statement.text} - ${error.message}`
      this.emit('query-error', error, query)
      throw error
    }
  }

  connectionOfTransaction(): Database.Database {
    if (this.isOver!()) throw ended()
    // Only an error makes SQLite roll back by itself, and to ask costs as much as a short statement.
    if (troubled.has(this.held!) && !this.held!.inTransaction) throw rolledBack()
    return this.held!
  }

  connectionForReads(): Database.Database {
    const { filename, role } = this.connectionSettings
    if (role === 'writer') throw new Error('prepared statements write in transactions only')
    this.config.guard?.()
    // No mmap, although it is slightly faster: a failing disk would then end the process (SIGBUS) instead of the request.
    const connection = (this.direct ??= openSqlite(filename, role, PATIENCE_MS, false, this.config.now))
    if (this.sharedRead === 'due') {
      statementOf(connection, 'BEGIN').run()
      this.sharedRead = 'open'
    }
    return connection
  }

  readTogether(work: () => void): void {
    if (this.sharedRead !== undefined) return work()
    this.sharedRead = 'due'
    try {
      work()
    } finally {
      this.endSharedRead()
    }
  }

  /** Never throws: by now the reads have their results. A connection that cannot end its transaction would see an old state for ever. */
  endSharedRead(): void {
    const isOpen = this.sharedRead === 'open'
    this.sharedRead = undefined
    if (!isOpen) return
    const connection = this.direct!
    try {
      // An error may have ended it already.
      if (connection.inTransaction) statementOf(connection, 'COMMIT').run()
    } catch {
      connection.close()
      delete this.direct
    }
  }

  override destroy(callback: unknown) {
    this.direct?.close()
    return super.destroy(callback)
  }

  /**
   * A connection whose COMMIT or ROLLBACK failed is still inside its transaction and holds the write lock. It is closed at once and not
   * at the next check of the pool, because until then no other thread could write.
   */
  override releaseConnection(connection: Database.Database) {
    if (connection.inTransaction) connection.close()
    return super.releaseConnection(connection)
  }

  /** Makes the pool replace a connection that was closed on release. */
  override async validateConnection(connection: Database.Database) {
    return connection.open
  }
}
