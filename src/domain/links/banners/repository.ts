import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { hasAtLeast } from '../../../platform/db/pages.ts'
import { definition, integer, type Row, table, text } from '../../../platform/db/table.ts'
import { isStorable } from '../../../platform/json/json.ts'
import type { Banner, BannerDesign } from './types.ts'

const BANNERS = table('banners', {
  id: integer('id'),
  appId: integer('app_id'),
  uuid: text('uuid'),
  linkId: integer('link_id'),
  design: definition('design').as<BannerDesign>(),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

type BannerRow = Row<typeof BANNERS> & Pick<Banner, 'slug'>

const toBanner = (row: BannerRow): Banner => ({ ...BANNERS.fromRow(row), slug: row.slug })

export type BannersRepository = ReturnType<typeof bannersRepository>

/** Tables: docs/reference/schema.md#banners. */
export function bannersRepository(sql: Sql) {
  const banners = () => BANNERS.in(sql)
  const joined = () =>
    banners().join('deep_links', 'deep_links.id', 'banners.link_id').select<BannerRow[]>('banners.*', 'deep_links.slug')

  return {
    async find(appId: number, uuid: string): Promise<Banner | undefined> {
      // PostgreSQL refuses to compare with a NUL character, which a path may hold.
      if (!isStorable(uuid)) return undefined
      const row = await joined().where({ 'banners.app_id': appId, 'banners.uuid': uuid }).first()
      return row && toBanner(row)
    },

    /** Locks a banner until the commit, so that two who change it do not take back what the other one changed. */
    async lock(appId: number, uuid: string): Promise<void> {
      if (isPostgres(sql) && isStorable(uuid)) {
        await banners().where({ app_id: appId, uuid }).forNoKeyUpdate().first('id')
      }
    },

    /** Banners in the order of their creation. */
    async list(appId: number, limit: number): Promise<Banner[]> {
      const rows = await joined().where('banners.app_id', appId).orderBy('banners.id').limit(limit)
      return rows.map(toBanner)
    },

    /** Banners whose link is not switched off, in the order of their creation. */
    async listShown(appId: number, limit: number): Promise<Banner[]> {
      const shown = joined().where('banners.app_id', appId).whereRaw('deep_links.is_enabled')
      return (await shown.orderBy('banners.id').limit(limit)).map(toBanner)
    },

    /** Tells whether the app has at least `most` banners. */
    hasMany: (appId: number, most: number): Promise<boolean> => hasAtLeast(banners().where({ app_id: appId }), most),

    async insert(banner: Omit<Banner, 'id'>): Promise<Banner> {
      const [row] = await banners().insert(BANNERS.toRow(banner)).returning('*')
      return toBanner({ ...row!, slug: banner.slug })
    },

    async update({ id, ...banner }: Banner): Promise<void> {
      await banners().where({ app_id: banner.appId, id }).update(BANNERS.toRow(banner))
    },

    /** Returns whether there was one. */
    async delete(appId: number, uuid: string): Promise<boolean> {
      return (await banners().where({ app_id: appId, uuid }).delete()) > 0
    },
  }
}
