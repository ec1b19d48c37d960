import type { Sql } from '../../../platform/db/connect.ts'
import { unindexed } from '../../../platform/db/dialect.ts'
import type { PlatformType } from '../../gateways/registry.ts'
import type { Counts } from '../types.ts'

const STATES = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown'] as const

/** Recipients that are on a page by now; platform 0: none of the gateways. */
export interface ProgressRow extends Counts {
  platform: PlatformType | 0
}

/** Reads of the progress of a notification. Tables: docs/reference/schema.md#runs, #pages. */
export function progressRepository(sql: Sql) {
  return {
    /** Sums by platform over its pages, which are a thousand for a million recipients. */
    async byPlatform(appId: number, notificationId: number): Promise<ProgressRow[]> {
      const byLane = sql('pages')
        .where({ app_id: appId, notification_id: notificationId })
        .groupBy('lane_id')
        .select('lane_id')
        .sum({ audience: sql.raw('total - moved') })
      for (const state of STATES) byLane.sum({ [state]: state })
      const query = sql
        .from(byLane.as('pages_of'))
        .leftJoin('lanes', 'lanes.id', 'pages_of.lane_id')
        .groupBy('lanes.platform')
        .select('lanes.platform as platform')
      for (const name of ['audience', ...STATES]) query.sum({ [name]: name })
      const rows = (await query) as unknown as (Omit<Counts, 'pending'> & { platform: PlatformType | null })[]
      return rows.map(({ platform, ...counts }) => {
        const settled = STATES.reduce((sum, state) => sum + counts[state], 0)
        return { ...counts, platform: platform ?? 0, pending: counts.audience - settled }
      })
    },

    /** Tells whether a part of its audience is still to be found, now or at a later due time. */
    async isFinding(appId: number, notificationId: number): Promise<boolean> {
      const row = await sql('runs')
        .where({ notification_id: notificationId, state: 'due' })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .first('id')
      return row !== undefined
    },
  }
}

export type ProgressRepository = ReturnType<typeof progressRepository>
