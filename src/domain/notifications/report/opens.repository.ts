import type { Sql } from '../../../platform/db/connect.ts'

/** What devices report about a notification: the columns with the time of the first report and with the count. */
export const REACTIONS = {
  delivered: { column: 'delivered_at', counter: 'delivered' },
  opened: { column: 'opened_at', counter: 'opened' },
  dismissed: { column: 'dismissed_at', counter: 'dismissed' },
} as const
export type Reaction = keyof typeof REACTIONS

export interface ReactionAt {
  appId: number
  notificationId: number
  installRow: number
  /** Who used the install at that time. */
  userIdentifier: string
  /** Milliseconds. */
  at: number
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

export function opensRepository(sql: Sql) {
  return {
    /** Stores the first reaction of each kind per install. Returns whether this was the first. */
    async recordFirst(
      reaction: Reaction,
      { appId, notificationId, installRow, userIdentifier, at }: ReactionAt,
    ): Promise<boolean> {
      const { column } = REACTIONS[reaction]
      // Who opened it is what the report shows; a delivery before or after may belong to another user of the install.
      const merged = reaction === 'opened' ? [column, 'user_identifier'] : [column]
      const rows = await sql('notification_opens')
        .insert({
          notification_id: notificationId,
          app_id: appId,
          install_row: installRow,
          user_identifier: userIdentifier,
          [column]: at,
        })
        .onConflict(['notification_id', 'install_row'])
        .merge(merged)
        .whereNull(`notification_opens.${column}`)
        .returning('install_row')
      return rows.length > 0
    },

    async count(reaction: Reaction, appId: number, notificationId: number): Promise<void> {
      await sql('notifications').where({ app_id: appId, id: notificationId }).increment(REACTIONS[reaction].counter, 1)
    },

    /** The `userMeta` of a user; undefined when there is none. */
    async userMeta(appId: number, notificationId: number, identifier: string): Promise<unknown> {
      const row = await sql('notification_user_meta')
        .where({ app_id: appId, notification_id: notificationId, identifier })
        .first('meta')
      return row && JSON.parse(row.meta)
    },

    /** The installs that opened it, oldest install first. Reads a page at a time, so that memory does not grow. */
    async *installOpens(appId: number, notificationId: number): AsyncGenerator<InstallOpen> {
      for (let after = 0; ; ) {
        const rows: { row: number; install_id: string; opened_at: number }[] = await sql('notification_opens as o')
          .join('installs as i', 'i.id', 'o.install_row')
          .where({ 'o.app_id': appId, 'o.notification_id': notificationId })
          .where('o.install_row', '>', after)
          .whereNotNull('o.opened_at')
          .orderBy('o.install_row')
          .limit(PAGE)
          .select('o.install_row as row', 'i.install_id', 'o.opened_at')
        for (const row of rows) yield { installId: row.install_id, openedAt: row.opened_at }
        if (rows.length < PAGE) return
        after = rows.at(-1)!.row
      }
    },

    /** The first open of each user, in the order of their identifiers. Reads a page at a time. */
    async *userOpens(appId: number, notificationId: number): AsyncGenerator<UserOpen> {
      for (let after: string | undefined; ; ) {
        const rows: { user_identifier: string; opened_at: number }[] = await sql('notification_opens')
          .where({ app_id: appId, notification_id: notificationId })
          .modify((query) => {
            if (after !== undefined) void query.where('user_identifier', '>', after)
          })
          .whereNotNull('opened_at')
          .groupBy('user_identifier')
          .orderBy('user_identifier')
          .limit(PAGE)
          .select('user_identifier')
          .min({ opened_at: 'opened_at' })
        for (const row of rows) yield { userId: row.user_identifier, openedAt: row.opened_at }
        if (rows.length < PAGE) return
        after = rows.at(-1)!.user_identifier
      }
    },
  }
}
