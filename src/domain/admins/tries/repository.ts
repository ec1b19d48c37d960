import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { rowsOf } from '../../../platform/db/dialect.ts'

/** Tries that are allowed at once, and the time after which one is given back. */
export interface Allowance {
  burst: number
  everyMs: number
}

export type TriesRepository = ReturnType<typeof triesRepository>

/**
 * Tries as one number for each account or address (GCRA): `until` is the time at which all tries are given back.
 * Tables: docs/reference/schema.md#sign_in_tries. /.
 */
export function triesRepository(sql: Sql) {
  const tries = () => sql('sign_in_tries')

  return {
    /** Counts a try unless none is left, in one statement, so that processes that count at once count all. Returns whether it did. */
    async take(digest: string, now: number, { burst, everyMs }: Allowance): Promise<boolean> {
      // What lies further ahead than all tries was written by a clock that was wrong.
      const counts = 'sign_in_tries.until > ? AND sign_in_tries.until <= ?'
      const latest = now + burst * everyMs
      const rows = rowsOf(
        await sql.raw(
          `INSERT INTO sign_in_tries (digest, until) VALUES (?, ?)
           ON CONFLICT (digest) DO UPDATE SET until = CASE WHEN ${counts} THEN sign_in_tries.until ELSE ? END + ?
           WHERE NOT (${counts}) OR sign_in_tries.until <= ?
           RETURNING digest`,
          [digest, now + everyMs, now, latest, now, everyMs, now, latest, now + (burst - 1) * everyMs],
        ),
      )
      return rows.length > 0
    },

    /** ms until there is a try again; 0 when there is one. */
    async wait(digest: string, now: number, { burst, everyMs }: Allowance): Promise<number> {
      const row: { until: number | string } | undefined = await tries().where({ digest }).first('until')
      const ahead = Number(row?.until ?? 0) - now
      return ahead > burst * everyMs ? 0 : Math.max(0, ahead - (burst - 1) * everyMs)
    },

    /** Gives a try back. */
    async giveBack(digest: string, everyMs: number): Promise<void> {
      await tries().where({ digest }).decrement('until', everyMs)
    },

    /** Remembers until a time. */
    async remember(digest: string, until: number): Promise<void> {
      await tries().insert({ digest, until }).onConflict('digest').merge(['until'])
    },

    async isRemembered(digest: string, now: number): Promise<boolean> {
      return (await tries().where({ digest }).where('until', '>', now).first('digest')) !== undefined
    },

    /** Deletes at most `limit` that count for nothing any more; returns how many. */
    forget(now: number, limit: number): Promise<number> {
      return deleteSome(
        sql,
        'sign_in_tries',
        sql('sign_in_tries').where('until', '<', now).orderBy('until').limit(limit),
      )
    },
  }
}
