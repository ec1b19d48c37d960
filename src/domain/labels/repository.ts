import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { rowsOf } from '../../platform/db/dialect.ts'
import { highestFirst } from '../../platform/db/pages.ts'
import type { Labelled, LabelledSend } from './types.ts'

/** The sends of a label that a page reads, newest first. */
export interface LabelPage {
  createdSince?: number | undefined
  createdBefore?: number | undefined
  /** The last send on the page before. */
  after?: LabelledSend | undefined
  limit: number
}

export type LabelsRepository = ReturnType<typeof labelsRepository>

/** Tables: docs/reference/schema.md#send_labels. */
export function labelsRepository(sql: Sql) {
  return {
    /** The sends of a kind that carry a label, newest first by the time of their creation: ids. */
    async sends(appId: number, label: string, kind: Labelled, page: LabelPage): Promise<number[]> {
      const { createdSince, createdBefore, after, limit } = page
      const rows: { send_id: number }[] = await sql('send_labels')
        .where({ app_id: appId, label, kind })
        .modify((query) => {
          if (createdSince !== undefined) void query.where('created_at', '>=', createdSince)
          if (createdBefore !== undefined) void query.where('created_at', '<', createdBefore)
        })
        .modify(highestFirst(['created_at', 'send_id'], after && [after.createdAt, after.id], limit))
        .select('send_id')
      return rows.map((row) => row.send_id)
    },

    /** Labels in use from `from` on (behind it, with `isBehind`), in the order of their characters: jumps along the key. */
    async names(
      appId: number,
      { from, isBehind, limit }: { from: string; isBehind: boolean; limit: number },
    ): Promise<string[]> {
      const next = (than: string) =>
        `(SELECT label FROM send_labels WHERE app_id = ? AND label ${than} ORDER BY app_id, label LIMIT 1)`
      const result = await sql.raw(
        `WITH RECURSIVE used (label) AS (
           SELECT ${next(isBehind ? '> ?' : '>= ?')} UNION ALL SELECT ${next('> used.label')} FROM used WHERE used.label IS NOT NULL
         ) SELECT label FROM used WHERE label IS NOT NULL LIMIT ?`,
        [appId, from, appId, limit] as Knex.RawBinding[],
      )
      return rowsOf<{ label: string }>(result).map(({ label }) => label)
    },

    /** Deletes at most `limit` rows of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'send_labels', sql('send_labels').where({ app_id: appId }).orderBy('label').limit(limit))
    },
  }
}
