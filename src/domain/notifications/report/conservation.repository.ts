import type { Sql } from '../../../platform/db/connect.ts'
import { unindexed } from '../../../platform/db/dialect.ts'
import { isOpenSql, type Status } from '../types.ts'

/** A notification whose recipients are added up. */
export interface Counted {
  id: number
  appId: number
  status: Status
}

/** A page with the counts that are stored beside its recipients. */
export interface CountedPage {
  id: number
  state: string
  recipients: Buffer
  outcomes: Buffer
  total: number
  accepted: number
  failed: number
  expired: number
  cancelled: number
  skipped: number
  unknown: number
  moved: number
}

const COUNTED = ['id', 'app_id', 'status'] as const
type Row = { id: number; app_id: number; status: Status }
const toCounted = ({ id, app_id, status }: Row): Counted => ({ id, appId: app_id, status })

/** Reads of the conservation check (conservation.ts). Tables: docs/reference/schema.md#notifications, #pages. */
export function conservationRepository(sql: Sql) {
  return {
    /** The notifications that were accepted last, of all apps. */
    async newest(limit: number): Promise<Counted[]> {
      const rows: Row[] = await sql('notifications').orderBy('id', 'desc').limit(limit).select(COUNTED)
      return rows.map(toCounted)
    },

    /** Open notifications, oldest first. */
    async open(limit: number): Promise<Counted[]> {
      const rows: Row[] = await sql('notifications')
        .whereRaw(isOpenSql())
        // By an expression: otherwise both databases may read all notifications in the order of their ids.
        .orderByRaw(unindexed('id'))
        .limit(limit)
        .select(COUNTED)
      return rows.map(toCounted)
    },

    /** Pages of a notification in the order of their ids, from the one after `after`: one consistent view of them. */
    async pages(appId: number, notificationId: number, after: number, limit: number): Promise<CountedPage[]> {
      return sql('pages')
        .where({ notification_id: notificationId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select(
          'id',
          'state',
          'recipients',
          'outcomes',
          'total',
          'accepted',
          'failed',
          'expired',
          'cancelled',
          'skipped',
          'unknown',
          'moved',
        )
    },
  }
}
