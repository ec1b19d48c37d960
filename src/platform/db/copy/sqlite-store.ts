import type Database from 'better-sqlite3'
import { openSqlite } from '../sqlite-client.ts'
import {
  type CopiedColumn,
  doubleText,
  type Kind,
  namesOf,
  PAGE_BYTES,
  PAGE_ROWS,
  quoted,
  RefusedRow,
  type Row,
  type Shape,
  type Store,
  type Value,
} from './store.ts'

/** The time (ms) to wait for another process that is writing. */
const PATIENCE_MS = 5000

/**
 * One connection to an SQLite file, which reads and writes without Knex: a page is thousands of rows. Foreign keys are not
 * enforced, because rows come table by table; `brokenReference` checks them at the end.
 */
export interface SqliteStore extends Store {
  /** The first table whose rows refer to something that is not there; undefined when there is none. */
  brokenReference(): string | undefined
  /** Begins a transaction in which nobody else can write, until `commit` or `close`. */
  begin(): void
  commit(): void
}

export function openSqliteStore(file: string): SqliteStore {
  const db = openSqlite(file, 'writer', PATIENCE_MS)
  db.pragma('foreign_keys = OFF')
  // This is the only connection, and most writes go to indexes whose pages come again and again.
  db.pragma('cache_size = -65536')
  db.pragma('wal_autocheckpoint = 16384')
  // Values of any 64-bit integer, exactly.
  db.defaultSafeIntegers(true)
  const statements = new Map<string, Database.Statement>()
  const prepare = (sql: string) => {
    let statement = statements.get(sql)
    if (!statement) statements.set(sql, (statement = db.prepare(sql)))
    return statement
  }

  return {
    kind: 'sqlite',

    async shapes() {
      const tables = db
        .prepare(
          `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
           ORDER BY name`,
        )
        .pluck()
        .all() as string[]
      return tables.map((name): Shape => {
        const columns = db.prepare('SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid').all(name) as {
          name: string
          type: string
          pk: bigint
        }[]
        const key = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk))
        return {
          name,
          columns: columns.map(({ name, type }) => ({ name, type, kind: kindOf(type) })),
          key: key.map((column) => column.name),
        }
      })
    },

    async page(shape, after) {
      const key = namesOf(shape.key)
      const behind = after ? `WHERE (${key}) > (${shape.key.map(() => '?').join(', ')})` : ''
      const names = namesOf(shape.columns.map(({ name }) => name))
      const rows: Row[] = []
      let bytes = 0
      const statement = prepare(
        `SELECT ${names} FROM ${quoted(shape.name)} ${behind} ORDER BY ${key} LIMIT ${PAGE_ROWS}`,
      ).raw()
      for (const found of statement.iterate(...(after ?? []).map((value, i) => bound(columnOfKey(shape, i), value)))) {
        const row = (found as (string | number | bigint | Buffer | null)[]).map((value, i) =>
          valueOf(shape.columns[i]!.kind, value),
        )
        rows.push(row)
        for (const value of row) bytes += value?.length ?? 0
        if (bytes >= PAGE_BYTES) break
      }
      return rows
    },

    async insert(shape, rows) {
      const { columns } = shape
      const statement = prepare(
        `INSERT INTO ${quoted(shape.name)} (${namesOf(columns.map(({ name }) => name))}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) {
        try {
          statement.run(row.map((value, i) => bound(columns[i]!, value)))
        } catch (error) {
          throw new RefusedRow(shape, row, error)
        }
      }
    },

    async transaction(work) {
      db.exec('BEGIN IMMEDIATE')
      try {
        const done = await work()
        db.exec('COMMIT')
        return done
      } catch (error) {
        if (db.inTransaction) db.exec('ROLLBACK')
        throw error
      }
    },

    async run(sql) {
      const statement = db.prepare(sql)
      if (statement.reader) return statement.safeIntegers(false).all() as Record<string, string | number | null>[]
      statement.run()
      return []
    },

    brokenReference() {
      const broken = db.prepare('SELECT "table" FROM pragma_foreign_key_check LIMIT 1').pluck().get()
      return broken as string | undefined
    },

    begin: () => void db.exec('BEGIN IMMEDIATE'),
    commit: () => void db.exec('COMMIT'),

    async close() {
      db.close()
    },
  }
}

const columnOfKey = (shape: Shape, i: number): CopiedColumn => shape.columns.find(({ name }) => name === shape.key[i])!

/** The kind of a column by its declared type, as SQLite itself finds the affinity; types that SQLite does not know mean something to us. */
function kindOf(type: string): Kind {
  if (/bool/i.test(type)) return 'boolean'
  if (/int/i.test(type)) return 'integer'
  if (/blob/i.test(type)) return 'bytes'
  if (/real|floa|doub/i.test(type)) return 'double'
  return 'text'
}

function valueOf(kind: Kind, stored: string | number | bigint | Buffer | null): Value {
  if (stored === null) return null
  if (Buffer.isBuffer(stored)) return stored.toString('hex')
  if (kind === 'double') return doubleText(stored)
  return String(stored)
}

function bound({ kind, type }: CopiedColumn, value: Value): string | number | bigint | Buffer | null {
  if (value === null) return null
  if (kind === 'integer' || kind === 'boolean') return BigInt(value)
  // A double in a column of another type keeps the form that the source gave it.
  if (kind === 'double') return Number(value)
  return kind === 'bytes' || /blob/i.test(type) ? Buffer.from(value, 'hex') : value
}
