import type { Knex } from 'knex'
import type { Sql } from './connect.ts'
import { isPostgres, whereAmong } from './dialect.ts'

/**
 * Deletes the rows that `some` finds, a query over the table with a limit, and returns their number. `some` should order the rows by
 * the next column of the index that finds them. PostgreSQL then uses that index, and does not scan the table from its start through
 * the rows of other apps and dead rows.
 */
export function deleteSome(sql: Sql, table: string, some: Knex.QueryBuilder): Promise<number> {
  return deleteAt(sql, table, some.clone().select(`${table}.${placeOf(sql)}`))
}

/**
 * `deleteSome` for a table that may have partitions on PostgreSQL, in which rows have the same addresses. The ids go to the database
 * as values: then it looks into the partitions that have them.
 */
export async function deleteSomeById(sql: Sql, table: string, some: Knex.QueryBuilder): Promise<number> {
  if (!isPostgres(sql)) return deleteSome(sql, table, some)
  const ids: number[] = await some.clone().pluck(`${table}.id`)
  return ids.length === 0 ? 0 : whereAmong(sql(table), sql, 'id', ids).delete()
}

/** Rows that belong to rows of another table. */
export interface Belongings {
  table: string
  /** The column with the id of the owner. It must be the first column of an index. */
  owner: string
  /** The next column of that index, if it has one. */
  along?: string
}

/**
 * Deletes at most `limit` rows in total: first those that belong to the rows that `some` finds, then these rows themselves, so that
 * ON DELETE CASCADE has little left to do. Returns the number of rows; fewer than the limit when none are left.
 */
export async function deleteWithBelongings(
  sql: Sql,
  table: string,
  some: Knex.QueryBuilder,
  belongings: readonly Belongings[],
  limit: number,
): Promise<number> {
  const owners = some.clone().limit(limit).select(`${table}.id`)
  const gone = await deleteBelongings(sql, owners, belongings, limit)
  return gone === limit ? gone : gone + (await deleteSome(sql, table, some.clone().limit(limit - gone)))
}

/** Deletes at most `limit` rows in total that belong to the owners, whose ids `owners` selects. Returns the number of rows. */
export async function deleteBelongings(
  sql: Sql,
  owners: Knex.QueryBuilder,
  belongings: readonly Belongings[],
  limit: number,
): Promise<number> {
  let left = limit
  for (const kind of belongings) {
    if (left > 0) left -= await deleteSomeOf(sql, kind, owners, left)
  }
  return limit - left
}

/** Deletes at most `limit` rows that belong to one of the owners. `owners` selects their ids. */
function deleteSomeOf(
  sql: Sql,
  { table, owner, along = owner }: Belongings,
  owners: Knex.QueryBuilder,
  limit: number,
): Promise<number> {
  // Joined owner by owner through the index. With an IN list either planner may choose to scan the whole table.
  const text = isPostgres(sql)
    ? `(SELECT found.ctid FROM ? AS owners CROSS JOIN LATERAL
         (SELECT ctid FROM ?? WHERE ?? = owners.id ORDER BY ?? LIMIT ${limit}) AS found LIMIT ${limit})`
    : `(SELECT found.rowid FROM ? AS owners CROSS JOIN ?? AS found WHERE found.?? = owners.id LIMIT ${limit})`
  const names = isPostgres(sql) ? [table, owner, along] : [table, owner]
  return deleteAt(sql, table, sql.raw(text, [owners, ...names] as Knex.RawBinding[]))
}

/** The physical address of a row. */
const placeOf = (sql: Sql) => (isPostgres(sql) ? 'ctid' : 'rowid')

async function deleteAt(sql: Sql, table: string, places: Knex.QueryBuilder | Knex.Raw): Promise<number> {
  // PostgreSQL fetches the addresses in an array one by one (TID scan). With a subquery it may scan the whole table.
  const isThere = isPostgres(sql) ? 'ctid = ANY(ARRAY?)' : 'rowid IN ?'
  return sql(table)
    .whereRaw(isThere, [places as Knex.Value])
    .delete()
}
