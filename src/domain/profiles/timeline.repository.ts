import type { Sql } from '../../platform/db/connect.ts'
import { unindexed, whereAmong, whereIds } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'

/** Maximum size of the data of an event that is shown (bytes). */
const SHORT_DATA = 2000

/** A stored event, with its data as JSON text when that is short. */
export interface EventRow {
  id: number
  type: string
  installRow: number | null
  userIdentifier: string | null
  happenedAt: number
  data: string | null
}

export interface MessageRow {
  id: number
  name: string | null
  sentAt: number
  deliveredAt: number | null
  shownAt: number | null
  dismissedAt: number | null
  readAt: number | null
  inboxDeletedAt: number | null
}

/** First reports of a device about a notification. */
export interface Reported {
  notificationId: number
  installRow: number
  deliveredAt: number | null
  openedAt: number | null
}

export type TimelineRepository = ReturnType<typeof timelineRepository>

/**
 * Reads the history of one user, the latest first.
 * Tables: docs/reference/schema.md#events, #notifications, #notification_opens, #link_taps, #user_messages. /.
 */
export function timelineRepository(sql: Sql) {
  /** The newest of some events. By an expression: otherwise the primary key would be walked through the events of everybody. */
  const newest = (query: ReturnType<Sql>, before: number | undefined, limit: number): Promise<number[]> => {
    if (before !== undefined) void query.whereRaw(`${unindexed('id')} < ?`, [before])
    return query
      .orderByRaw(`${unindexed('id')} DESC`)
      .limit(limit)
      .pluck('id')
  }

  return {
    /** Ids of events that these installs reported. */
    async ofInstalls(appId: number, rows: readonly number[], before: number | undefined, limit: number) {
      if (rows.length === 0) return []
      return newest(whereAmong(sql('events').where({ app_id: appId }), sql, 'install_row', rows), before, limit)
    },

    /** Ids of events that servers, not devices, reported about a user. */
    async ofServers(appId: number, identifier: string, before: number | undefined, limit: number): Promise<number[]> {
      return sql('events')
        .where({ app_id: appId, user_identifier: identifier })
        .whereRaw('install_row IS NULL')
        .modify(newestFirst(before, limit))
        .pluck('id')
    },

    /** Events with these ids, the latest first. */
    async events(appId: number, ids: readonly number[]): Promise<EventRow[]> {
      return whereIds(sql('events'), sql, appId, ids)
        .orderByRaw(`${unindexed('id')} DESC`)
        .select(
          'id',
          'type',
          'install_row as installRow',
          'user_identifier as userIdentifier',
          'happened_at as happenedAt',
          sql.raw(`CASE WHEN octet_length(data) <= ${SHORT_DATA} THEN data END AS data`),
        )
    },

    /** In-app messages of a user, newest first, before the message `before`. */
    async messages(appId: number, userId: number, before: number | undefined, limit: number): Promise<MessageRow[]> {
      return sql('user_messages')
        .where({ user_id: userId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .modify((query) => {
          if (before !== undefined) void query.where('message_id', '<', before)
        })
        .orderBy('message_id', 'desc')
        .limit(limit)
        .select(
          'message_id as id',
          sql.raw('(SELECT template FROM in_app_messages WHERE in_app_messages.id = message_id) AS name'),
          'sent_at as sentAt',
          'delivered_at as deliveredAt',
          'shown_at as shownAt',
          'dismissed_at as dismissedAt',
          'read_at as readAt',
          'inbox_deleted_at as inboxDeletedAt',
        )
    },

    /** Ids of the notifications of an app, the newest first, before the id `before`. */
    notificationIds(appId: number, before: number | undefined, limit: number): Promise<number[]> {
      return sql('notifications').where({ app_id: appId }).modify(newestFirst(before, limit)).pluck('id')
    },

    /** Reports of these installs about these notifications. */
    async reported(appId: number, notifications: readonly number[], rows: readonly number[]): Promise<Reported[]> {
      if (notifications.length === 0 || rows.length === 0) return []
      const query = sql('notification_opens').whereRaw(`${unindexed('app_id')} = ?`, [appId])
      return whereAmong(whereAmong(query, sql, 'notification_id', notifications), sql, 'install_row', rows).select(
        'notification_id as notificationId',
        'install_row as installRow',
        'delivered_at as deliveredAt',
        'opened_at as openedAt',
      )
    },

    /** The last tap on a banner or a link in each of these browsers. */
    async taps(appId: number, installIds: readonly string[]) {
      const query = sql('link_taps').where({ app_id: appId })
      const found: {
        installId: string
        linkId: number
        slug: string | null
        tappedAt: number
        installedAt: number | null
      }[] = await whereAmong(query, sql, 'web_install_id', installIds).select(
        'web_install_id as installId',
        'link_id as linkId',
        sql.raw('(SELECT slug FROM deep_links WHERE deep_links.id = link_id) AS slug'),
        'tapped_at as tappedAt',
        'installed_at as installedAt',
      )
      return found.sort((a, b) => b.tappedAt - a.tappedAt)
    },
  }
}
