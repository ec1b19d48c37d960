import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { oldestFirst } from '../../platform/db/pages.ts'
import { preparedPlan } from '../../platform/db/prepared.ts'
import { SUPPRESSIONS, type Suppression } from './types.ts'

export type SuppressionsRepository = ReturnType<typeof suppressionsRepository>

const IS_ANY = preparedPlan<{ appId: number }, { one: number }>(
  'SELECT 1 AS one FROM suppressions WHERE app_id = :appId LIMIT 1',
)

/** The suppression list of an app. Tables: docs/reference/schema.md#suppressions. */
export function suppressionsRepository(sql: Sql) {
  const suppressions = () => SUPPRESSIONS.in(sql)

  return {
    /** Adds digests, ascending; listed ones get the new reason and keep their time. Returns how many are new. */
    async add(appId: number, digests: readonly string[], reason: string | null, now: number): Promise<number> {
      const known = await this.among(appId, digests)
      await sql.raw(
        `INSERT INTO suppressions (app_id, reason, at, digest)
         SELECT ?, ?, ?, given.* FROM (${jsonRows(sql, ['text'])}) AS given WHERE true
         ON CONFLICT (app_id, digest) DO UPDATE SET reason = excluded.reason`,
        [appId, reason, now, JSON.stringify(digests.map((digest) => [digest]))] as never,
      )
      return digests.length - known.size
    },

    async find(appId: number, digest: string): Promise<Suppression | undefined> {
      const row = await suppressions().where({ app_id: appId, digest }).first()
      return row && SUPPRESSIONS.fromRow(row)
    },

    /** Digests among `digests` that are listed. */
    async among(appId: number, digests: readonly string[]): Promise<Set<string>> {
      const rows: { digest: string }[] = await whereAmong(
        sql('suppressions').where({ app_id: appId }),
        sql,
        'digest',
        digests,
      ).select('digest')
      return new Set(rows.map(({ digest }) => digest))
    },

    /** Returns whether it was listed. */
    async remove(appId: number, digest: string): Promise<boolean> {
      return (await suppressions().where({ app_id: appId, digest }).delete()) > 0
    },

    /** Entries in the order in which they were added, after the id `after`. */
    async list(appId: number, after: number, limit: number): Promise<Suppression[]> {
      const rows = await sql('suppressions').where({ app_id: appId }).modify(oldestFirst(after, limit))
      return rows.map(SUPPRESSIONS.fromRow)
    },

    /** Tells whether the app has a suppression list. */
    async isAny(appId: number): Promise<boolean> {
      return (await IS_ANY.first(sql, { appId })) !== undefined
    },

    /** Deletes at most `limit` entries of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('suppressions').where({ app_id: appId }).orderBy('id').limit(limit)
      return deleteSome(sql, 'suppressions', some)
    },
  }
}
