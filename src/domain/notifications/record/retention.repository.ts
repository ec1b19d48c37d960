import type { Sql } from '../../../platform/db/connect.ts'
import { type Belongings, deleteBelongings } from '../../../platform/db/delete-some.ts'
import { byIndex, isPostgres, jsonRows, unindexed, whereIds } from '../../../platform/db/dialect.ts'
import { preparedPlan } from '../../../platform/db/prepared.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { readStoredOr } from '../../../platform/values/unreadable.ts'
import type { Counts } from '../types.ts'
import type { SlotName } from './page.ts'

const KEPT_COUNTS = preparedPlan<{ appId: number; id: number }, { counts: string | null }>(
  `SELECT counts FROM notifications WHERE id = :id AND ${unindexed('app_id')} = :appId`,
)

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

/** Tables where one notification may have a row for each recipient, and the pictures that it shows them. The counts of failures by reason stay. */
export const OF_RECIPIENTS: readonly Belongings[] = [
  { table: 'pages', owner: 'notification_id', along: 'state' },
  { table: 'notification_opens', owner: 'notification_id', along: 'install_row' },
  { table: 'delivery_failures', owner: 'notification_id', along: 'install_row' },
  { table: 'notification_user_meta', owner: 'notification_id', along: 'identifier' },
  // Nobody sees a message any more whose recipients are forgotten.
  { table: 'picture_uses', owner: 'notification_id', along: 'picture_id' },
]

export type RetentionRepository = ReturnType<typeof retentionRepository>

/** Tables: docs/reference/schema.md#notifications, #notification_user_meta, #pages, #delivery_failures, #notification_opens. */
export function retentionRepository(sql: Sql) {
  /** Changes notifications of an app with one statement. `set` reads the JSON of each value as `given.value`. */
  async function change(
    appId: number,
    values: ReadonlyMap<number, unknown>,
    set: string,
    bindings: readonly (string | number)[] = [],
  ): Promise<void> {
    const rows = [...values].map(([id, value]) => [id, JSON.stringify(value)])
    await sql.raw(
      `WITH given (id, value) AS (${jsonRows(sql, ['bigint', 'text'])})
       UPDATE notifications SET ${set} FROM given WHERE notifications.id = given.id AND ${unindexed('notifications.app_id')} = ?`,
      [JSON.stringify(rows), ...bindings, appId],
    )
  }

  return {
    /** The oldest notifications of all apps that expired before `before` (ms), are over and not forgotten: at most `most`, locked. */
    async over(before: number, most: number): Promise<Over[]> {
      const rows: { id: number; app_id: number; filters: string; counts: string | null }[] = await sql
        .from(sql.raw(`notifications ${byIndex(sql, 'notifications_over')}`))
        // Literal, as the partial index has it.
        .whereRaw('status >= 3 AND forgotten_at IS NULL')
        .where('expires_at', '<', before)
        .orderBy(['expires_at', 'id'])
        .limit(most)
        .modify((query) => {
          if (isPostgres(sql)) void query.forNoKeyUpdate().skipLocked()
        })
        .select('id', 'app_id', 'filters', 'counts')
      return rows.map(({ id, app_id: appId, filters, counts }) => {
        // What is forgotten need not be readable: it would stop the retention of every app.
        return { id, appId, filters: readStoredOr(filters, isPlainObject, {}), hasCounts: counts !== null }
      })
    },

    /** Stores the counts of notifications, by id. From then on reports read these, and late opens no longer count. */
    keepCounts: (appId: number, kept: ReadonlyMap<number, KeptCounts>): Promise<void> =>
      change(appId, kept, 'counts = given.value'),

    /** The counts of a notification whose pages are forgotten. */
    async keptCounts(appId: number, id: number): Promise<KeptCounts | undefined> {
      const row = await KEPT_COUNTS.first(sql, { appId, id })
      return row?.counts ? (JSON.parse(row.counts) as KeptCounts) : undefined
    },

    /** Deletes at most `limit` rows of recipients of notifications; returns how many. */
    deleteRows: (appId: number, ids: readonly number[], limit: number): Promise<number> =>
      deleteBelongings(sql, whereIds(sql('notifications'), sql, appId, ids).select('id'), OF_RECIPIENTS, limit),

    /** Notes that nothing of single recipients is left. `filters`, by id, is the targeting without the names that it had. */
    markForgotten: (appId: number, filters: ReadonlyMap<number, Record<string, unknown>>, now: number): Promise<void> =>
      change(appId, filters, 'filters = given.value, target = ?, has_user_meta = FALSE, forgotten_at = ?', [
        JSON.stringify({ kind: 'installs', rows: [], exclude: [] }),
        now,
      ]),
  }
}
