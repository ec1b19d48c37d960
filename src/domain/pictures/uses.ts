import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { pictureUidsIn } from './addresses.ts'
import { type PictureNamer, USERS } from './types.ts'

/** Pictures that one thing may name. More are not recorded: no message shows as many. */
const MOST_NAMED = 100

/**
 * Records which pictures of its app a stored row names, so that they are not deleted while it may show them. To be called in the
 * transaction that stores it, with what was stored, or its JSON: addresses are found wherever they stand in it. What was recorded before stays,
 * because somebody may still see it. Without an address in it no statement is run. Tables: docs/reference/schema.md#picture_uses.
 */
export async function notePictures(sql: Sql, user: PictureNamer, rowId: number, content: unknown): Promise<void> {
  const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '')
  const uids = pictureUidsIn(text).slice(0, MOST_NAMED)
  if (uids.length === 0) return
  const { column, table } = USERS[user]
  // A picture that is being deleted on PostgreSQL is either gone then, or stays because of this row.
  const lock = isPostgres(sql) ? 'FOR KEY SHARE OF pictures' : ''
  await sql.raw(
    `INSERT INTO picture_uses (picture_id, ${column})
     SELECT pictures.id, ? FROM pictures
     WHERE pictures.uid IN (${uids.map(() => '?').join(', ')}) AND pictures.app_id = (SELECT app_id FROM ${table} WHERE id = ?) ${lock}
     ON CONFLICT (${column}, picture_id) DO NOTHING`,
    [rowId, ...uids, rowId],
  )
}

/** Records the pictures that a row names now in place of those that it named before. */
export async function replacePictures(sql: Sql, user: PictureNamer, rowId: number, content: unknown): Promise<void> {
  await sql('picture_uses').where(USERS[user].column, rowId).delete()
  await notePictures(sql, user, rowId, content)
}
