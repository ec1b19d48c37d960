import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, jsonRows, type LockPurpose, rowLocked, rowsOf, whereAmong } from '../../../platform/db/dialect.ts'
import { sortKeyOf } from '../definition/collation.ts'
import { fieldsOf, keyName, sqlName } from '../definition/names.ts'
import type { Values } from '../definition/record.ts'
import {
  type FoundRecord,
  pageSelection,
  type RecordRow,
  selection,
  sqlValue,
  toRecord,
  valueOf,
} from '../definition/sql-values.ts'
import type { Column, Cursor, FilterNode, Sort, Table, TableRecord } from '../types.ts'
import { filtered, inOrder, partsBehind, qualified } from './in-order.ts'
import { behind } from './scan.ts'

/** Maximum number of bound values of one statement. SQLite allows 32766, PostgreSQL 65535. */
const MAX_BOUND = 30_000

/** Number of records at each end of a table from which the average length of its texts is estimated. */
const SAMPLE = 50

/** A new record. A file may bring the id and the times. */
export interface NewRecord {
  id?: number | undefined
  createdAt: number
  updatedAt: number
  values: Values
}

export interface ListOptions {
  sort: Sort
  filter?: FilterNode | undefined
  /**
   * Indexed conditions, of which every matching record meets at least one. Only the records that meet one are checked.
   */
  among?: readonly FilterNode[] | undefined
  limit: number
}

export type RecordsRepository = ReturnType<typeof recordsRepository>

/**
 * The records of data tables. Every statement is built from a table of the registry, which belongs to one app.
 * Tables: docs/reference/schema.md#data_tables.
 */
