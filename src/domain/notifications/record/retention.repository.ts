import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { byIndex, isPostgres, unindexed } from '../../../platform/db/dialect.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { readStoredOr } from '../../../platform/values/unreadable.ts'
import type { Counts } from '../types.ts'
import type { SlotName } from './page.ts'

/** The sums of a notification's pages, kept when they are forgotten. */
export interface KeptCounts {
  counts: Counts
  reasons: Partial<Record<SlotName, number>>
}

/** An old notification that is over. */
export interface Over {
  id: number
  appId: number
  filters: Record<string, unknown>
  /** True when its counts are kept already: its rows are being deleted. */
  hasCounts: boolean
}

/** Tables where one notification may have a row for each recipient. The counts of failures by reason stay. */
const FORGOTTEN = ['pages', 'notification_opens', 'delivery_failures', 'notification_user_meta'] as const

export type RetentionRepository = ReturnType<typeof retentionRepository>

/** Tables: docs/reference/schema.md#notifications, #notification_user_meta, #pages, #delivery_failures, #notification_opens. */
export function retentionRepository(sql: Sql) {
  return {
    /** The oldest notification of all apps that expired before `before` (ms), is over and not forgotten; locked. */
    async nextOver(before: number): Promise<Over | undefined> {
      const row = await sql
        .from(sql.raw(`notifications ${byIndex(sql, 'notifications_over')}`))
        // Literal, as the partial index has it.
        .whereRaw('status >= 3 AND forgotten_at IS NULL')
        .where('expires_at', '<', before)
        .orderBy(['expires_at', 'id'])
        .modify((query) => {
          if (isPostgres(sql)) void query.forNoKeyUpdate().skipLocked()
        })
        .first('id', 'app_id', 'filters', 'counts')
      if (!row) return undefined
      // What is forgotten need not be readable: it would stop the retention of every app.
      const filters = readStoredOr(row.filters, isPlainObject, {})
      return { id: row.id, appId: row.app_id, filters, hasCounts: row.counts !== null }
    },

    /** Stores the counts of a notification. From then on reports read these, and late opens no longer count. */
    async keepCounts(appId: number, id: number, kept: KeptCounts): Promise<void> {
      await sql('notifications')
        .where({ id, app_id: appId })
        .update({ counts: JSON.stringify(kept) })
    },

    /** The counts of a notification whose pages are forgotten. */
    async keptCounts(appId: number, id: number): Promise<KeptCounts | undefined> {
      const row = await sql('notifications').where({ id, app_id: appId }).first('counts')
      return row?.counts ? (JSON.parse(row.counts) as KeptCounts) : undefined
    },

    /** Deletes at most `limit` rows of a notification; returns how many. */
    async deleteRows(appId: number, id: number, limit: number): Promise<number> {
      let left = limit
      for (const table of FORGOTTEN) {
        if (left <= 0) break
        const some = sql(table)
          .where({ notification_id: id })
          .whereRaw(`${unindexed('app_id')} = ?`, [appId])
          .orderBy('notification_id')
          .limit(left)
        left -= await deleteSome(sql, table, some)
      }
      return limit - left
    },

    /** Notes that nothing of single recipients is left. `filters` is the targeting without the names that it had. */
    async markForgotten(appId: number, id: number, filters: Record<string, unknown>, now: number): Promise<void> {
      await sql('notifications')
        .where({ id, app_id: appId })
        .update({
          filters: JSON.stringify(filters),
          target: JSON.stringify({ kind: 'installs', rows: [], exclude: [] }),
          has_user_meta: false,
          forgotten_at: now,
        })
    },
  }
}
