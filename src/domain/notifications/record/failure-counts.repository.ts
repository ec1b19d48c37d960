import type { Sql } from '../../../platform/db/connect.ts'
import { countShard, dialectOf, jsonRows, unindexed } from '../../../platform/db/dialect.ts'
import { preparedPlan } from '../../../platform/db/prepared.ts'

/**
 * Reasons of one notification that are counted, and that its report shows, under their own words. Vendors write free
 * text into reasons: without a limit there could be as many as recipients.
 */
const REASONS_KEPT = 100

/** The word under which the report has all other reasons of a kind. */
const OTHER_REASONS = 'other reasons'

/** The number of recipients that were not reached for one reason; `reason` is the vendor's own word. */
export interface FailureCount {
  kind: string
  reason: string
  count: number
}

const FAILURES = preparedPlan<{ appId: number; notificationId: number }, FailureCount>(
  `SELECT kind, reason, SUM(failures) AS count FROM failure_counts
   WHERE notification_id = :notificationId AND ${unindexed('app_id')} = :appId
   GROUP BY kind, reason ORDER BY count DESC, kind, reason`,
)

/**
 * Adds failures to the counts of their notification, in the transaction that stores them. `REASONS_KEPT` holds for the
 * row of each connection (`countShard`); on PostgreSQL there may be more for a moment, and the report cuts them.
 * Tables: docs/reference/schema.md#failure_counts.
 */
export async function countFailures(
  sql: Sql,
  appId: number,
  notificationId: number,
  failures: readonly { kind: string; reason: string }[],
): Promise<void> {
  const shard = countShard(dialectOf(sql))
  const rows: { kind: string; reason: string }[] = await sql('failure_counts')
    .where({ notification_id: notificationId })
    .whereRaw(`shard = ${shard} AND ${unindexed('app_id')} = ?`, [appId])
    .select('kind', 'reason')
  const keyOf = (kind: string, reason: string) => `${kind} ${reason}`
  const kept = new Set(rows.map(({ kind, reason }) => keyOf(kind, reason)))
  const counts = new Map<string, [kind: string, reason: string, failures: number]>()
  for (const failure of failures) {
    const { kind } = failure
    const isKept = kept.has(keyOf(kind, failure.reason)) || kept.size < REASONS_KEPT
    const reason = isKept ? failure.reason : OTHER_REASONS
    const key = keyOf(kind, reason)
    if (isKept) kept.add(key)
    const counted = counts.get(key)
    if (counted) counted[2]++
    else counts.set(key, [kind, reason, 1])
  }
  // Sorted, so that two connections that share a shard cannot deadlock.
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
  await sql.raw(
    `WITH given (kind, reason, failures) AS (${jsonRows(sql, ['text', 'text', 'bigint'])})
     INSERT INTO failure_counts (notification_id, shard, kind, reason, app_id, failures)
     SELECT CAST(? AS bigint), ${shard}, kind, reason, CAST(? AS bigint), failures FROM given WHERE true
     ON CONFLICT (notification_id, kind, reason, shard)
       DO UPDATE SET failures = failure_counts.failures + excluded.failures`,
    [JSON.stringify(lines), notificationId, appId],
  )
}

/** The vendors' reasons for recipients that were not reached, most frequent first, and the rest of each kind. */
export async function readFailures(sql: Sql, appId: number, notificationId: number): Promise<FailureCount[]> {
  const counted = await FAILURES.all(sql, { appId, notificationId })
  const shown: FailureCount[] = []
  const others = new Map<string, FailureCount>()
  for (const one of counted) {
    if (one.reason !== OTHER_REASONS && shown.length < REASONS_KEPT) {
      shown.push(one)
      continue
    }
    const { kind, count } = one
    others.set(kind, { kind, reason: OTHER_REASONS, count: (others.get(kind)?.count ?? 0) + count })
  }
  return [...shown, ...others.values()].sort((a, b) => b.count - a.count)
}
