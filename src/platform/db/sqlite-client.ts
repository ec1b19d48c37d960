import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Knex } from 'knex'
import BetterSqliteClient, { type KnexQuery } from 'knex/lib/dialects/better-sqlite3/index.js'
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
import SqliteQueryCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js'
import { AppError, messageOf } from '../errors.ts'
import { offerExecutableFolder } from '../executable-folder.ts'

/** Oldest SQLite without the WAL-reset corruption that several connections trigger, and the withdrawn release after it. */
const OLDEST = [3, 51, 3]
const WITHDRAWN = '3.52.0'
/** How long a connection waits for what another one holds. */
const PATIENCE_MS = 5000

let isLoaded = false

/**
 * Loads SQLite, which is native code and may find no place to be loaded from: then it takes `folder`, which must be there. Throws
 * `config` when that takes no native code either.
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

/** Opens one connection with every durability setting of ours, reads them back, and refuses to go on when one did not take. */
export function openSqlite(
  filename: string,
  role: 'reader' | 'writer',
  patienceMs: number = PATIENCE_MS,
): Database.Database {
  const db = new Database(filename, { timeout: patienceMs })
  db.pragma('journal_mode = WAL')
  // FULL: in WAL mode NORMAL does not fsync on commit, and a power cut takes acknowledged writes with it.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma(`journal_size_limit = ${64 * 1024 * 1024}`)
  // Several threads with several connections each: what one keeps, all keep. The system's page cache serves the rest.
  db.pragma(`cache_size = -${role === 'writer' ? 8192 : 2048}`)
  db.pragma(`query_only = ${role === 'reader' ? 'ON' : 'OFF'}`)
  const version = db.prepare('select sqlite_version()').pluck().get() as string
  const settings: [string, unknown, unknown][] = [
    ['journal_mode', db.pragma('journal_mode', { simple: true }), 'wal'],
    ['synchronous', db.pragma('synchronous', { simple: true }), 2],
    ['foreign_keys', db.pragma('foreign_keys', { simple: true }), 1],
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
/** How soon we look again whether another process is still writing (ms). */
const LOOK_MS = 5

/**
 * Begins a transaction. The command line and tools of the operator write as well: they are waited for as long as the driver would
 * wait, but outside of it, where it would stop the whole event loop.
 */
async function begin<T extends KnexQuery>(connection: Database.Database, query: T, patienceMs: number): Promise<T> {
  const until = performance.now() + patienceMs
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    const statement = statementOf(connection, query.sql)
    for (;;) {
      try {
        statement.run()
        return query
      } catch (error) {
        if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY') || performance.now() >= until) throw error
      }
      await setTimeout(LOOK_MS)
    }
  } finally {
    if (connection.open) connection.exec(`PRAGMA busy_timeout = ${patienceMs}`)
  }
}

/** Knex sends a deferred BEGIN; one that reads and then writes fails at once when somebody else wrote in between. */
class ImmediateTransaction extends SqliteTransaction {
  begin(connection: unknown) {
    return this.query(connection, BEGIN)
  }
}

/** Writes limits into the text: SQLite plans a statement by the value of its limit, so a bound one is planned anew each time. */
class LiteralLimits extends SqliteQueryCompiler {
  override limit() {
    this.single.skipBinding = { ...this.single.skipBinding, limit: true }
    return super.limit()
  }
}

/** The statements that a connection has compiled, the one used last at the end. They go with the connection. */
const compiled = new WeakMap<Database.Database, Map<string, Database.Statement>>()
const MOST_STATEMENTS = 128
/** Longer ones have a text of their own each time (a list of rows), and take memory. */
const LONGEST_KEPT = 2000

/**
 * Knex's dialect compiles every query anew, which costs several times what most of ours cost to run. SQLite compiles a kept
 * statement again by itself when the schema has changed.
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
  if (sql.length > LONGEST_KEPT) return statement
  if (statements.size >= MOST_STATEMENTS) statements.delete(statements.keys().next().value!)
  statements.set(sql, statement)
  return statement
}

/** Knex's better-sqlite3 dialect with our way of opening a connection, of starting a transaction and of keeping statements. */
export class SqliteClient extends BetterSqliteClient {
  _driver() {
    return Database
  }

  override queryCompiler(builder: unknown, bindings?: unknown) {
    return new LiteralLimits(this, builder, bindings)
  }

  override transaction(container: unknown, config: unknown, outer: unknown) {
    return new ImmediateTransaction(this, container, config, outer) as unknown as Knex.Transaction
  }

  override async acquireRawConnection() {
    const { filename, role, patienceMs } = this.connectionSettings
    try {
      return openSqlite(filename, role, patienceMs)
    } catch (error) {
      throw this.config.soundness?.judge(error) ?? error
    }
  }

  /**
   * Some errors (a full disk, say) make SQLite take back the whole transaction on the spot. What a job that swallowed the
   * error does next would then commit by itself, statement by statement.
   */
  override async _query(connection: Database.Database, query: KnexQuery) {
    if (this.transacting && !connection.inTransaction && !query.sql.startsWith('BEGIN')) {
      // Already done. An error here would hide the one that asks for it.
      if (query.sql === 'ROLLBACK') return query
      throw new Error('SQLite has rolled the transaction back: an error before this statement was not passed on')
    }
    if (query.sql === BEGIN) return begin(connection, query, this.connectionSettings.patienceMs ?? PATIENCE_MS)
    const statement = statementOf(connection, query.sql)
    const bindings = this._formatBindings(query.bindings)
    if (statement.reader) query.response = statement.all(bindings)
    else {
      const done = statement.run(bindings)
      query.response = done
      query.context = { lastID: done.lastInsertRowid, changes: done.changes }
    }
    return query
  }

  /**
   * A connection whose COMMIT or ROLLBACK failed is still inside its transaction and holds the write lock: closed at once,
   * not when the pool next looks at it, because until then no other thread could write.
   */
  override releaseConnection(connection: Database.Database) {
    if (connection.inTransaction) connection.close()
    return super.releaseConnection(connection)
  }

  /** The pool replaces a connection that was closed on release. */
  override async validateConnection(connection: Database.Database) {
    return connection.open
  }
}
