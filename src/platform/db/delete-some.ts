import type { Knex } from 'knex'
import type { Sql } from './connect.ts'
import { isPostgres } from './dialect.ts'

/**
 * Deletes the rows of a table that `some` finds, a query over that table with a limit; returns how many. It should order them by
 * the column that follows in the index by which they are found: then PostgreSQL takes that index and never reads the table
 * from its start, through the rows of others and those that are deleted already.
 */
export function deleteSome(sql: Sql, table: string, some: Knex.QueryBuilder): Promise<number> {
  return deleteAt(sql, table, some.clone().select(`${table}.${placeOf(sql)}`))
}

/** Rows that belong to rows of another table. */
export interface Belongings {
  table: string
  /** The column with the id of the owner, the first one of an index. */
  owner: string
  /** The next column of that index, if it has one. */
  along?: string
}

/**
 * Deletes at most `limit` rows in all: of the table, found as by `deleteSome`, but before each of them what belongs to it, so that
 * little is left for foreign keys to take along. Returns how many; fewer than the limit when none are left.
 */
export async function deleteWithBelongings(
  sql: Sql,
  table: string,
  some: Knex.QueryBuilder,
  belongings: readonly Belongings[],
  limit: number,
): Promise<number> {
  const owners = some.clone().limit(limit).select(`${table}.id`)
  let left = limit
  for (const kind of belongings) {
    left -= await deleteSomeOf(sql, kind, owners, left)
    if (left <= 0) return limit
  }
  return limit - left + (await deleteSome(sql, table, some.clone().limit(left)))
}

/** Deletes at most `limit` rows that belong to one of the owners, which are selected by their ids. */
function deleteSomeOf(
  sql: Sql,
  { table, owner, along = owner }: Belongings,
  owners: Knex.QueryBuilder,
  limit: number,
): Promise<number> {
  // Owner by owner through the index: as a list of them either planner may prefer to read the whole table.
  const text = isPostgres(sql)
    ? `(SELECT found.ctid FROM ? AS owners CROSS JOIN LATERAL
         (SELECT ctid FROM ?? WHERE ?? = owners.id ORDER BY ?? LIMIT ${limit}) AS found LIMIT ${limit})`
    : `(SELECT found.rowid FROM ? AS owners CROSS JOIN ?? AS found WHERE found.?? = owners.id LIMIT ${limit})`
  const names = isPostgres(sql) ? [table, owner, along] : [table, owner]
  return deleteAt(sql, table, sql.raw(text, [owners, ...names] as Knex.RawBinding[]))
}

/** What both databases find a row by at once, whatever its key is. */
const placeOf = (sql: Sql) => (isPostgres(sql) ? 'ctid' : 'rowid')

async function deleteAt(sql: Sql, table: string, places: Knex.QueryBuilder | Knex.Raw): Promise<number> {
  // PostgreSQL goes to the places of an array one by one; for a subquery it may read the whole table.
  const isThere = isPostgres(sql) ? 'ctid = ANY(ARRAY?)' : 'rowid IN ?'
  return sql(table)
    .whereRaw(isThere, [places as Knex.Value])
    .delete()
}
