import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, rowLocked } from '../../platform/db/dialect.ts'
import { namings } from './personal.ts'

/** Text with names that no index finds, and the columns of the key in whose order it is searched. */
export interface Searched {
  table: 'notifications' | 'in_app_messages' | 'series' | 'idempotency_keys'
  columns: readonly string[]
  key: readonly string[]
}

/**
 * Targets of sends, and stored answers. Both are kept for others, so only the names are taken out. Targets are copied from a series to its
 * sends, and from an edited message to its push: what they are copied from is searched first, so that no name comes back.
 */
export const SEARCHED: readonly Searched[] = [
  { table: 'series', columns: ['request'], key: ['id'] },
  { table: 'in_app_messages', columns: ['filters'], key: ['id'] },
  { table: 'notifications', columns: ['filters'], key: ['id'] },
  { table: 'idempotency_keys', columns: ['headers', 'body'], key: ['key', 'caller'] },
]

export type Place = readonly (string | number)[]

export type SearchRepository = ReturnType<typeof searchRepository>

/** Tables: docs/reference/schema.md#idempotency_keys, #notifications, #in_app_messages, #series. */
export function searchRepository(sql: Sql) {
  const rowAt = (appId: number, { table, key }: Searched, place: Place) =>
    sql(table).where({ app_id: appId, ...Object.fromEntries(key.map((column, i) => [column, place[i]])) })

  return {
    /** The next `limit` rows behind `after`: the key of each, and whether one of the names may stand in it. */
    async next(
      appId: number,
      { table, columns, key }: Searched,
      names: readonly string[],
      after: Place | undefined,
      limit: number,
    ): Promise<{ place: Place; hit: boolean }[]> {
      const texts = JSON.stringify(names.flatMap(namings))
      const one = (column: string) =>
        isPostgres(sql)
          ? `EXISTS (SELECT 1 FROM json_array_elements_text(?::json) AS given (name) WHERE strpos(${column}, given.name) > 0)`
          : `EXISTS (SELECT 1 FROM json_each(?) AS given WHERE instr(${column}, given.value) > 0)`
      const rows: (Record<string, string | number> & { hit: boolean | number })[] = await sql(table)
        .where({ app_id: appId })
        .modify((query) => {
          if (after) void query.whereRaw(`(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`, [...after])
        })
        .orderBy([...key])
        .limit(limit)
        .select(
          ...key,
          sql.raw(
            `(${columns.map(one).join(' OR ')}) AS hit`,
            columns.map(() => texts),
          ),
        )
      return rows.map((row) => ({ place: key.map((column) => row[column]!), hit: Boolean(row.hit) }))
    },

    /**
     * The searched columns of a row, each of them JSON text or null; undefined when the row is gone. Locks the row until the commit: what an
     * edit stores meanwhile must not be overwritten.
     */
    read(appId: number, where: Searched, place: Place): Promise<Record<string, string | null> | undefined> {
      return rowAt(appId, where, place)
        .modify(rowLocked(sql, 'change'))
        .first(...where.columns)
    },

    async write(appId: number, where: Searched, place: Place, texts: Record<string, string | null>): Promise<void> {
      await rowAt(appId, where, place).update(texts)
    },
  }
}
