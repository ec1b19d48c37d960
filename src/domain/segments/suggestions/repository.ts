import type { Sql } from '../../../platform/db/connect.ts'
import { whereIds } from '../../../platform/db/dialect.ts'
import { bytesOf, newestFirst, type WeighedRow } from '../../../platform/db/pages.ts'

/** Columns of installs whose values a filter can ask for, by the field of the filter. */
export const INSTALL_COLUMNS = {
  os: 'os',
  sdkType: 'sdk_type',
  appVersion: 'app_version',
  buildKind: 'build_kind',
  locale: 'locale',
  countryIsoCode: 'country_iso_code',
  timezone: 'timezone',
} as const

export type InstallField = keyof typeof INSTALL_COLUMNS

export type SuggestionsRepository = ReturnType<typeof suggestionsRepository>

/** Tables: docs/reference/schema.md#users, #installs. */
export function suggestionsRepository(sql: Sql) {
  return {
    /** The newest listed users of an app, and the sizes of their attributes. */
    newestUsers(appId: number, limit: number): Promise<WeighedRow[]> {
      return sql('users')
        .where({ app_id: appId })
        .whereRaw('listed')
        .modify(newestFirst(undefined, limit))
        .select('id', bytesOf(sql, ['attributes']))
    },

    /** Attributes of these users, as JSON. */
    async attributesOf(appId: number, ids: readonly number[]): Promise<{ id: number; attributes: string }[]> {
      return whereIds(sql('users'), sql, appId, ids).select('id', 'attributes')
    },

    /** Reported values of the newest installs of a platform that pushes reach. */
    async newestInstalls(
      appId: number,
      platform: number,
      limit: number,
    ): Promise<Record<InstallField, string | null>[]> {
      const columns = Object.entries(INSTALL_COLUMNS).map(([field, column]) => `${column} as ${field}`)
      return sql('installs')
        .where({ app_id: appId, platform })
        .whereRaw('subscribed')
        .modify(newestFirst(undefined, limit))
        .select(...columns)
    },
  }
}
