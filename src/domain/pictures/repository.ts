import type { Sql } from '../../platform/db/connect.ts'
import { deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { isPostgres, rowsOf, whereAmong } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'
import { isStorable } from '../../platform/json/json.ts'
import type { PictureKind } from '../../platform/pictures/types.ts'
import {
  type ListedPicture,
  PICTURES,
  type Picture,
  type PictureFilter,
  type PictureUse,
  type PictureUser,
  USERS,
} from './types.ts'

const KINDS = Object.keys(USERS) as PictureUser[]
const BELONGINGS = [{ table: 'picture_uses', owner: 'picture_id', along: 'id' }]

export type PicturesRepository = ReturnType<typeof picturesRepository>

/** Tables: docs/reference/schema.md#pictures, #picture_bytes, #picture_totals, #picture_uses. */
export function picturesRepository(sql: Sql) {
  const pictures = () => PICTURES.in(sql)
  const usesOf = () => sql('picture_uses').whereRaw('picture_uses.picture_id = pictures.id')

  return {
    async find(appId: number, uid: string): Promise<Picture | undefined> {
      if (!isStorable(uid)) return undefined
      const row = await pictures().where({ app_id: appId, uid }).first()
      return row && PICTURES.fromRow(row)
    },

    /** The picture, locked until the commit against new uses. SQLite has a single writer. */
    async lock(appId: number, uid: string): Promise<Picture | undefined> {
      if (!isStorable(uid)) return undefined
      const row = await pictures()
        .where({ app_id: appId, uid })
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate()
        })
        .first()
      return row && PICTURES.fromRow(row)
    },

    /** Pictures, newest first, below the id `before`. */
    async list(
      appId: number,
      { used }: PictureFilter,
      before: number | undefined,
      limit: number,
    ): Promise<ListedPicture[]> {
      const rows = await pictures()
        .where({ app_id: appId })
        .modify((query) => {
          if (used !== undefined) void (used ? query.whereExists(usesOf()) : query.whereNotExists(usesOf()))
        })
        .modify(newestFirst(before, limit))
        .select(
          'pictures.*',
          sql.raw('EXISTS (SELECT 1 FROM picture_uses AS u WHERE u.picture_id = pictures.id) AS is_used'),
        )
      return rows.map((row: Parameters<typeof PICTURES.fromRow>[0] & { is_used: boolean | number }) => ({
        ...PICTURES.fromRow(row),
        isUsed: Boolean(row.is_used),
      }))
    },

    /** The newest uses of a picture, at most `limit`. */
    async uses(pictureId: number, limit: number): Promise<PictureUse[]> {
      const rows: Record<string, string | number | null>[] = await KINDS.reduce(
        (query, kind) =>
          query.leftJoin(USERS[kind].table, `${USERS[kind].table}.id`, `picture_uses.${USERS[kind].column}`),
        sql('picture_uses').where({ picture_id: pictureId }),
      )
        .orderBy('picture_uses.id', 'desc')
        .limit(limit)
        .select(KINDS.map((kind) => `${USERS[kind].table}.${USERS[kind].shown} as ${USERS[kind].column}`))
      return rows.flatMap((row) => {
        const kind = KINDS.find((one) => row[USERS[one].column] !== null)
        return kind ? [{ kind, id: String(row[USERS[kind].column]) }] : []
      })
    },

    /** The icons of these apps, each by the id of its app. */
    async icons(appIds: readonly number[]): Promise<Map<number, Pick<Picture, 'uid' | 'kind'>>> {
      if (appIds.length === 0) return new Map()
      const rows: { app: number; uid: string; kind: PictureKind }[] = await whereAmong(
        sql('picture_uses'),
        sql,
        'picture_uses.icon_app_id',
        appIds,
      )
        .join('pictures', 'pictures.id', 'picture_uses.picture_id')
        .select('picture_uses.icon_app_id as app', 'pictures.uid', 'pictures.kind')
      return new Map(rows.map(({ app, ...picture }) => [app, picture]))
    },

    /** Makes one of its pictures the icon of an app, in place of another. False when the app has no such picture. */
    async setIcon(appId: number, uid: string): Promise<boolean> {
      // As in notePictures: one that is being deleted is either gone then, or stays because of this row.
      const lock = isPostgres(sql) ? 'FOR KEY SHARE OF pictures' : ''
      const made = await sql.raw(
        `INSERT INTO picture_uses (picture_id, icon_app_id)
         SELECT pictures.id, pictures.app_id FROM pictures WHERE pictures.uid = ? AND pictures.app_id = ? ${lock}
         ON CONFLICT (icon_app_id) DO UPDATE SET picture_id = excluded.picture_id RETURNING picture_id`,
        [uid, appId],
      )
      return rowsOf(made).length > 0
    },

    async clearIcon(appId: number): Promise<void> {
      await sql('picture_uses').where({ icon_app_id: appId }).delete()
    },

    /** Stores a picture with its bytes. Undefined when the app has it already. */
    async insert(picture: Omit<Picture, 'id'>, bytes: Buffer): Promise<Picture | undefined> {
      const [row] = await pictures().insert(PICTURES.toRow(picture)).onConflict('uid').ignore().returning('*')
      if (!row) return undefined
      await sql('picture_bytes').insert({ picture_id: row.id, bytes })
      return PICTURES.fromRow(row)
    },

    /** Adds to the totals of an app, and returns them. Others who add wait for the commit. */
    async addTotals(appId: number, count: number, size: number): Promise<{ pictures: number; size: number }> {
      const [row] = await sql('picture_totals')
        .insert({ app_id: appId, pictures: count, size })
        .onConflict('app_id')
        .merge({
          pictures: sql.raw('picture_totals.pictures + ?', [count]),
          size: sql.raw('picture_totals.size + ?', [size]),
        })
        .returning(['pictures', 'size'])
      return row as { pictures: number; size: number }
    },

    /** Number and bytes of the pictures of an app. */
    async totals(appId: number): Promise<{ pictures: number; size: number }> {
      const row = await sql('picture_totals').where({ app_id: appId }).first('pictures', 'size')
      return row ?? { pictures: 0, size: 0 }
    },

    async delete(appId: number, id: number): Promise<void> {
      await pictures().where({ app_id: appId, id }).delete()
    },

    /** The bytes of a picture, of whichever app: its uid is what a browser shows. Undefined when there is none of this kind. */
    async bytes(digest: string, kind: PictureKind): Promise<Buffer | undefined> {
      const row: { bytes: Buffer } | undefined = await sql('pictures')
        .join('picture_bytes', 'picture_bytes.picture_id', 'pictures.id')
        .where({ uid: digest, kind })
        .first('picture_bytes.bytes')
      return row?.bytes
    },

    /** Deletes at most `limit` pictures of an app with their bytes and uses; returns how many. */
    clearApp: (appId: number, limit: number): Promise<number> =>
      deleteWithBelongings(sql, 'pictures', sql('pictures').where({ app_id: appId }).orderBy('id'), BELONGINGS, limit),
  }
}
