import type { Sql } from '../db/connect.ts'
import { deleteSome } from '../db/delete-some.ts'
import { jsonRows, rowsOf } from '../db/dialect.ts'
import { GONE_MS } from './nodes.repository.ts'

/** Time that a caller has used of a cap, or gives back (ms). */
export interface CapUse {
  digest: string
  ms: number
}

/** The uses of all nodes together. */
export interface CapTotals {
  /** The time (ms) until the whole cap of each caller is free again, by digest. */
  ahead: Map<string, number>
  /** Nodes that answer HTTP. */
  nodes: number
}

/** The clock of PostgreSQL (ms), the same in the whole statement. */
const NOW = 'CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)'
/** No cap is for longer than an hour. What is further ahead was written by a clock that was wrong. */
const MOST_AHEAD_MS = 2 * 3_600_000

/** Uses of caps, as one number for each caller (GCRA). On PostgreSQL only. Tables: docs/reference/schema.md#cap_uses. */
export function capUsesRepository(sql: Sql) {
  return {
    /** Adds to the uses of callers, and returns what all nodes have added. The rows are locked in their order. */
    async add(uses: readonly CapUse[]): Promise<CapTotals> {
      const rows = rowsOf<{ digest: string; ahead: number | string; nodes: number | string }>(
        await sql.raw(
          `WITH given (digest, used) AS (${jsonRows(sql, ['text', 'bigint'], uses.length)})
           INSERT INTO cap_uses AS known (digest, free_at) SELECT digest, ${NOW} + used FROM given ORDER BY digest
           ON CONFLICT (digest) DO UPDATE
             SET free_at = LEAST(GREATEST(known.free_at, ${NOW}), ${NOW} + ${MOST_AHEAD_MS}) + excluded.free_at - ${NOW}
           RETURNING digest, free_at - ${NOW} AS ahead,
             (SELECT count(*) FROM nodes WHERE stopped_at IS NULL AND seen_at >= ${NOW} - ${GONE_MS} AND roles LIKE '%http%') AS nodes`,
          [JSON.stringify(uses.map(({ digest, ms }) => [digest, ms]))],
        ),
      )
      return {
        ahead: new Map(rows.map(({ digest, ahead }) => [digest, Number(ahead)])),
        nodes: Number(rows[0]?.nodes ?? 1),
      }
    },

    /** Deletes at most `limit` callers whose whole cap is free again; returns how many. */
    forget(limit: number): Promise<number> {
      const free = sql('cap_uses').whereRaw(`free_at < ${NOW}`).orderBy('free_at').limit(limit)
      return deleteSome(sql, 'cap_uses', free)
    },
  }
}
