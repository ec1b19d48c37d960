import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { byIndex, unindexed } from '../../../platform/db/dialect.ts'
import { integer, type Row, table, text, type Value } from '../../../platform/db/table.ts'

const TAPS = table('link_taps', {
  appId: integer('app_id'),
  /** The id that the web SDK gave the browser. */
  webInstallId: text('web_install_id'),
  linkId: integer('link_id'),
  /** Digest of the characteristics of the device; null when the tap cannot be matched (any more). */
  fingerprint: text('fingerprint').orNull,
  platform: text('platform').orNull,
  osMajor: text('os_major').orNull,
  tappedAt: integer('tapped_at'),
})

/** The last tap on a banner in one browser. Times are milliseconds since the epoch. */
export type Tap = Value<typeof TAPS>

type TapRow = Row<typeof TAPS> & { installed_at: number | null }

/**
 * Maximum number of taps read for a match. Two equal taps are already ambiguous, but some may be from another platform
 * or version.
 */
const MAX_CANDIDATES = 20

export type TapsRepository = ReturnType<typeof tapsRepository>

/** Tables: docs/reference/schema.md#link_taps. */
export function tapsRepository(sql: Sql) {
  const taps = () => sql<TapRow>('link_taps')

  return {
    /** Replaces the browser's last tap. `installed_at` stays. */
    async save(tap: Tap): Promise<void> {
      await taps().insert(TAPS.toRow(tap)).onConflict(['app_id', 'web_install_id']).merge()
    },

    /** Unused taps with this fingerprint since `since`. */
    async waiting(appId: number, fingerprint: string, since: number): Promise<Tap[]> {
      const rows = await taps()
        .where({ app_id: appId, fingerprint })
        .where('tapped_at', '>', since)
        .limit(MAX_CANDIDATES)
      return rows.map(TAPS.fromRow)
    },

    /**
     * Marks a tap as used and deletes its fingerprint. False when another call did so first, or when there is a newer
     * tap.
     */
    async use({ appId, webInstallId, fingerprint, tappedAt }: Tap, now: number): Promise<boolean> {
      const used = await taps()
        .where({ app_id: appId, web_install_id: webInstallId, fingerprint, tapped_at: tappedAt })
        .update({ fingerprint: null, installed_at: now })
      return used > 0
    },

    async isInstalled(appId: number, webInstallId: string): Promise<boolean> {
      const row = await taps().where({ app_id: appId, web_install_id: webInstallId }).first('installed_at')
      return row !== undefined && row.installed_at !== null
    },

    /**
     * Deletes at most `limit` taps, of all apps, that are older than `before`, if their browser has never had a match.
     * Returns how many. A browser with a match is kept: banners on it open the app directly.
     */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql
        .from(sql.raw(`link_taps ${byIndex(sql, 'link_taps_unseen')}`))
        .where('tapped_at', '<', before)
        .whereNull('installed_at')
        .orderBy('tapped_at')
        .limit(limit)
        .select('app_id', 'web_install_id')
      // The conditions are repeated for taps that change between the SELECT and the DELETE.
      const some = taps().whereIn(['app_id', 'web_install_id'], old)
      return some
        .whereRaw(`${unindexed('tapped_at')} < ?`, [before])
        .whereNull('installed_at')
        .delete()
    },

    /** Deletes at most `limit` taps after which a link was to be found; returns how many. */
    clearLink(appId: number, linkId: number, limit: number): Promise<number> {
      const some = taps().where({ app_id: appId, link_id: linkId }).orderBy('link_id').limit(limit)
      return deleteSome(sql, 'link_taps', some)
    },

    /** Deletes at most `limit` taps of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'link_taps', taps().where({ app_id: appId }).orderBy('web_install_id').limit(limit))
    },
  }
}
