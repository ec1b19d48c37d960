import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { rowsOf } from '../../../platform/db/dialect.ts'

/** The next users of the list after the id `after`, at most `size`. */
export interface UserStretch {
  appId: number
  after: number
  size: number
}

export interface ExaminedUser {
  id: number
  matches: boolean | number
}

export type UserSearchRepository = ReturnType<typeof userSearchRepository>

/** Tables: docs/reference/schema.md#users. */
export function userSearchRepository(sql: Sql) {
  return {
    /**
     * Checks the next listed users in the order of their creation. Reads no more than `size` of them, however few
     * match. Conditions are over `people`, which has `id` and `last_active` of a user.
     */
    async examine(
      { appId, after, size }: UserStretch,
      conditions: readonly Knex.Raw[],
    ): Promise<readonly ExaminedUser[]> {
      const all = conditions.map(() => '?').join(' AND ')
      const result = await sql.raw(
        `SELECT people.id, (${all}) AS matches
         FROM (SELECT id, last_active FROM users WHERE app_id = ? AND listed AND id > ? ORDER BY id LIMIT ?) AS people
         ORDER BY people.id`,
        [...conditions, appId, after, size],
      )
      return rowsOf<ExaminedUser>(result)
    },
  }
}
