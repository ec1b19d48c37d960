import type { Sql } from '../../../platform/db/connect.ts'
import { allowLongStatements, isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import type { Column, ColumnType, Table } from '../types.ts'
import { MAX_STRING_LENGTH, readValue } from './columns.ts'
import { isIndexed, keyName, partName, sqlName } from './names.ts'
import { sqlValue } from './sql-values.ts'

/**
 * Creates, alters and drops the tables in the database. Every name in a statement is a checked name from the registry;
 * every value is bound or was quoted by the database. Knex's schema builder is not used: on SQLite it copies a table to
 * change a column, and loses rows.
 */

const SQLITE_TYPES: Record<ColumnType, string> = {
  string: `TEXT CHECK (length(??) <= ${MAX_STRING_LENGTH})`,
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER CHECK (?? IN (0, 1))',
  datetime: 'TEXT',
  json: 'TEXT CHECK (json_valid(??))',
  reference: 'INTEGER',
}

/** Collation "C" orders text by code point, as SQLite does, whatever the locale of the server. */
const POSTGRES_TYPES: Record<ColumnType, string> = {
  string: `varchar(${MAX_STRING_LENGTH}) COLLATE "C"`,
  text: 'text COLLATE "C"',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  datetime: 'timestamptz(3)',
  json: 'json',
  reference: 'bigint',
}

/** How long an alteration waits for other users of the table before it gives up. */
const LOCK_TIMEOUT_MS = 10_000

/** A column definition in a statement; the text has a `??` for each of the names. */
interface Definition {
  text: string
  names: string[]
}

export type Ddl = ReturnType<typeof ddl>

/** `target` is the table to which a reference column refers. */
export function ddl(sql: Sql) {
  const postgres = isPostgres(sql)
  const KEY_TYPE = (postgres ? POSTGRES_TYPES : SQLITE_TYPES).text

  /**
   * The literal of a default, quoted by the database; undefined if Knex could mistake a part of it for a placeholder.
   */
  async function literal(column: Column): Promise<string | undefined> {
    const read = readValue(column.type, column.default)
    if (column.default === null || read.fault !== undefined) return undefined
    const value = sqlValue(sql, column.type, read.value)
    const whole = column.type === 'integer' || column.type === 'boolean'
    const query = postgres ? 'quote_literal(CAST(? AS text))' : `quote(${whole ? 'CAST(? AS INTEGER)' : '?'})`
    const [row] = rowsOf<{ text: string }>(
      await sql.raw(`SELECT ${query} AS text`, [postgres ? `${value as string | number | boolean}` : value]),
    )
    return /[?\\]/.test(row!.text) ? undefined : row!.text
  }

  async function definition(table: Table, column: Column, target: Table | undefined): Promise<Definition> {
    const type = (postgres ? POSTGRES_TYPES : SQLITE_TYPES)[column.type]
    const names = type.includes('??') ? [column.name, column.name] : [column.name]
    const text = await literal(column)
    const reference = target ? ' CONSTRAINT ?? REFERENCES ?? (id)' : ''
    return {
      text: `?? ${type}${postgres && column.required ? ' NOT NULL' : ''}${text === undefined ? '' : ` DEFAULT ${text}`}${reference}`,
      names: [...names, ...(target ? [partName(table, column, 'ref'), sqlName(target)] : [])],
    }
  }

  async function addIndex(table: Table, column: Column): Promise<void> {
    if (!isIndexed(column)) return
    // Nulls first, then id, as in a sorted page. Indexes of SQLite have this order by themselves.
    const nulls = postgres ? ' NULLS FIRST' : ''
    const [unique, part, parts] = column.unique
      ? (['UNIQUE ', 'uq', `(??${nulls})`] as const)
      : (['', 'ix', postgres ? `(??${nulls}, id)` : '(??)'] as const)
    const names = [partName(table, column, part), sqlName(table), column.name]
    await sql.raw(`CREATE ${unique}INDEX ?? ON ?? ${parts}`, names)
  }

  /** The index in the order of the sort keys, once all of them are stored. */
  async function addKeyIndex(table: Table, column: Column): Promise<void> {
    if (column.collate === undefined || column.keyedTo !== undefined || !isIndexed(column)) return
    const names = [partName(table, column, 'key'), sqlName(table), keyName(column)]
    await sql.raw(`CREATE INDEX ?? ON ?? ${postgres ? '(?? NULLS FIRST, id)' : '(??)'}`, names)
  }

  async function dropKeyIndex(table: Table, column: Column): Promise<void> {
    if (column.collate !== undefined) await sql.raw('DROP INDEX IF EXISTS ??', [partName(table, column, 'key')])
  }

  async function addKeys(table: Table, column: Column): Promise<void> {
    if (column.collate === undefined) return
    await sql.raw(`ALTER TABLE ?? ADD COLUMN ?? ${KEY_TYPE}`, [sqlName(table), keyName(column)])
    await addKeyIndex(table, column)
  }

  async function dropKeys(table: Table, column: Column): Promise<void> {
    if (column.collate === undefined) return
    await dropKeyIndex(table, column)
    await sql.raw('ALTER TABLE ?? DROP COLUMN ??', [sqlName(table), keyName(column)])
  }

  async function dropIndex(table: Table, column: Column): Promise<void> {
    if (!isIndexed(column)) return
    await sql.raw('DROP INDEX ??', [partName(table, column, column.unique ? 'uq' : 'ix')])
  }

  /** On SQLite, triggers enforce this. */
  async function setRequired(table: Table, column: Column, required: boolean): Promise<void> {
    if (!postgres) return
    await sql.raw(`ALTER TABLE ?? ALTER COLUMN ?? ${required ? 'SET' : 'DROP'} NOT NULL`, [sqlName(table), column.name])
  }

  const triggers = (table: Table) =>
    ['insert', 'update'].map((what) => [`data_${table.id}_required_${what}`, what] as const)

  async function dropTriggers(table: Table): Promise<void> {
    if (postgres) return
    for (const [name] of triggers(table)) await sql.raw('DROP TRIGGER IF EXISTS ??', [name])
  }

  /** SQLite can neither add nor drop NOT NULL on a column, so a trigger enforces it. */
  async function addTriggers(table: Table): Promise<void> {
    const required = table.columns.filter((column) => column.required)
    if (postgres || required.length === 0) return
    const condition = required.map(() => 'NEW.?? IS NULL').join(' OR ')
    for (const [name, what] of triggers(table)) {
      await sql.raw(
        `CREATE TRIGGER ?? BEFORE ${what === 'insert' ? 'INSERT' : 'UPDATE'} ON ?? WHEN ${condition}
         BEGIN SELECT RAISE(ABORT, 'a required column has no value'); END`,
        [name, sqlName(table), ...required.map((column) => column.name)],
      )
    }
  }

  return {
    async create(table: Table, targetOf: (column: Column) => Table | undefined): Promise<void> {
      const id = postgres ? 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT'
      const time = postgres ? POSTGRES_TYPES.datetime : SQLITE_TYPES.datetime
      const columns: Definition[] = []
      // Before the values: SQLite reads through a large value to reach the columns after it.
      for (const column of table.columns) {
        if (column.collate !== undefined) columns.push({ text: `?? ${KEY_TYPE}`, names: [keyName(column)] })
      }
      for (const column of table.columns) columns.push(await definition(table, column, targetOf(column)))
      await sql.raw(
        `CREATE TABLE ?? (id ${id}, ?? ${time} NOT NULL, ?? ${time} NOT NULL${columns.map(({ text }) => `, ${text}`).join('')})${
          postgres ? '' : ' STRICT'
        }`,
        [sqlName(table), 'createdAt', 'updatedAt', ...columns.flatMap(({ names }) => names)],
      )
      for (const [i, name] of ['createdAt', 'updatedAt'].entries()) {
        const index = `data_${table.id}_own_${i}_ix`
        await sql.raw(`CREATE INDEX ?? ON ?? (??${postgres ? ' NULLS FIRST, id' : ''})`, [index, sqlName(table), name])
      }
      for (const column of table.columns) {
        await addIndex(table, column)
        await addKeyIndex(table, column)
      }
      await addTriggers(table)
    },

    /** To be called before the first alteration of a table: allows long statements, but only a short wait for locks. */
    async begin(table: Table): Promise<void> {
      await dropTriggers(table)
      await allowLongStatements(sql)
      if (postgres) await sql.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    },

    /** To be called after the last alteration. */
    end: addTriggers,

    /** Adds a column. Existing records get its default. */
    async addColumn(table: Table, column: Column, target: Table | undefined): Promise<void> {
      // A column with a default exists at once for all records. A default that Knex cannot pass on is filled in
      // afterwards.
      const late = column.default !== null && (await literal(column)) === undefined
      const first = late ? { ...column, required: false } : column
      const { text, names } = await definition(table, first, target)
      await sql.raw(`ALTER TABLE ?? ADD COLUMN ${text}`, [sqlName(table), ...names])
      if (late) {
        const read = readValue(column.type, column.default)
        const value = read.fault === undefined ? sqlValue(sql, column.type, read.value) : null
        await sql(sqlName(table)).update({ [column.name]: value })
        if (column.required) await setRequired(table, column, true)
      }
      await addIndex(table, column)
      await addKeys(table, column)
    },

    addKeys,
    dropKeys,
    addKeyIndex,
    dropKeyIndex,

    async dropColumn(table: Table, column: Column): Promise<void> {
      await dropKeys(table, column)
      await dropIndex(table, column)
      await sql.raw('ALTER TABLE ?? DROP COLUMN ??', [sqlName(table), column.name])
    },

    async renameColumn(table: Table, from: string, to: string): Promise<void> {
      const rename = (before: string, after: string) =>
        sql.raw('ALTER TABLE ?? RENAME COLUMN ?? TO ??', [sqlName(table), before, after])
      // SQLite takes a name that differs only in case for a duplicate, so rename twice. No field begins with an
      // underscore.
      if (from.toLowerCase() !== to.toLowerCase()) return void (await rename(from, to))
      await rename(from, '_renaming')
      await rename('_renaming', to)
    },

    setRequired,

    /** SQLite cannot change the default of a column. Inserts of this program always write the value explicitly. */
    async setDefault(table: Table, column: Column): Promise<void> {
      if (!postgres) return
      const text = await literal(column)
      const change = text === undefined ? 'DROP DEFAULT' : `SET DEFAULT ${text}`
      await sql.raw(`ALTER TABLE ?? ALTER COLUMN ?? ${change}`, [sqlName(table), column.name])
    },

    async setIndex(table: Table, before: Column, after: Column): Promise<void> {
      await dropIndex(table, before)
      await addIndex(table, after)
      await dropKeyIndex(table, after)
      await addKeyIndex(table, after)
    },

    async renameTable(from: Table, to: Table): Promise<void> {
      await sql.raw('ALTER TABLE ?? RENAME TO ??', [sqlName(from), sqlName(to)])
    },

    async drop(table: Table): Promise<void> {
      await sql.raw('DROP TABLE ??', [sqlName(table)])
    },

    /** Number of records without a value in the column. */
    async countEmpty(table: Table, column: Column): Promise<number> {
      const [row] = await sql(sqlName(table)).whereNull(column.name).count({ count: '*' })
      return Number(row!.count)
    },

    /** Number of values that occur in more than one record. */
    async countRepeated(table: Table, column: Column): Promise<number> {
      const repeated = sql(sqlName(table))
        .whereNotNull(column.name)
        .groupBy(column.name)
        .havingRaw('COUNT(*) > 1')
        .select(column.name)
      const [row] = await sql.from(repeated.as('repeated')).count({ count: '*' })
      return Number(row!.count)
    },

    async hasRecords(table: Table): Promise<boolean> {
      return (await sql(sqlName(table)).first('id')) !== undefined
    },
  }
}
