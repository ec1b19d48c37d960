import type { Sql } from '../../../platform/db/connect.ts'
import type { LinkSettings, LinkSite } from '../types.ts'
import type { HostKey } from './addresses.ts'

/** What `SELECT` gives for an app that has never set anything: nulls from the outer join. */
interface SiteRow {
  id: number
  name: string
  link_host_label: string
  domain: string | null
  ios_team_id: string | null
  ios_bundle_ids: string | null
  android_package: string | null
  android_sha256: string | null
  app_store_url: string | null
  play_store_url: string | null
  fingerprint_window: number | null
  offers_clipboard: boolean | number | null
}

const toSite = (row: SiteRow): LinkSite => ({
  appId: row.id,
  appName: row.name,
  settings: {
    subdomain: row.link_host_label,
    domain: row.domain,
    iosTeamId: row.ios_team_id,
    iosBundleIds: JSON.parse(row.ios_bundle_ids ?? '[]') as string[],
    androidPackage: row.android_package,
    androidSha256: JSON.parse(row.android_sha256 ?? '[]') as string[],
    appStoreUrl: row.app_store_url,
    playStoreUrl: row.play_store_url,
    fingerprintWindow: row.fingerprint_window ?? 0,
    offersClipboard: Boolean(row.offers_clipboard ?? true),
  },
})

export type LinkSettingsRepository = ReturnType<typeof linkSettingsRepository>

export function linkSettingsRepository(sql: Sql) {
  return {
    /** The app of an id or a host; one look into an index. Its settings have their defaults when it never set any. */
    async site(key: { appId: number } | HostKey): Promise<LinkSite | undefined> {
      const row: SiteRow | undefined = await sql('apps')
        .leftJoin('link_settings', 'link_settings.app_id', 'apps.id')
        .modify((query) => {
          if ('appId' in key) query.where('apps.id', key.appId)
          else if ('domain' in key) query.where('link_settings.domain', key.domain)
          else query.where('apps.link_host_label', key.subdomain)
        })
        .first('apps.id', 'apps.name', 'apps.link_host_label', 'link_settings.*')
      return row && toSite(row)
    },

    /** Replaces the settings of an app; its subdomain is not changed. */
    async save(appId: number, settings: LinkSettings, now: number): Promise<void> {
      const row = {
        app_id: appId,
        domain: settings.domain,
        ios_team_id: settings.iosTeamId,
        ios_bundle_ids: JSON.stringify(settings.iosBundleIds),
        android_package: settings.androidPackage,
        android_sha256: JSON.stringify(settings.androidSha256),
        app_store_url: settings.appStoreUrl,
        play_store_url: settings.playStoreUrl,
        fingerprint_window: settings.fingerprintWindow,
        offers_clipboard: settings.offersClipboard,
        updated_at: now,
      }
      await sql('link_settings').insert(row).onConflict('app_id').merge()
    },
  }
}
