import { chunks } from '../../platform/chunks.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { type Belongings, deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { byIndex, jsonRows, whereAmong } from '../../platform/db/dialect.ts'
import { bytesOf, newestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { firstForSegment } from '../audience/stored.ts'
import type { Schedule } from '../schedules/schedule.ts'
import type { FailureCount, NotificationRecord } from './report/report.ts'
import { isOpenSql, type Notification, type Source, type Status, type StoredContent } from './types.ts'

interface NotificationRow {
  id: number
  app_id: number
  source: Source
  status: Status
  status_reason: string | null
  filters: string
  target: string
  content: string
  reporting_meta: string | null
  has_user_meta: boolean | 0 | 1
  schedule: string | null
  rate_limit: number | null
  expires_at: number
  delivered: number
  opened: number
  dismissed: number
  created_at: number
  updated_at: number
}

/** All columns but `target`, which may list very many installs. */
const RECORD_COLUMNS = [
  'id',
  'app_id',
  'source',
  'status',
  'status_reason',
  'filters',
  'content',
  'reporting_meta',
  'has_user_meta',
  'schedule',
  'rate_limit',
  'expires_at',
  'delivered',
  'opened',
  'dismissed',
  'created_at',
  'updated_at',
] as const

const toRecord = (row: Omit<NotificationRow, 'target'>): NotificationRecord => ({
  id: row.id,
  appId: row.app_id,
  source: row.source,
  status: row.status,
  statusReason: row.status_reason,
  filters: JSON.parse(row.filters) as Record<string, unknown>,
  content: JSON.parse(row.content) as StoredContent,
  reportingMeta: row.reporting_meta === null ? null : (JSON.parse(row.reporting_meta) as Record<string, unknown>),
  hasUserMeta: Boolean(row.has_user_meta),
  schedule: row.schedule === null ? null : (JSON.parse(row.schedule) as Schedule),
  rateLimit: row.rate_limit,
  expiresAt: row.expires_at,
  delivered: row.delivered,
  opened: row.opened,
  dismissed: row.dismissed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Users per INSERT: about 30 ms of work. */
const META_BATCH = 10_000

/** Vendors write free text into reasons, so the report is limited to the most frequent ones. */
const REASONS_SHOWN = 100

/** Tables in which one notification may have very many rows. */
const BELONGINGS: readonly Belongings[] = [
  { table: 'pages', owner: 'notification_id', along: 'state' },
  { table: 'notification_opens', owner: 'notification_id', along: 'install_row' },
  { table: 'delivery_failures', owner: 'notification_id', along: 'install_row' },
  { table: 'notification_user_meta', owner: 'notification_id', along: 'identifier' },
  { table: 'runs', owner: 'notification_id' },
]

export type NotificationsRepository = ReturnType<typeof notificationsRepository>

export function notificationsRepository(sql: Sql) {
  return {
    async insert(notification: Omit<Notification, 'id' | 'delivered' | 'opened' | 'dismissed'>): Promise<Notification> {
      const { reportingMeta, schedule } = notification
      const [row] = await sql('notifications')
        .insert({
          app_id: notification.appId,
          source: notification.source,
          status: notification.status,
          status_reason: notification.statusReason,
          filters: JSON.stringify(notification.filters),
          target: JSON.stringify(notification.target),
          content: JSON.stringify(notification.content),
          reporting_meta: reportingMeta && JSON.stringify(reportingMeta),
          has_user_meta: notification.hasUserMeta,
          schedule: schedule && JSON.stringify(schedule),
          expires_at: notification.expiresAt,
          rate_limit: notification.rateLimit,
          created_at: notification.createdAt,
          updated_at: notification.updatedAt,
        })
        .returning('id')
      return { ...notification, id: row.id, delivered: 0, opened: 0, dismissed: 0 }
    },

    /** Metadata by user identifier. */
    async insertUserMeta(appId: number, id: number, userMeta: Record<string, unknown>): Promise<void> {
      const entries = Object.entries(userMeta)
      for (const batch of chunks(entries, META_BATCH)) {
        const rows = batch.map(([identifier, meta]) => [identifier, JSON.stringify(meta)])
        await sql.raw(
          `INSERT INTO notification_user_meta (notification_id, app_id, identifier, meta)
           SELECT ?, ?, given.* FROM (${jsonRows(sql, ['text', 'text'])}) AS given`,
          [id, appId, JSON.stringify(rows)],
        )
      }
    },

    /** An open notification that goes to this segment, if there is one. */
    awaiting(appId: number, segmentId: number): Promise<number | undefined> {
      const open = sql.from(sql.raw(`notifications ${byIndex(sql, 'notifications_open')}`)).whereRaw(isOpenSql())
      return firstForSegment(open.whereRaw('+app_id = ?', [appId]), segmentId)
    },

    /** Undefined also for a notification of another app. */
    async find(appId: number, id: number): Promise<NotificationRecord | undefined> {
      const row = await sql<NotificationRow>('notifications')
        .where({ app_id: appId, id })
        .first(...RECORD_COLUMNS)
      return row && toRecord(row)
    },

    /** Newest first, with the size of each; `after` is the id of the last one on the page before. */
    list(appId: number, after: number | undefined, limit: number): Promise<WeighedRow[]> {
      return sql('notifications')
        .where({ app_id: appId })
        .modify(newestFirst(after, limit))
        .select('id', bytesOf(sql, ['filters', 'content', 'reporting_meta']))
    },

    /** The notifications with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<NotificationRecord[]> {
      const rows: NotificationRow[] = await whereAmong(
        // The plus keeps SQLite from reading all notifications of the app instead of looking these up by id.
        sql('notifications').whereRaw('+app_id = ?', [appId]),
        sql,
        'id',
        ids,
      ).select(...RECORD_COLUMNS)
      return rows.map(toRecord)
    },

    /** The vendors' reasons for recipients that were not reached, most frequent first. */
    async failures(appId: number, id: number): Promise<FailureCount[]> {
      return sql('delivery_failures')
        .where({ app_id: appId, notification_id: id })
        .groupBy('kind', 'reason')
        .select('kind', 'reason')
        .count<FailureCount[]>({ count: '*' })
        .orderBy([{ column: 'count', order: 'desc' }, 'kind', 'reason'])
        .limit(REASONS_SHOWN)
    },

    /** Deletes at most `limit` rows: notifications of an app, and the rows that belong to them; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('notifications').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'notifications', some, BELONGINGS, limit)
    },
  }
}
