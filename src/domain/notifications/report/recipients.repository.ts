import type { Sql } from '../../../platform/db/connect.ts'
import { unindexed, whereAmong, whereIds } from '../../../platform/db/dialect.ts'
import { TRANSPORT_SQL } from '../../crm/store/transport.ts'
import { type RecipientState, unpackRows } from '../record/page.ts'

/** The installs of a page and the outcome byte of each. */
export interface PackedPage {
  id: number
  rows: number[]
  outcomes: Buffer
}

/** The ids under which servers know an install and its present user. */
export interface InstallNames {
  installId: string
  userId: string | null
  /** The way of a push to the install, with the token that it has now; null without one. */
  transport: string | null
}

export type RecipientsRepository = ReturnType<typeof recipientsRepository>

/** Reads the recipients of pages, a page at a time. Tables: docs/reference/schema.md#installs, #pages, #delivery_failures. */
export function recipientsRepository(sql: Sql) {
  return {
    /** The ids of a notification's pages, oldest first; with `state`, only of pages that may have such a recipient. */
    async pageIds(appId: number, notificationId: number, state?: RecipientState): Promise<number[]> {
      const rows: { id: number }[] = await sql('pages')
        .where({ app_id: appId, notification_id: notificationId })
        .modify((q) => {
          if (state === 'pending')
            q.whereRaw('total > accepted + failed + expired + cancelled + skipped + unknown + moved')
          else if (state !== undefined) q.where(state, '>', 0)
        })
        .orderBy('id')
        .select('id')
      return rows.map(({ id }) => id)
    },

    /** A page; undefined when it was deleted meanwhile. */
    async page(appId: number, id: number): Promise<PackedPage | undefined> {
      const row: { recipients: Buffer; outcomes: Buffer } | undefined = await sql('pages')
        .where({ id })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .first('recipients', 'outcomes')
      return row && { id, rows: unpackRows(row.recipients), outcomes: Buffer.from(row.outcomes) }
    },

    /** Names by install row. Installs that are gone are left out. */
    async names(appId: number, rows: readonly number[]): Promise<Map<number, InstallNames>> {
      if (rows.length === 0) return new Map()
      const identifier = '(SELECT identifier FROM users WHERE users.id = installs.user_id) AS "userId"'
      const found: (InstallNames & { id: number })[] = await whereIds(sql('installs'), sql, appId, rows).select(
        'id',
        'install_id as installId',
        sql.raw(`${TRANSPORT_SQL} AS "transport"`),
        sql.raw(identifier),
      )
      return new Map(found.map(({ id, ...names }) => [id, names]))
    },

    /** The vendors' words by install row: the last ones of each. */
    async answers(appId: number, notificationId: number, rows: readonly number[]): Promise<Map<number, string>> {
      if (rows.length === 0) return new Map()
      const query = sql('delivery_failures')
        .where({ notification_id: notificationId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
      const found: { install_row: number; reason: string }[] = await whereAmong(query, sql, 'install_row', rows)
        .orderBy('id')
        .select('install_row', 'reason')
      return new Map(found.map(({ install_row: row, reason }) => [row, reason]))
    },
  }
}
