import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'

/** SQL of the id of the user whom a statement examines. */
export const EXAMINED_ID = 'people.id'

/** SQL that is true for everybody, for who was active at `at` (ms) or later, for who has an install in a segment. */
export function conditionsOnPeople(sql: Sql) {
  return {
    everybody: () => sql.raw('TRUE'),
    activeSince: (at: number) => sql.raw('people.last_active >= ?', [at]),
    // OFFSET 0 keeps PostgreSQL from turning it into a join that begins with all installs.
    hasInstall: (condition: Knex.Raw) =>
      sql.raw('EXISTS (SELECT 1 FROM installs WHERE installs.user_id = people.id AND ? LIMIT 1 OFFSET 0)', [condition]),
  }
}
