import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { sqlName } from '../definition/names.ts'
import { shownField, valueOf } from '../definition/sql-values.ts'
import { filterSql } from '../store/filter-sql.ts'
import { behindPlace, filtered, inOrder, partsBehind, qualified } from '../store/in-order.ts'
import { behind, conditionsOf } from '../store/scan.ts'
import type { Cursor, FilterNode, Sort, Table } from '../types.ts'

/** The next records in an order: at most `size`, from part `part` of those after `place` (in-order.ts). */
export interface Stretch {
  walk: Sort
  /** One range of the index of `walk`. */
  range: FilterNode | undefined
  place: Cursor | undefined
  part: number
  size: number
  /** The condition that is checked on each of the records. */
  rest: FilterNode | undefined
}

/** The matching records that are wanted: the first `most` in `order`, of those after `after`. */
export interface Wanted {
  order: Sort
  after?: Cursor | undefined
  most: number
}

/** The place at which a statement stopped: its last record, or the end of a part; undefined at the end of the last part. */
export type Stop = { place: Cursor | undefined; part: number } | undefined

type Row = { id: number | null; value: unknown; place: unknown; matching: number | null }

export type SlicesRepository = ReturnType<typeof slicesRepository>

/**
 * Statements of long reads. Each examines a bounded number of records, whatever the filter: the inner SELECT takes the
 * next ones from one index, and its LIMIT keeps both databases from applying the filter before it. One statement tells
 * both the matches and the place where it stopped, so that both belong to the same state of the table.
 * Tables: docs/reference/schema.md#data_tables.
 */
export function slicesRepository(sql: Sql) {
  const shown = (table: Table, { field }: Sort) => sql.raw(shownField(sql, table, field))

  /** The next records, before they are checked. */
  function next(table: Table, { walk, range, place, part }: Stretch): { query: Knex.QueryBuilder; isLast: boolean } {
    const parts = partsBehind(sql, table, walk, place, false)
    const entered = range && place ? behind(range, walk, place) : range
    const query = filtered(sql, inOrder(sql, sql(sqlName(table)), table, walk), entered)
    parts[part]!(query)
    return { query, isLast: part === parts.length - 1 }
  }

  /** The last of the next records: found by stepping over the entries of the index. */
  function lastOf(table: Table, stretch: Stretch): Knex.Raw {
    const query = next(table, stretch).query
    return sql.raw('?', [
      query
        .limit(1)
        .offset(stretch.size - 1)
        .select(sql.raw('?? AS id, ? AS place', [qualified(table, 'id'), shown(table, stretch.walk)])),
    ])
  }

  /** The next records as a table of the same name, with the fields that are checked or sorted by. */
  function examined(table: Table, stretch: Stretch, order: Sort): Knex.QueryBuilder {
    const fields = [stretch.walk.field, order.field, ...(stretch.rest ? conditionsOf(stretch.rest) : []).map(fieldOf)]
    const names = [...new Set(['id', ...fields.map(({ name }) => name)])]
    const inner = next(table, stretch).query.limit(stretch.size)
    return sql.from(inner.select(names.map((name) => qualified(table, name))).as(sqlName(table)))
  }

  const stopOf = (table: Table, stretch: Stretch, row: Row | undefined): Stop => {
    if (row) return { place: { value: valueOf(stretch.walk.field.type, row.place), id: row.id! }, part: 0 }
    return next(table, stretch).isLast ? undefined : { place: stretch.place, part: stretch.part + 1 }
  }

  return {
    /** The wanted ones of the matching records, in their order, with the values by which they are sorted. */
    async find(
      table: Table,
      stretch: Stretch,
      { order, after, most }: Wanted,
    ): Promise<{ hits: Cursor[]; stop: Stop }> {
      const matching = inOrder(sql, examined(table, stretch, order), table, order).limit(most)
      if (stretch.rest) void matching.whereRaw('?', [filterSql(sql, stretch.rest)])
      if (after) behindPlace(sql, table, order, after)(matching)
      matching.select(sql.raw('?? AS id, ? AS value', [qualified(table, 'id'), shown(table, order)]))
      const rows = (await sql
        .select(sql.raw('_hits.id AS id, _hits.value AS value, NULL AS place, 1 AS matching'))
        .from(matching.as('_hits'))
        .unionAll([
          sql
            .select(sql.raw('_last.id, NULL, _last.place, NULL'))
            .from(sql.raw('(?) AS _last', [lastOf(table, stretch)]) as unknown as Knex.QueryBuilder),
        ])) as Row[]
      const hits = rows.filter((row) => row.matching !== null)
      return {
        hits: hits.map((row) => ({ id: row.id!, value: valueOf(order.field.type, row.value) })),
        stop: stopOf(table, stretch, rows.length > hits.length ? rows.at(-1) : undefined),
      }
    },

    /** The number of matching records. */
    async count(table: Table, stretch: Stretch): Promise<{ matching: number; stop: Stop }> {
      const some = examined(table, stretch, stretch.walk)
      if (stretch.rest) void some.whereRaw('?', [filterSql(sql, stretch.rest)])
      const rows = (await some
        .select(sql.raw('NULL AS id, NULL AS place, COUNT(*) AS matching'))
        .unionAll([
          sql
            .select(sql.raw('_last.id, _last.place, NULL'))
            .from(sql.raw('(?) AS _last', [lastOf(table, stretch)]) as unknown as Knex.QueryBuilder),
        ])) as Row[]
      const matching = Number(rows.find((row) => row.matching !== null)!.matching)
      return {
        matching,
        stop: stopOf(
          table,
          stretch,
          rows.find((row) => row.matching === null),
        ),
      }
    },
  }
}

const fieldOf = <F>({ field }: { field: F }): F => field
