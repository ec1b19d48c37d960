import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { sqlName } from '../definition/names.ts'
import { sqlValue } from '../definition/sql-values.ts'
import type { Cursor, FilterNode, Sort, Table } from '../types.ts'
import { filterSql } from './filter-sql.ts'

/** Narrows a query to one part of an order. */
export type Part = (query: Knex.QueryBuilder) => void

/** A field with the name of its table, for which an index exists. */
export function qualified(table: Table, name: string): string {
  return `${sqlName(table)}.${name}`
}

/**
 * Names in ORDER BY are qualified, because PostgreSQL would otherwise sort by the converted value of the SELECT, for
 * which there is no index.
 */
export function inOrder<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, table: Table, sort: Sort): Q {
  const { field, descending } = sort
  const direction = descending ? 'DESC' : 'ASC'
  const nulls = isPostgres(sql) ? ` NULLS ${descending ? 'LAST' : 'FIRST'}` : ''
  if (field.name !== 'id') query.orderByRaw(`?? ${direction}${nulls}`, [qualified(table, field.name)])
  return query.orderByRaw(`?? ${direction}`, [qualified(table, 'id')]) as unknown as Q
}

export function filtered<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, filter: FilterNode | undefined): Q {
  return filter ? (query.whereRaw('?', [filterSql(sql, filter)]) as unknown as Q) : query
}

/**
 * The records after a place (`including`: and the one at it) in consecutive parts, each one range of an index: those
 * with the same value in the sorted field, those with a later value, and those without a value. On PostgreSQL a
 * comparison of pairs selects the first two; SQLite would then step over all records with the same value.
 */
export function partsBehind(
  sql: Sql,
  table: Table,
  { field, descending }: Sort,
  place: Cursor | undefined,
  including: boolean,
): Part[] {
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

/** The same records by one condition, which no index answers. */
export function behindPlace(sql: Sql, table: Table, sort: Sort, place: Cursor): Part {
  const parts = partsBehind(sql, table, sort, place, false)
  return (query) =>
    void query.where((whole) => {
      for (const part of parts) void whole.orWhere((one) => part(one))
    })
}
