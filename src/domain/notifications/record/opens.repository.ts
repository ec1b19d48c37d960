import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../../../platform/db/connect.ts'
import { jsonRows, rowLock, rowsOf } from '../../../platform/db/dialect.ts'
import { readObject } from '../../../platform/json/json.ts'

/** Reports of a device about a notification, and the column of their first time. */
const TIME_COLUMNS = { delivered: 'delivered_at', opened: 'opened_at', dismissed: 'dismissed_at' } as const
export type OpenKind = keyof typeof TIME_COLUMNS
/** The kinds of report, which are also the columns of the counts. */
export const OPEN_KINDS = Object.keys(TIME_COLUMNS) as OpenKind[]

export interface ReportedOpen {
  notificationId: number
  installRow: number
  /** The user of the install at that time. */
  userIdentifier: string
  /** Milliseconds. */
  at: number
}

/** The metadata that a notification adds to events about it. */
export interface ReportMetadata {
  reportingMeta: Record<string, unknown> | null
  /** True when it carries metadata for single users. */
  hasUserMeta: boolean
}

export interface InstallOpen {
  installId: string
  openedAt: number
}

export interface UserOpen {
  userId: string
  openedAt: number
}

const PAGE = 1000

export type OpensRepository = ReturnType<typeof opensRepository>

