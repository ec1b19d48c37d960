import type { Sql } from '../../../platform/db/connect.ts'
import { isStorable } from '../../../platform/json.ts'
import type { Banner, BannerDesign } from './types.ts'

interface BannerRow {
  id: number
  app_id: number
  uuid: string
  link_id: number
  design: string
  created_at: number
  updated_at: number
}

const toBanner = (row: BannerRow & { slug: string }): Banner => ({
  id: row.id,
  appId: row.app_id,
  uuid: row.uuid,
  linkId: row.link_id,
  slug: row.slug,
  design: JSON.parse(row.design) as BannerDesign,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toRow = (banner: Omit<Banner, 'id'>): Omit<BannerRow, 'id'> => ({
  app_id: banner.appId,
  uuid: banner.uuid,
  link_id: banner.linkId,
  design: JSON.stringify(banner.design),
  created_at: banner.createdAt,
  updated_at: banner.updatedAt,
})

export type BannersRepository = ReturnType<typeof bannersRepository>

export function bannersRepository(sql: Sql) {
  const banners = () => sql<BannerRow>('banners')
  const joined = () =>
    banners()
      .join('deep_links', 'deep_links.id', 'banners.link_id')
      .select<(BannerRow & { slug: string })[]>('banners.*', 'deep_links.slug')

  return {
    async find(appId: number, uuid: string): Promise<Banner | undefined> {
      // PostgreSQL refuses to compare with a NUL character, which a path may hold.
      if (!isStorable(uuid)) return undefined
      const row = await joined().where({ 'banners.app_id': appId, 'banners.uuid': uuid }).first()
      return row && toBanner(row)
    },

    /** Banners in the order of their creation. */
    async list(appId: number, limit: number): Promise<Banner[]> {
      const rows = await joined().where('banners.app_id', appId).orderBy('banners.id').limit(limit)
      return rows.map(toBanner)
    },

    async insert(banner: Omit<Banner, 'id'>): Promise<Banner> {
      const [row] = await banners().insert(toRow(banner)).returning('*')
      return toBanner({ ...row!, slug: banner.slug })
    },

    async update({ id, ...banner }: Banner): Promise<void> {
      await banners().where({ app_id: banner.appId, id }).update(toRow(banner))
    },

    /** Returns whether there was one. */
    async delete(appId: number, uuid: string): Promise<boolean> {
      return (await banners().where({ app_id: appId, uuid }).delete()) > 0
    },
  }
}
