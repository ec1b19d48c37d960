import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf, whereAmong } from '../../../platform/db/dialect.ts'
import { fieldsOf, sqlName } from '../definition/names.ts'
import { filterSql } from '../read/filter-sql.ts'
import { behind } from '../read/scan.ts'
import type { Column, Cursor, FilterNode, Sort, Table, TableRecord } from '../types.ts'
import type { Values } from './records.ts'
import {
  type FoundRecord,
  pageSelection,
  type RecordRow,
  selection,
  sqlValue,
  toRecord,
  valueOf,
} from './sql-values.ts'

/** Bound values of one statement: SQLite allows 32766, PostgreSQL 65535. */
const MOST_BOUND = 30_000

/** Records at either end of a table from which the length of its texts is told. */
const SAMPLE = 50

/** A new record. The three own fields are given where a file brings them along. */
export interface NewRecord {
  id?: number | undefined
  createdAt: number
  updatedAt: number
  values: Values
}

export interface ListOptions {
  sort: Sort
  filter?: FilterNode | undefined
  /** Conditions that an index answers and of which each record that is meant meets one: only those are looked at. */
  among?: readonly FilterNode[] | undefined
  limit: number
}

/** Narrows a query to one part of an order. */
type Part = (query: Knex.QueryBuilder) => void

export type RecordsRepository = ReturnType<typeof recordsRepository>

/**
 * The records of data tables. Every statement is made of the table as the registry has it; the table carries its app. Names
 * are qualified in ORDER BY, because PostgreSQL would sort by the converted value there and find no index for it.
 */
