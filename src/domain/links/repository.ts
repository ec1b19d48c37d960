import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, jsonRows, rowsOf, unindexed, whereAmong, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, oldestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { boolean, definition, integer, type Row, table, text } from '../../platform/db/table.ts'
import { notePictures, replacePictures } from '../pictures/uses.ts'
import type { DeepLink } from './types.ts'

const LINKS = table('deep_links', {
  id: integer('id'),
  appId: integer('app_id'),
  slug: text('slug'),
  linkData: definition('link_data').as<Record<string, unknown>>(),
  title: text('title').orNull,
  description: text('description').orNull,
  pictureUrl: text('picture_url').orNull,
  desktopWebFallbackUrl: text('desktop_web_fallback_url'),
  mobileWebFallbackUrl: text('mobile_web_fallback_url'),
  reportingMeta: definition('reporting_meta').as<Record<string, unknown>>().orNull,
  expiresAt: integer('expires_at').orNull,
  lookupLimit: integer('lookup_limit').orNull,
  isEnabled: boolean('is_enabled'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})
const STORED = LINKS.omit('id')
const LABELS = LINKS.pick('id', 'slug', 'reportingMeta')

/** The statement for SQLite: one by one (docs/decisions/measurements.md). */
const ADD_CLICKS = prepared<{ appId: number; id: number; clicks: number }>(
  `UPDATE deep_link_counts SET clicks = clicks + :clicks WHERE link_id = :id AND ${unindexed('app_id')} = :appId`,
)

type LinkRow = Row<typeof LINKS> & Pick<DeepLink, 'lookups' | 'clicks'>

function toLink(row: LinkRow): DeepLink {
  const { title, description, ...link } = LINKS.fromRow(row)
  const content = { ...(title !== null && { title }), ...(description !== null && { description }) }
  return { ...link, content, lookups: row.lookups, clicks: row.clicks }
}

/** A link to store. */
export type LinkToStore = Omit<DeepLink, 'id' | 'appId' | 'lookups' | 'clicks'>

/** Slug and metadata of a link, for events. */
export type LinkLabel = Pick<DeepLink, 'id' | 'slug' | 'reportingMeta'>

export type LinksRepository = ReturnType<typeof linksRepository>

/** Tables: docs/reference/schema.md#deep_links, #deep_link_counts, #deleted_links, #banners. */
export function linksRepository(sql: Sql) {
  const counted = () =>
    LINKS.in(sql)
      .join('deep_link_counts', 'deep_link_counts.link_id', 'deep_links.id')
      .select<LinkRow[]>('deep_links.*', 'deep_link_counts.lookups', 'deep_link_counts.clicks')

  async function hold(appId: number, id: number): Promise<void> {
    if (isPostgres(sql)) await sql('deep_links').where({ app_id: appId, id }).forNoKeyUpdate().first('id')
  }

  return {
    async find(appId: number, key: { id: number } | { slug: string }): Promise<DeepLink | undefined> {
      const name = 'id' in key ? 'id' : 'slug'
      const row = await counted()
        .where('deep_links.app_id', appId)
        .where(`deep_links.${name}`, 'id' in key ? key.id : key.slug)
        .first()
      return row && toLink(row)
    },

    /** Ids and sizes of links in the order of their creation, after the id `after`. */
    list(appId: number, after: number, limit: number): Promise<WeighedRow[]> {
      const listed = sql('deep_links')
        .where({ app_id: appId })
        .whereRaw('NOT EXISTS (SELECT 1 FROM deleted_links WHERE deleted_links.link_id = deep_links.id)')
        .modify(oldestFirst(after, limit))
      return listed.select('id', bytesOf(sql, ['link_data', 'reporting_meta', 'description']))
    },

    /** The links with these ids; unknown ids are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<DeepLink[]> {
      return (await whereIds(counted(), sql, appId, ids, { of: 'deep_links' })).map(toLink)
    },

    /** Stores the links whose slugs are new to the app. Returns slug -> id of the stored ones. */
    async insert(appId: number, links: readonly LinkToStore[]): Promise<Map<string, number>> {
      if (links.length === 0) return new Map()
      const lines = links.map(({ content: { title = null, description = null }, ...link }) =>
        STORED.toLine({ ...link, appId, title, description }),
      )
      const result = await sql.raw(
        `INSERT INTO deep_links (${STORED.names.join(', ')}) ${jsonRows(sql, STORED.types)}
         ON CONFLICT (app_id, slug) DO NOTHING RETURNING id, slug`,
        [JSON.stringify(lines)],
      )
      const stored = new Map(rowsOf<{ id: number; slug: string }>(result).map(({ id, slug }) => [slug, id]))
      await sql.raw(
        `INSERT INTO deep_link_counts (link_id, app_id, lookups, clicks)
         ${jsonRows(sql, ['bigint', 'bigint', 'bigint', 'bigint'])}`,
        [JSON.stringify([...stored.values()].map((id) => [id, appId, 0, 0]))],
      )
      for (const { slug, pictureUrl } of links) {
        const id = stored.get(slug)
        if (id !== undefined && pictureUrl !== null) await notePictures(sql, 'deep link', id, pictureUrl)
      }
      return stored
    },

    /** Slugs among `slugs` that the app has. */
    async takenSlugs(appId: number, slugs: readonly string[]): Promise<Set<string>> {
      if (slugs.length === 0) return new Set()
      const rows: { slug: string }[] = await whereAmong(
        sql('deep_links').where({ app_id: appId }),
        sql,
        'slug',
        slugs,
      ).select('slug')
      return new Set(rows.map((row) => row.slug))
    },

    /** Slug and `reportingMeta` of these links of the app, by id. */
    async labels(appId: number, ids: readonly number[]): Promise<Map<number, LinkLabel>> {
      if (ids.length === 0) return new Map()
      const rows = await whereIds(LABELS.in(sql), sql, appId, ids).select(...LABELS.names)
      return new Map(rows.map((row) => [row.id, LABELS.fromRow(row)]))
    },

    /**
     * Counts one match if the link is active at `now`. One statement, so that simultaneous look-ups cannot exceed the
     * limit: PostgreSQL checks the condition again when another transaction has changed the row.
     */
    async countLookup(appId: number, linkId: number, now: number): Promise<boolean> {
      const inForce = (link: Knex.QueryBuilder) =>
        link
          .from('deep_links')
          .whereRaw('deep_links.id = deep_link_counts.link_id')
          .whereRaw('deep_links.is_enabled')
          .whereRaw('(deep_links.expires_at IS NULL OR deep_links.expires_at > ?)', [now])
          .whereRaw('(deep_links.lookup_limit IS NULL OR deep_links.lookup_limit > deep_link_counts.lookups)')
          .select(sql.raw('1'))
      const changed = await sql('deep_link_counts')
        .where({ link_id: linkId, app_id: appId })
        .whereExists((link) => void inForce(link))
        .update({ lookups: sql.raw('deep_link_counts.lookups + 1') })
      return changed > 0
    },

    /** The link, locked until the commit against other changes. SQLite has a single writer. */
    async lock(appId: number, id: number): Promise<DeepLink | undefined> {
      await hold(appId, id)
      const row = await counted().where('deep_links.app_id', appId).where('deep_links.id', id).first()
      return row && toLink(row)
    },

    /** Stores the fields of a link; its counts stay. */
    async update({ id, content, ...link }: DeepLink): Promise<void> {
      const { title = null, description = null } = content
      await STORED.in(sql)
        .where({ app_id: link.appId })
        .where('id', id)
        .update(STORED.toRow({ ...link, title, description }))
      await replacePictures(sql, 'deep link', id, link.pictureUrl)
    },

    /** The uuid of a banner that leads to a link, if there is one. */
    async bannerOf(appId: number, id: number): Promise<string | undefined> {
      const row = await sql('banners').where({ app_id: appId, link_id: id }).first('uuid')
      return row?.uuid
    },

    /**
     * Takes a link out of the way: without counts nothing finds it by id, and no path leads to its new slug. Its rows
     * are left to `clearDeleted`, because it may have a million taps. Returns whether there was one.
     */
    async delete(appId: number, id: number): Promise<boolean> {
      // Before its counts, in the order of whoever locks a link to delete it, or deletes links with their counts.
      await hold(appId, id)
      const gone = await sql('deep_link_counts').where({ link_id: id, app_id: appId }).delete()
      if (gone === 0) return false
      await sql('deep_links')
        .where({ app_id: appId, id })
        .update({ slug: `//${id}` })
      await sql('deleted_links').insert({ link_id: id, app_id: appId })
      return true
    },

    /** A link that is deleted and whose rows are not. */
    async firstDeleted(): Promise<{ appId: number; id: number } | undefined> {
      const row = await sql('deleted_links').orderBy('link_id').first('app_id', 'link_id')
      return row && { appId: row.app_id, id: row.link_id }
    },

    /** Deletes the row of a deleted link, whose taps must be gone. */
    async forgetDeleted(appId: number, id: number): Promise<void> {
      await sql('deep_links').where({ app_id: appId, id }).delete()
    },

    /** Adds to the clicks of these links. Returns the ids that exist. */
    async addClicks(appId: number, added: ReadonlyMap<number, number>): Promise<Set<number>> {
      if (!isPostgres(sql)) {
        const present = new Set<number>()
        for (const [id, clicks] of added) if (await ADD_CLICKS.run(sql, { appId, id, clicks })) present.add(id)
        return present
      }
      const result = await sql.raw(
        `WITH added (link_id, clicks) AS (${jsonRows(sql, ['bigint', 'bigint'])})
         UPDATE deep_link_counts SET clicks = deep_link_counts.clicks + added.clicks
         FROM added WHERE deep_link_counts.link_id = added.link_id AND ${unindexed('deep_link_counts.app_id')} = ?
         RETURNING deep_link_counts.link_id AS id`,
        [JSON.stringify([...added]), appId],
      )
      return new Set(rowsOf<{ id: number }>(result).map(({ id }) => id))
    },

    /**
     * Deletes at most `limit` links of an app with their counts and banners; their taps must be gone. Returns how many.
     */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'deep_links', sql('deep_links').where({ app_id: appId }).orderBy('id').limit(limit))
    },
  }
}
