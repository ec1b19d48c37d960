import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { integer, table, text } from '../../platform/db/table.ts'

/** The purpose of a one-time link. */
export type LinkKind = 'setup' | 'invitation' | 'reset' | 'demo'

const LINKS = table('admin_links', {
  id: integer('id'),
  kind: text('kind').as<LinkKind>(),
  adminId: integer('admin_id').orNull,
  digest: text('digest'),
  expiresAt: integer('expires_at'),
})
const NEW = LINKS.omit('id')

export type OneTimeLink = ReturnType<typeof LINKS.fromRow>
export type LinksRepository = ReturnType<typeof linksRepository>

/** Tables: docs/reference/schema.md#admin_links. */
export function linksRepository(sql: Sql) {
  return {
    async insert(link: Parameters<typeof NEW.toRow>[0]): Promise<void> {
      await LINKS.in(sql).insert(NEW.toRow(link))
    },

    async find(digest: string): Promise<OneTimeLink | undefined> {
      const row = await LINKS.in(sql).where({ digest }).first()
      return row && LINKS.fromRow(row)
    },

    /** Uses a link up; false when somebody else was first. */
    async remove(linkId: number): Promise<boolean> {
      return (await LINKS.in(sql).where({ id: linkId }).delete()) > 0
    },

    async removeOfAdmin(adminId: number): Promise<void> {
      await LINKS.in(sql).where({ admin_id: adminId }).delete()
    },

    async removeSetup(): Promise<void> {
      await LINKS.in(sql).whereNull('admin_id').delete()
    },

    /** Deletes at most `limit` that are over; returns how many. */
    forget(now: number, limit: number): Promise<number> {
      return deleteSome(
        sql,
        'admin_links',
        sql('admin_links').where('expires_at', '<', now).orderBy('expires_at').limit(limit),
      )
    },
  }
}