export function recordsRepository(sql: Sql) {
  const rows = (table: Table) => sql(sqlName(table))
  const qualified = (table: Table, name: string) => `${sqlName(table)}.${name}`

  function inOrder<Q extends Knex.QueryBuilder>(query: Q, table: Table, { field, descending }: Sort): Q {
    const direction = descending ? 'DESC' : 'ASC'
    const nulls = isPostgres(sql) ? ` NULLS ${descending ? 'LAST' : 'FIRST'}` : ''
    if (field.name !== 'id') query.orderByRaw(`?? ${direction}${nulls}`, [qualified(table, field.name)])
    return query.orderByRaw(`?? ${direction}`, [qualified(table, 'id')]) as unknown as Q
  }

  /**
   * The table, or the records of it that meet one of the conditions. CROSS JOIN: SQLite finds those first and nothing else; and the
   * plus, or it would read the table in the order of the ids to join several sets of them. No field begins with an underscore.
   */
  function source(table: Table, among: readonly FilterNode[] | undefined): Knex.QueryBuilder {
    if (!among) return rows(table)
    const [first, ...others] = among.map((one) => filtered(rows(table), one).select(sql.raw('+id AS _candidate')))
    return sql
      .from(sql.raw('? AS _candidates CROSS JOIN ??', [first!.union(others), sqlName(table)] as Knex.RawBinding[]))
      .whereRaw('?? = _candidate', [qualified(table, 'id')])
  }

  function filtered<Q extends Knex.QueryBuilder>(query: Q, filter: FilterNode | undefined): Q {
    return filter ? (query.whereRaw('?', [filterSql(sql, filter)]) as unknown as Q) : query
  }

  /**
   * The records behind a place (`including`: and at it) in parts that follow each other, each a stretch of one index: those
   * equal to it in the sorted field, those beyond, those without a value. PostgreSQL finds the first two by comparing pairs;
   * SQLite would step over all equal ones then.
   */
  function parts(table: Table, { field, descending }: Sort, place: Cursor | undefined, including: boolean): Part[] {
    if (!place) return [() => {}]
    const [id, name] = [qualified(table, 'id'), qualified(table, field.name)]
    const beyond = descending ? '<' : '>'
    const behindId: Part = (query) => void query.whereRaw(`?? ${beyond}${including ? '=' : ''} ?`, [id, place.id])
    if (field.name === 'id') return [behindId]
    const withoutValue: Part = (query) => void query.whereNull(name)
    if (place.value === null) {
      const equal: Part = (query) => behindId(query.whereNull(name))
      return descending ? [equal] : [equal, (query) => void query.whereNotNull(name)]
    }
    const value = sqlValue(sql, field.type, place.value)
    const rest = descending && field.nullable ? [withoutValue] : []
    if (isPostgres(sql)) {
      const sign = including ? `${beyond}=` : beyond
      return [(query) => void query.whereRaw(`(??, ??) ${sign} (?, ?)`, [name, id, value, place.id]), ...rest]
    }
    const equal: Part = (query) => behindId(query.where(name, value))
    const further: Part = (query) => void query.whereRaw(`?? ${beyond} ?`, [name, value])
    return [equal, further, ...rest]
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
    return found.map((row) => ({ ...toRecord(table, row), bytes: row._bytes ?? 0 }))
  }

  return {
    find,

    /** The records behind a place, without any look at those before it. */
    async after(table: Table, options: ListOptions, cursor: Cursor | undefined): Promise<FoundRecord[]> {
      const { sort, among, limit } = options
      const filter = options.filter && cursor ? behind(options.filter, sort, cursor) : options.filter
      const found: FoundRecord[] = []
      for (const part of parts(table, sort, cursor, false)) {
        if (found.length === limit) break
        const query = filtered(inOrder(source(table, among), table, sort).limit(limit - found.length), filter)
        part(query)
        found.push(...(await fetchPage(query, table, options)))
      }
      return found
    },

    /** Ids of the records from `offset` on, counted from the start or from a place, which is number 0. */
    async idsFrom(table: Table, options: ListOptions, offset: number, place?: Cursor): Promise<number[]> {
      const { sort, filter, among, limit } = options
      const ids: number[] = []
      let skip = offset
      for (const part of parts(table, sort, place, true)) {
        if (ids.length === limit) break
        const query = filtered(inOrder(source(table, among), table, sort), filter).limit(limit - ids.length)
        part(query)
        const found = (await query.offset(skip).select(sql.raw('?? AS id', [qualified(table, 'id')]))) as {
          id: number
        }[]
        ids.push(...found.map(({ id }) => id))
        if (found.length > 0 || skip === 0) skip = 0
        else {
          // All of this part is stepped over: no more than `skip` are counted.
          const counted = filtered(source(table, among), filter)
          part(counted)
          const [row] = await counted.count({ count: '*' })
          skip -= Number(row!.count)
        }
      }
      return ids
    },

    /** How many records match, counted up to `most`; `among` as in a list. */
    async count(table: Table, filter: FilterNode, most: number, among?: readonly FilterNode[]): Promise<number> {
      const some = filtered(source(table, among), filter).limit(most).select(sql.raw('1 AS one'))
      const [row] = await sql.from(some.as('_some')).count({ count: '*' })
      return Number(row!.count)
    },

    /** How many bytes the texts of these columns have on average, told from the first and the last records by id. */
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

    /** The records with these ids, whole, in any order. */
    async byIds(table: Table, ids: readonly number[]): Promise<TableRecord[]> {
      return fetch(whereAmong(rows(table), sql, qualified(table, 'id'), ids), table)
    },

    /** The records of a page by their ids, in their order. */
    async page(table: Table, options: ListOptions, ids: readonly number[]): Promise<FoundRecord[]> {
      if (ids.length === 0) return []
      const found = await fetchPage(whereAmong(rows(table), sql, qualified(table, 'id'), ids), table, options)
      const byId = new Map(found.map((record) => [record.id, record]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /** Stores records; those that collide with another in a unique column are left out. The ids of the others, in order. */
    async insert(table: Table, records: readonly NewRecord[]): Promise<number[]> {
      const withIds = records.some(({ id }) => id !== undefined)
      const names = ['createdAt', 'updatedAt', ...table.columns.map(({ name }) => name), ...(withIds ? ['id'] : [])]
      const perStatement = Math.floor(MOST_BOUND / names.length)
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

    /** Changes what is given. The whole record after it; undefined when there is none of that id. */
    async update(table: Table, id: number, values: Values, now: number): Promise<TableRecord | undefined> {
      const set = Object.fromEntries(
        [...values].map(([column, value]) => [column.name, sqlValue(sql, column.type, value)]),
      )
      const changed = await rows(table)
        .where({ id })
        .update({ ...set, updatedAt: sqlValue(sql, 'datetime', now) })
      return changed > 0 ? find(table, id) : undefined
    },

    async delete(table: Table, id: number): Promise<boolean> {
      return (await rows(table).where({ id }).delete()) > 0
    },

    /** Which of these values some record has in the column, besides the records `except`. */
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
      for (let from = 0; from < bound.length; from += MOST_BOUND / 2) {
        const some = bound.slice(from, from + MOST_BOUND / 2)
        const query = rows(table).whereRaw(`?? IN (${some.map(() => '?').join(', ')})`, [name, ...some])
        for (const row of (await query.select(shown)) as RecordRow[]) {
          if (!except.includes(row.id)) found.add(valueOf(column.type, row[column.name]))
        }
      }
      return found
    },

    /** Which of these ids the table has. On PostgreSQL those records stay until the commit. */
    async existing(table: Table, ids: readonly number[]): Promise<Set<number>> {
      const query = whereAmong(rows(table), sql, qualified(table, 'id'), ids)
      if (isPostgres(sql)) query.forKeyShare()
      return new Set(((await query.select('id')) as { id: number }[]).map(({ id }) => id))
    },

    /** Whether a record other than `id` itself refers to it in the column of `table`. */
    async isReferred(table: Table, column: Column, target: Table, id: number): Promise<boolean> {
      const query = rows(table).where({ [column.name]: id })
      if (table.id === target.id) query.whereNot({ id })
      return (await query.first('id')) !== undefined
    },

    /** After records came with ids of their own: the next id is higher than all. SQLite sees to that by itself. */
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
    return [...own, ...values, ...(withIds ? [record.id!] : [])]
  }
}

/** The value of a record in the field that records are sorted by. */
export function sortValue(table: Table, record: TableRecord, { field }: Sort): unknown {
  if (field.name === 'id') return record.id
  if (field.name === 'createdAt') return record.createdAt
  if (field.name === 'updatedAt') return record.updatedAt
  const column = table.columns.find(({ name }) => name === field.name)!
  return record.values.get(column) ?? null
}

/** The order in which exports read: by id. */
export function byId(table: Table): Sort {
  return { field: fieldsOf(table).get('id')!, descending: false }
}