export function recordsRepository(sql: Sql) {
  const rows = (table: Table) => sql(sqlName(table))

  /**
   * The table, or its records that meet one of the conditions. CROSS JOIN makes SQLite find their ids first. The plus
   * keeps it from reading the whole table in the order of the ids to join several sets of ids. No field begins with an
   * underscore.
   */
  function source(table: Table, among: readonly FilterNode[] | undefined): Knex.QueryBuilder {
    if (!among) return rows(table)
    const [first, ...others] = among.map((one) => filtered(sql, rows(table), one).select(sql.raw('+id AS _candidate')))
    return sql
      .from(sql.raw('? AS _candidates CROSS JOIN ??', [first!.union(others), sqlName(table)] as Knex.RawBinding[]))
      .whereRaw('?? = _candidate', [qualified(table, 'id')])
  }

  async function find(table: Table, id: number): Promise<TableRecord | undefined> {
    const row = await rows(table)
      .where({ id })
      .first(...selection(sql, table))
    return row && toRecord(table, row as RecordRow)
  }

  async function fetch(query: Knex.QueryBuilder, table: Table): Promise<TableRecord[]> {
    return ((await query.select(selection(sql, table))) as RecordRow[]).map((row) => toRecord(table, row))
  }

  async function fetchPage(query: Knex.QueryBuilder, table: Table, options: ListOptions): Promise<FoundRecord[]> {
    const found = (await query.select(pageSelection(sql, table, options))) as RecordRow[]
    return found.map((row) => ({
      ...toRecord(table, row),
      bytes: row._bytes ?? 0,
      ...(row._key !== undefined && { key: row._key }),
    }))
  }

  return {
    find,

    /** The records after a place. Reads none before it. */
    async after(table: Table, options: ListOptions, cursor: Cursor | undefined): Promise<FoundRecord[]> {
      const { sort, among, limit } = options
      const filter = options.filter && cursor ? behind(options.filter, sort, cursor) : options.filter
      const found: FoundRecord[] = []
      for (const part of partsBehind(sql, table, sort, cursor, false)) {
        if (found.length === limit) break
        const query = filtered(sql, inOrder(sql, source(table, among), table, sort).limit(limit - found.length), filter)
        part(query)
        found.push(...(await fetchPage(query, table, options)))
      }
      return found
    },

    /**
     * Ids of the records from `offset` on, counted from the start, or from a place (the record at the place has number
     * 0).
     */
    async idsFrom(table: Table, options: ListOptions, offset: number, place?: Cursor): Promise<number[]> {
      const { sort, filter, among, limit } = options
      const ids: number[] = []
      let skip = offset
      for (const part of partsBehind(sql, table, sort, place, true)) {
        if (ids.length === limit) break
        const query = filtered(sql, inOrder(sql, source(table, among), table, sort), filter).limit(limit - ids.length)
        part(query)
        const found = (await query.offset(skip).select(sql.raw('?? AS id', [qualified(table, 'id')]))) as {
          id: number
        }[]
        ids.push(...found.map(({ id }) => id))
        if (found.length > 0 || skip === 0) skip = 0
        else {
          // The whole part is skipped. It has at most `skip` records.
          const counted = filtered(sql, source(table, among), filter)
          part(counted)
          const [row] = await counted.count({ count: '*' })
          skip -= Number(row!.count)
        }
      }
      return ids
    },

    /** Number of matching records, counted up to `most`. `among` as in `ListOptions`. */
    async count(table: Table, filter: FilterNode, most: number, among?: readonly FilterNode[]): Promise<number> {
      const some = filtered(sql, source(table, among), filter).limit(most).select(sql.raw('1 AS one'))
      const [row] = await sql.from(some.as('_some')).count({ count: '*' })
      return Number(row!.count)
    },

    /** Average size in bytes of the texts in these columns, estimated from the first and the last records by id. */
    async averageBytes(table: Table, names: readonly string[]): Promise<Map<string, number>> {
      if (names.length === 0) return new Map()
      const lengths = names.map((name, i) => sql.raw('octet_length(??) AS ??', [name, `_${i}`]))
      const some = (direction: 'asc' | 'desc') =>
        sql.from(rows(table).select(lengths).orderBy('id', direction).limit(SAMPLE).as('_some'))
      const averages = names.map((_, i) => sql.raw('AVG(??) AS ??', [`_${i}`, `_${i}`]))
      const sample = some('asc').select('*').unionAll(some('desc').select('*'))
      const [row] = (await sql.from(sample.as('_sample')).select(averages)) as Record<string, number | string | null>[]
      return new Map(names.map((name, i) => [name, Number(row![`_${i}`] ?? 0)]))
    },

    /** The complete records with these ids, in no order. */
    async byIds(table: Table, ids: readonly number[]): Promise<TableRecord[]> {
      return fetch(whereAmong(rows(table), sql, qualified(table, 'id'), ids), table)
    },

    /** The records with these ids, in the order of the ids, as a page shows them. */
    async page(table: Table, options: ListOptions, ids: readonly number[]): Promise<FoundRecord[]> {
      if (ids.length === 0) return []
      const found = await fetchPage(whereAmong(rows(table), sql, qualified(table, 'id'), ids), table, options)
      const byId = new Map(found.map((record) => [record.id, record]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /**
     * Stores records, except those whose value in a unique column is taken. Returns the ids of the stored ones,
     * ascending.
     */
    async insert(table: Table, records: readonly NewRecord[]): Promise<number[]> {
      const withIds = records.some(({ id }) => id !== undefined)
      const names = [
        'createdAt',
        'updatedAt',
        ...table.columns.map(({ name }) => name),
        ...keyed(table.columns).map(keyName),
        ...(withIds ? ['id'] : []),
      ]
      const perStatement = Math.floor(MAX_BOUND / names.length)
      const ids: number[] = []
      for (let from = 0; from < records.length; from += perStatement) {
        const some = records.slice(from, from + perStatement)
        const line = `(${names.map(() => '?').join(', ')})`
        const done = await sql.raw(
          `INSERT INTO ?? (${names.map(() => '??').join(', ')}) VALUES ${some.map(() => line).join(', ')}
           ON CONFLICT DO NOTHING RETURNING id`,
          [sqlName(table), ...names, ...some.flatMap((record) => boundRow(record, table, withIds))],
        )
        ids.push(...rowsOf<{ id: number }>(done).map(({ id }) => id))
      }
      return ids.sort((a, b) => a - b)
    },

    /** Changes the given columns. Returns the whole record after the change; undefined if it does not exist. */
    async update(table: Table, id: number, values: Values, now: number): Promise<TableRecord | undefined> {
      const set = Object.fromEntries([
        ...[...values].map(([column, value]) => [column.name, sqlValue(sql, column.type, value)] as const),
        ...keyed([...values.keys()]).map((column) => [keyName(column), keyOf(column, values.get(column))] as const),
      ])
      const changed = await rows(table)
        .where({ id })
        .update({ ...set, updatedAt: sqlValue(sql, 'datetime', now) })
      return changed > 0 ? find(table, id) : undefined
    },

    /**
     * Stores the sort keys of the next `limit` records after the id `keyedTo` of a column. Returns the id up to which
     * they are stored now; undefined at the end of the table.
     */
    async storeKeys(table: Table, column: Column, limit: number): Promise<number | undefined> {
      const next = rows(table)
        .where('id', '>', column.keyedTo ?? 0)
        .orderBy('id')
        .limit(limit)
      const found = (await next.select('id', { value: column.name })) as { id: number; value: string | null }[]
      const given = found.map(({ id, value }) => [id, keyOf(column, value)])
      if (given.length > 0) {
        await sql.raw(
          `WITH given (id, sort_key) AS (${jsonRows(sql, ['bigint', 'text'], given.length)})
           UPDATE ?? SET ?? = given.sort_key FROM given WHERE ?? = given.id`,
          [JSON.stringify(given), sqlName(table), keyName(column), qualified(table, 'id')],
        )
      }
      return found.length < limit ? undefined : found.at(-1)!.id
    },

    async delete(table: Table, id: number): Promise<boolean> {
      return (await rows(table).where({ id }).delete()) > 0
    },

    /** Values among `values` that a record has in the column, without the records in `except`. */
    async taken(
      table: Table,
      column: Column,
      values: readonly unknown[],
      except: readonly number[],
    ): Promise<Set<unknown>> {
      const bound = values.map((value) => sqlValue(sql, column.type, value))
      const found = new Set<unknown>()
      const name = qualified(table, column.name)
      const shown = selection(sql, { ...table, columns: [column] })
      for (let from = 0; from < bound.length; from += MAX_BOUND / 2) {
        const some = bound.slice(from, from + MAX_BOUND / 2)
        const query = rows(table).whereRaw(`?? IN (${some.map(() => '?').join(', ')})`, [name, ...some])
        for (const row of (await query.select(shown)) as RecordRow[]) {
          if (!except.includes(row.id)) found.add(valueOf(column.type, row[column.name]))
        }
      }
      return found
    },

    /** Locks a record until the commit, to change or to delete it. SQLite has a single writer. */
    async lock(table: Table, id: number, purpose: LockPurpose): Promise<void> {
      if (isPostgres(sql)) await rows(table).where({ id }).modify(rowLocked(sql, purpose)).first('id')
    },

    /** Ids among `ids` that are records of the table. On PostgreSQL these records are locked against deletion until the commit. */
    async existing(table: Table, ids: readonly number[]): Promise<Set<number>> {
      const query = whereAmong(rows(table), sql, qualified(table, 'id'), ids)
      if (isPostgres(sql)) query.forKeyShare()
      return new Set(((await query.select('id')) as { id: number }[]).map(({ id }) => id))
    },

    /** Tells whether a record of `table` refers to the record `id` of `target` in this column. A reference to itself does not count. */
    async isReferred(table: Table, column: Column, target: Table, id: number): Promise<boolean> {
      const query = rows(table).where({ [column.name]: id })
      if (table.id === target.id) query.whereNot({ id })
      return (await query.first('id')) !== undefined
    },

    /**
     * Makes the next id higher than all others, after records with their own ids were stored. SQLite does this by
     * itself.
     */
    async skipIds(table: Table): Promise<void> {
      if (!isPostgres(sql)) return
      const sequence = sql.raw(`pg_get_serial_sequence(quote_ident(?), 'id')`, [sqlName(table)])
      await sql.raw('SELECT setval(?, GREATEST((SELECT MAX(id) FROM ??), nextval(?)))', [
        sequence,
        sqlName(table),
        sequence,
      ])
    },
  }

  function boundRow(record: NewRecord, table: Table, withIds: boolean): Knex.Value[] {
    const own = [record.createdAt, record.updatedAt].map((ms) => sqlValue(sql, 'datetime', ms))
    const values = table.columns.map((column) => sqlValue(sql, column.type, record.values.get(column) ?? null))
    const keys = keyed(table.columns).map((column) => keyOf(column, record.values.get(column)))
    return [...own, ...values, ...keys, ...(withIds ? [record.id!] : [])]
  }
}

/** The columns for which sort keys are stored, also while those of existing records are not complete. */
const keyed = (columns: readonly Column[]) => columns.filter(({ collate }) => collate !== undefined)

function keyOf({ collate }: Column, value: unknown): string | null {
  return typeof value === 'string' ? sortKeyOf(collate!, value) : null
}

/** The value of a record in the sorted field. */
export function sortValue(table: Table, record: TableRecord & { key?: string | null }, { field }: Sort): unknown {
  if (field.keysOf) return record.key ?? null
  if (field.name === 'id') return record.id
  if (field.name === 'createdAt') return record.createdAt
  if (field.name === 'updatedAt') return record.updatedAt
  const column = table.columns.find(({ name }) => name === field.name)!
  return record.values.get(column) ?? null
}

/** The order of exports: by id. */
export function byId(table: Table): Sort {
  return { field: fieldsOf(table).get('id')!, descending: false }
}