/** Tables: docs/reference/schema.md#notifications, #notification_opens. */
export function opensRepository(sql: Sql) {
  return {
    /**
     * Stores reports of one kind that are the first of their notification and install; returns notification and install of
     * each one stored. `reports` must not contain a pair twice. For a notification whose recipients are forgotten (`counts`
     * is set) nothing is stored: nobody knows any more which report is the first. That is tested in a CASE, because
     * PostgreSQL expects hardly any row for a bare IS NULL before it has looked, and would read all notifications of the app.
     */
    async recordFirst(
      kind: OpenKind,
      appId: number,
      reports: readonly ReportedOpen[],
    ): Promise<{ id: number; row: number }[]> {
      const column = TIME_COLUMNS[kind]
      // A report shows the user who opened the notification; it may have been delivered to another user of the install.
      const user = kind === 'opened' ? ', user_identifier = excluded.user_identifier' : ''
      const lines = reports.map((one) => [one.notificationId, one.installRow, one.userIdentifier, one.at])
      const stored = await sql.raw(
        `WITH given (notification_id, install_row, user_identifier, at) AS
           (${jsonRows(sql, ['bigint', 'bigint', 'text', 'bigint'], lines.length)})
         INSERT INTO notification_opens (notification_id, app_id, install_row, user_identifier, ${column})
         SELECT notifications.id, notifications.app_id, given.install_row, given.user_identifier, given.at
         FROM given CROSS JOIN notifications
         WHERE notifications.id = given.notification_id AND notifications.app_id = ?
           AND CASE WHEN notifications.counts IS NULL THEN true ELSE false END
         ORDER BY notifications.id, given.install_row
         ON CONFLICT (notification_id, install_row) DO UPDATE SET ${column} = excluded.${column}${user}
           WHERE notification_opens.${column} IS NULL
         RETURNING notification_id AS id, install_row AS row`,
        [JSON.stringify(lines), appId],
      )
      return rowsOf<{ id: number; row: number }>(stored)
    },

    /**
     * Adds to the counts of notifications. Locks them in the order of their ids, so that two transactions cannot
     * deadlock.
     */
    async count(appId: number, counts: ReadonlyMap<number, Readonly<Record<OpenKind, number>>>): Promise<void> {
      if (counts.size === 0) return
      const lines = [...counts].map(([id, some]) => [id, ...OPEN_KINDS.map((kind) => some[kind])])
      const types = ['bigint', ...OPEN_KINDS.map(() => 'bigint' as const)] as const
      await sql.raw(
        `WITH given (id, ${OPEN_KINDS.join(', ')}) AS (${jsonRows(sql, types, lines.length)}),
         found AS MATERIALIZED (
           SELECT given.* FROM given CROSS JOIN notifications
           WHERE notifications.id = given.id AND notifications.app_id = ?
           ORDER BY notifications.id ${rowLock(sql, 'notifications')})
         UPDATE notifications SET ${OPEN_KINDS.map((kind) => `${kind} = notifications.${kind} + found.${kind}`).join(', ')}
         FROM found WHERE notifications.id = found.id`,
        [JSON.stringify(lines), appId],
      )
    },

    /** The metadata that these notifications add to events about them, by id. Notifications that the app does not have are left out. */
    async metadata(appId: number, ids: readonly number[]): Promise<Map<number, ReportMetadata>> {
      const found = await sql.raw(
        `WITH given (id) AS (${jsonRows(sql, ['bigint'], ids.length)})
         SELECT notifications.id, reporting_meta, has_user_meta FROM given CROSS JOIN notifications
         WHERE notifications.id = given.id AND notifications.app_id = ?`,
        [JSON.stringify(ids.map((id) => [id])), appId],
      )
      const rows = rowsOf<{ id: number; reporting_meta: string | null; has_user_meta: boolean | 0 | 1 }>(found)
      return new Map(
        rows.map((row) => [
          row.id,
          {
            reportingMeta: row.reporting_meta === null ? null : (readObject(row.reporting_meta) ?? null),
            hasUserMeta: Boolean(row.has_user_meta),
          },
        ]),
      )
    },

    /** The metadata that notifications carry for single users: notification -> user -> metadata. */
    async userMetadata(
      appId: number,
      wanted: readonly Pick<ReportedOpen, 'notificationId' | 'userIdentifier'>[],
    ): Promise<Map<number, Map<string, unknown>>> {
      const byNotification = new Map<number, Map<string, unknown>>()
      if (wanted.length === 0) return byNotification
      const found = await sql.raw(
        `WITH given (notification_id, identifier) AS (${jsonRows(sql, ['bigint', 'text'], wanted.length)})
         SELECT meta.notification_id, meta.identifier, meta.meta FROM given CROSS JOIN notification_user_meta AS meta
         WHERE meta.notification_id = given.notification_id AND meta.identifier = given.identifier AND meta.app_id = ?`,
        [JSON.stringify(wanted.map((one) => [one.notificationId, one.userIdentifier])), appId],
      )
      for (const row of rowsOf<{ notification_id: number; identifier: string; meta: string }>(found)) {
        const ofUsers = byNotification.get(row.notification_id) ?? new Map<string, unknown>()
        byNotification.set(row.notification_id, ofUsers.set(row.identifier, JSON.parse(row.meta)))
      }
      return byNotification
    },

    /**
     * The installs that opened it, oldest install first. Each statement examines `PAGE` reports, most of which may not
     * be openings, and other work of the thread runs in between.
     */
    async *installOpens(appId: number, notificationId: number): AsyncGenerator<InstallOpen> {
      for (let after = 0; ; ) {
        const rows: { row: number; install_id: string | null; opened_at: number | null }[] = await sql(
          'notification_opens as o',
        )
          .leftJoin('installs as i', (join) => join.on('i.id', 'o.install_row').andOnNotNull('o.opened_at'))
          .where({ 'o.app_id': appId, 'o.notification_id': notificationId })
          .where('o.install_row', '>', after)
          .orderBy('o.install_row')
          .limit(PAGE)
          .select('o.install_row as row', 'i.install_id', 'o.opened_at')
        for (const { install_id: installId, opened_at: openedAt } of rows) {
          if (installId !== null && openedAt !== null) yield { installId, openedAt }
        }
        if (rows.length < PAGE) return
        after = rows.at(-1)!.row
        await setImmediate()
      }
    },

    /** The first open of each user, in the order of their identifiers. Its statements are bounded in the same way. */
    async *userOpens(appId: number, notificationId: number): AsyncGenerator<UserOpen> {
      const reports = (after: string | undefined) =>
        sql('notification_opens')
          .where({ app_id: appId, notification_id: notificationId })
          .modify((query) => {
            if (after !== undefined) void query.where('user_identifier', '>', after)
          })
          .orderBy('user_identifier')
      for (let after: string | undefined; ; ) {
        const last: { user_identifier: string } | undefined = await reports(after)
          .offset(PAGE - 1)
          .first('user_identifier')
        const rows: { user_identifier: string; opened_at: number }[] = await reports(after)
          .modify((query) => {
            if (last) void query.where('user_identifier', '<=', last.user_identifier)
          })
          .whereNotNull('opened_at')
          .groupBy('user_identifier')
          .select('user_identifier')
          .min({ opened_at: 'opened_at' })
        for (const row of rows) yield { userId: row.user_identifier, openedAt: row.opened_at }
        if (!last) return
        after = last.user_identifier
        await setImmediate()
      }
    },
  }
}
