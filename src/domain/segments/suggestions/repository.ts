import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, whereIds } from '../../../platform/db/dialect.ts'
import { bytesOf, newestFirst, type WeighedRow } from '../../../platform/db/pages.ts'
import type { SeenEvent } from './seen-types.ts'

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

/** Tables: docs/reference/schema.md#users, #installs, #events. */
export function suggestionsRepository(sql: Sql) {
  /** The log is in this order. */
  const order = isPostgres(sql) ? ['tx', 'id'] : ['id']
  const place = order[0]!

  async function look(query: Knex.QueryBuilder): Promise<SeenEvent[]> {
    const rows: (Omit<SeenEvent, 'hasUser'> & { user: string | null })[] = await query.select(
      'id',
      `${place} as place`,
      'type',
      'user_identifier as user',
      'received_at as receivedAt',
      bytesOf(sql, ['data']),
    )
    return rows.map(({ user, ...row }) => ({ ...row, hasUser: user !== null }))
  }

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

    /** The newest events of an app. */
    newestEvents(appId: number, limit: number): Promise<SeenEvent[]> {
      const newest = order.map((column) => ({ column, order: 'desc' }))
      return look(sql('events').where({ app_id: appId }).orderBy(newest).limit(limit))
    },

    /** The place of the oldest event of an app, which has one. */
    async firstPlace(appId: number): Promise<number> {
      const [first] = await sql('events').where({ app_id: appId }).orderBy(order).limit(1).pluck(place)
      return first
    },

    /** The first events of an app from a place on, before another one. */
    eventsBetween(appId: number, { from, to }: { from: number; to: number }, limit: number): Promise<SeenEvent[]> {
      const between = sql('events').where({ app_id: appId }).where(place, '>=', from).where(place, '<', to)
      return look(between.orderBy(order).limit(limit))
    },

    /** Data of these events, as JSON. */
    async dataOf(appId: number, ids: readonly number[]): Promise<{ type: string; data: string | null }[]> {
      return whereIds(sql('events'), sql, appId, ids).select('id', 'type', 'data')
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
