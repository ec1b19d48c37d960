import type { Sql } from '../../../platform/db/connect.ts'
import { boolean, definitionList, integer, type Row, table, text } from '../../../platform/db/table.ts'
import type { PictureKind } from '../../../platform/pictures/types.ts'
import { lockApp } from '../../apps/repository.ts'
import type { LinkPlace, LinkSettings, LinkSite } from '../types.ts'
import type { HostKey } from './addresses.ts'

const SETTINGS = table('link_settings', {
  domain: text('domain').orNull,
  iosTeamId: text('ios_team_id').orNull,
  iosBundleIds: definitionList('ios_bundle_ids').as<string[]>(),
  androidPackage: text('android_package').orNull,
  androidSha256: definitionList('android_sha256').as<string[]>(),
  appStoreUrl: text('app_store_url').orNull,
  playStoreUrl: text('play_store_url').orNull,
  fingerprintWindow: integer('fingerprint_window'),
  offersClipboard: boolean('offers_clipboard'),
  icon: text('icon').orNull,
  color: text('color').orNull,
  offersCode: boolean('offers_code'),
})

/** Settings of an app that has never set any. */
const DEFAULTS: Omit<LinkSettings, 'subdomain'> = {
  domain: null,
  iosTeamId: null,
  iosBundleIds: [],
  androidPackage: null,
  androidSha256: [],
  appStoreUrl: null,
  playStoreUrl: null,
  fingerprintWindow: 0,
  offersClipboard: true,
  icon: null,
  color: null,
  offersCode: false,
}

/** An app with its settings. The outer join returns nulls when it has none. */
interface SiteRow extends Row<typeof SETTINGS> {
  id: number
  name: string
  link_host_label: string
  app_id: number | null
  icon_uid: string | null
  icon_kind: PictureKind | null
}

const toSite = (row: SiteRow): LinkSite => ({
  appId: row.id,
  appName: row.name,
  settings: { subdomain: row.link_host_label, ...(row.app_id === null ? DEFAULTS : SETTINGS.fromRow(row)) },
  appIcon: row.icon_uid === null ? null : { uid: row.icon_uid, kind: row.icon_kind! },
})

export type LinkSettingsRepository = ReturnType<typeof linkSettingsRepository>

/** Tables: docs/reference/schema.md#link_settings. */
export function linkSettingsRepository(sql: Sql) {
  return {
    /** The app with this id or host and its icon, found by index look-ups. Settings that were never saved have their defaults. */
    async site(key: { appId: number } | HostKey): Promise<LinkSite | undefined> {
      const row: SiteRow | undefined = await sql('apps')
        .leftJoin('link_settings', 'link_settings.app_id', 'apps.id')
        .leftJoin('picture_uses', 'picture_uses.icon_app_id', 'apps.id')
        .leftJoin('pictures', 'pictures.id', 'picture_uses.picture_id')
        .modify((query) => {
          if ('appId' in key) query.where('apps.id', key.appId)
          else if ('domain' in key) query.where('link_settings.domain', key.domain)
          else query.where('apps.link_host_label', key.subdomain)
        })
        .first(
          'apps.id',
          'apps.name',
          'apps.link_host_label',
          'link_settings.*',
          'pictures.uid as icon_uid',
          'pictures.kind as icon_kind',
        )
      return row && toSite(row)
    },

    /** The place of the links of an app. */
    async place(appId: number): Promise<LinkPlace | undefined> {
      const row: { link_host_label: string; domain: string | null; fingerprint_window: number | null } | undefined =
        await sql('apps')
          .leftJoin('link_settings', 'link_settings.app_id', 'apps.id')
          .where('apps.id', appId)
          .first('apps.link_host_label', 'link_settings.domain', 'link_settings.fingerprint_window')
      if (!row) return undefined
      const { link_host_label: subdomain, domain, fingerprint_window: window } = row
      return { appId, settings: { subdomain, domain, fingerprintWindow: window ?? DEFAULTS.fingerprintWindow } }
    },

    /** Subdomains and own domains of the first apps, for at most `most` apps. */
    async hosts(most: number): Promise<Pick<LinkSettings, 'subdomain' | 'domain'>[]> {
      const rows: { link_host_label: string; domain: string | null }[] = await sql('apps')
        .leftJoin('link_settings', 'link_settings.app_id', 'apps.id')
        .orderBy('apps.id')
        .limit(most)
        .select('apps.link_host_label', 'link_settings.domain')
      return rows.map(({ link_host_label: subdomain, domain }) => ({ subdomain, domain }))
    },

    /** Locks the app until the commit, so that two who change its settings do not take back what the other one changed. */
    async lock(appId: number): Promise<void> {
      await lockApp(sql, appId)
    },

    /**
     * Replaces the settings of an app, except its subdomain. False when another app has got the domain in this very moment; the
     * transaction can only be rolled back then.
     */
    async save(appId: number, settings: LinkSettings, now: number): Promise<boolean> {
      const row = { app_id: appId, ...SETTINGS.toRow(settings), updated_at: now }
      try {
        await sql('link_settings').insert(row).onConflict('app_id').merge()
        return true
      } catch (error) {
        if ((error as { constraint?: unknown }).constraint === 'link_settings_domain_unique') return false
        throw error
      }
    },
  }
}
