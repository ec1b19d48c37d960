import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { byIndex, unindexed } from '../../../platform/db/dialect.ts'
import { integer, type Row, table, text } from '../../../platform/db/table.ts'

/** The last tap on a banner in one browser. Times are milliseconds since the epoch. */
export interface Tap {
  appId: number
  /** The browser, as the web SDK calls it. */
  webInstallId: string
  linkId: number
  /** Digest of the marks of the device; null when the tap waits for nothing (any more). */
  fingerprint: string | null
  platform: string | null
  osMajor: string | null
  tappedAt: number
}

const TAPS = table('link_taps', {
  appId: integer('app_id'),
  webInstallId: text('web_install_id'),
  linkId: integer('link_id'),
  fingerprint: text('fingerprint').orNull,
  platform: text('platform').orNull,
  osMajor: text('os_major').orNull,
  tappedAt: integer('tapped_at'),
})

type TapRow = Row<typeof TAPS> & { installed_at: number | null }

/** More than one is too many to choose from; a few more, because some may be of another system. */
const MOST_CANDIDATES = 20

export type TapsRepository = ReturnType<typeof tapsRepository>

export function tapsRepository(sql: Sql) {
  const taps = () => sql<TapRow>('link_taps')

  return {
    /** Replaces the browser's last tap; that the app is installed there stays known. */
    async save(tap: Tap): Promise<void> {
      await taps().insert(TAPS.toRow(tap)).onConflict(['app_id', 'web_install_id']).merge()
    },

    /** Taps with these marks since `since` that nobody has used. */
    async waiting(appId: number, fingerprint: string, since: number): Promise<Tap[]> {
      const rows = await taps()
        .where({ app_id: appId, fingerprint })
        .where('tapped_at', '>', since)
        .limit(MOST_CANDIDATES)
      return rows.map(TAPS.fromRow)
    },

    /** Uses a tap up and forgets its marks. False when somebody else did, or when there was a new tap since. */
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

    /** Forgets at most `limit` taps of any app before `before` after which the app was not seen. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql
        .from(sql.raw(`link_taps ${byIndex(sql, 'link_taps_unseen')}`))
        .where('tapped_at', '<', before)
        .whereNull('installed_at')
        .orderBy('tapped_at')
        .limit(limit)
        .select('app_id', 'web_install_id')
      // Said twice: a browser in which somebody taps meanwhile is looked at once more. The plus keeps SQLite to the keys.
      const some = taps().whereIn(['app_id', 'web_install_id'], old)
      return some
        .whereRaw(`${unindexed('tapped_at')} < ?`, [before])
        .whereNull('installed_at')
        .delete()
    },

    /** Deletes at most `limit` taps of an app; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'link_taps', taps().where({ app_id: appId }).orderBy('web_install_id').limit(limit))
    },
  }
}
