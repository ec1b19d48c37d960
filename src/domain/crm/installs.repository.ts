import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { jsonRows, rowLock, rowsOf, whereAmong } from '../../platform/db/dialect.ts'
import type { PlatformType } from '../gateways/registry.ts'
import type { Install, InstallDetails } from './types.ts'
import { versionKey } from './version-key.ts'

export interface InstallRow {
  id: number
  app_id: number
  install_id: string
  user_id: number
  user_since: number
  platform: PlatformType | null
  notifications_enabled: boolean | number
  notifications_at: number
  subscribed: boolean | number
  os: string | null
  os_version: string | null
  sdk_type: string | null
  sdk_version: string | null
  app_version: string | null
  /** Sorts as the version does; what segments compare. Only written here. */
  app_version_key?: string | null
  country_iso_code: string | null
  timezone: string | null
  locale: string | null
  device_model: string | null
  device_name: string | null
  details_at: number
  last_active: number
  created_at: number
  updated_at: number
}

const toInstall = (row: InstallRow): Install => ({
  row: row.id,
  appId: row.app_id,
  installId: row.install_id,
  userId: row.user_id,
  subscribed: Boolean(row.subscribed),
  notificationsEnabled: Boolean(row.notifications_enabled),
  platform: row.platform,
  os: row.os,
  osVersion: row.os_version,
  sdkType: row.sdk_type,
  sdkVersion: row.sdk_version,
  appVersion: row.app_version,
  countryIsoCode: row.country_iso_code,
  timezone: row.timezone,
  locale: row.locale,
  deviceModel: row.device_model,
  deviceName: row.device_name,
  lastActive: row.last_active,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Everything but the token, which nobody but the delivery reads. */
const COLUMNS = [
  'id',
  'app_id',
  'install_id',
  'user_id',
  'user_since',
  'platform',
  'notifications_enabled',
  'notifications_at',
  'subscribed',
  'os',
  'os_version',
  'sdk_type',
  'sdk_version',
  'app_version',
  'country_iso_code',
  'timezone',
  'locale',
  'device_model',
  'device_name',
  'details_at',
  'last_active',
  'created_at',
  'updated_at',
] as const satisfies (keyof InstallRow)[]

export interface TouchedInstall {
  row: number
  installId: string
  userIdentifier: string | null
}

export type InstallsRepository = ReturnType<typeof installsRepository>

export function installsRepository(sql: Sql) {
  const installs = () => sql<InstallRow>('installs')

  return {
    async find(appId: number, installId: string): Promise<Install | undefined> {
      const row = await installs()
        .where({ app_id: appId, install_id: installId })
        .first(...COLUMNS)
      return row && toInstall(row)
    },

    /**
     * Notes activity at `at` (never backwards) and locks the rows until the commit; installs that do not exist are left out. The
     * identifier of a user is null when that user came to be while we waited for the lock. Each id at most once.
     */
    async touch(appId: number, list: readonly { installId: string; at: number }[]): Promise<TouchedInstall[]> {
      // Found first, in the order of their rows, so that two uploads of several installs never wait for each other in a circle.
      const text = `WITH given (install_id, at) AS (${jsonRows(sql, ['text', 'bigint'], list.length)}),
        found AS MATERIALIZED (
          SELECT installs.id, given.at FROM given CROSS JOIN installs
          WHERE installs.app_id = ? AND installs.install_id = given.install_id
          ORDER BY installs.id ${rowLock(sql, 'installs')})
        UPDATE installs
        SET last_active = CASE WHEN installs.last_active < found.at THEN found.at ELSE installs.last_active END
        FROM found WHERE installs.id = found.id
        RETURNING installs.id AS "row", installs.install_id AS "installId",
          (SELECT identifier FROM users WHERE users.id = installs.user_id) AS "userIdentifier"`
      const lines = JSON.stringify(list.map(({ installId, at }) => [installId, at]))
      return rowsOf<TouchedInstall>(await sql.raw(text, [lines, appId]))
    },

    /** Makes installs but those that exist; tells the rows of those it made. */
    async createAll(
      appId: number,
      list: readonly { installId: string; userId: number; at: number }[],
      now: number,
    ): Promise<{ row: number; installId: string }[]> {
      const lines = list.map(({ installId, userId, at }) => [appId, installId, userId, at, now, now])
      const made = await sql.raw(
        `INSERT INTO installs (app_id, install_id, user_id, last_active, created_at, updated_at)
         ${jsonRows(sql, ['bigint', 'text', 'bigint', 'bigint', 'bigint', 'bigint'])}
         ON CONFLICT (app_id, install_id) DO NOTHING RETURNING id AS "row", install_id AS "installId"`,
        [JSON.stringify(lines)],
      )
      return rowsOf(made)
    },

    /** Makes an install unless it exists (then undefined). */
    async create(
      appId: number,
      installId: string,
      userId: number,
      at: number,
      now: number,
    ): Promise<number | undefined> {
      const [row] = await installs()
        .insert({
          app_id: appId,
          install_id: installId,
          user_id: userId,
          last_active: at,
          created_at: now,
          updated_at: now,
        })
        .onConflict(['app_id', 'install_id'])
        .ignore()
        .returning('id')
      return row?.id
    },

    /** Whose install it is and since when; locks the row until the commit. */
    async lockUser(appId: number, row: number): Promise<{ userId: number; userSince: number } | undefined> {
      const found = await installs().where({ app_id: appId, id: row }).forUpdate().first('user_id', 'user_since')
      return found && { userId: found.user_id, userSince: found.user_since }
    },

    /** Identifier of the install's current user. */
    async currentUser(appId: number, row: number): Promise<string | undefined> {
      // No join: SQLite plans one with bound parameters anew each time.
      const user = installs().where({ app_id: appId, id: row }).select('user_id')
      const found = await sql('users').where('id', user).first('identifier')
      return found?.identifier
    },

    async setUser(appId: number, row: number, userId: number, since: number, now: number): Promise<void> {
      const preferred = 'COALESCE((SELECT preferred_hour FROM active_hours WHERE active_hours.user_id = ?), -1)'
      await sql('installs')
        .where({ app_id: appId, id: row })
        .update({
          user_id: userId,
          user_since: since,
          updated_at: now,
          preferred_hour: sql.raw(preferred, [userId]),
          zone_changed_at: sql.raw(`CASE WHEN preferred_hour <> ${preferred} THEN ? ELSE zone_changed_at END`, [
            userId,
            now,
          ]),
        })
    },

    /** Stores what the device says of itself unless a newer event did. */
    async setDetails(appId: number, row: number, details: InstallDetails, at: number, now: number): Promise<void> {
      const unlessNewer = () => sql('installs').where({ app_id: appId, id: row }).where('details_at', '<=', at)
      // By itself, because it stands in three indexes and hardly ever changes.
      await unlessNewer()
        .whereRaw('timezone IS DISTINCT FROM ?', [details.timezone])
        .update({ timezone: details.timezone, zone_changed_at: now })
      await unlessNewer().update({
        os: details.os,
        os_version: details.osVersion,
        sdk_type: details.sdkType,
        sdk_version: details.sdkVersion,
        app_version: details.appVersion,
        app_version_key: versionKey(details.appVersion),
        country_iso_code: details.countryIsoCode,
        locale: details.locale,
        device_model: details.deviceModel,
        device_name: details.deviceName,
        details_at: at,
        updated_at: now,
      })
    },

    /** Current installs of these users, oldest first. */
    async ofUsers(appId: number, userIds: readonly number[]): Promise<Install[]> {
      const rows = await whereAmong(sql<InstallRow>('installs').where({ app_id: appId }), sql, 'user_id', userIds)
        .orderBy('id')
        .select(...COLUMNS)
      return (rows as InstallRow[]).map(toInstall)
    },

    /** Installs in the order of their creation, after the row `after`. */
    async list(appId: number, after: number, limit: number): Promise<Install[]> {
      // The plus keeps SQLite from sorting all installs of the app instead of walking on by id.
      const rows = await installs()
        .whereRaw('+app_id = ?', [appId])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select(...COLUMNS)
      return (rows as InstallRow[]).map(toInstall)
    },

    /** Row and subscription of the installs with these ids. */
    async among(
      appId: number,
      installIds: readonly string[],
    ): Promise<{ installId: string; row: number; subscribed: boolean }[]> {
      const rows: Pick<InstallRow, 'id' | 'install_id' | 'subscribed'>[] = await whereAmong(
        sql('installs').where({ app_id: appId }),
        sql,
        'install_id',
        installIds,
      ).select('id', 'install_id', 'subscribed')
      return rows.map((row) => ({ installId: row.install_id, row: row.id, subscribed: Boolean(row.subscribed) }))
    },

    /** Subscribed installs of these users, oldest first. */
    async subscribedOf(appId: number, userIds: readonly number[]): Promise<{ userId: number; row: number }[]> {
      const rows: Pick<InstallRow, 'id' | 'user_id'>[] = await whereAmong(
        sql('installs').where({ app_id: appId, subscribed: true }),
        sql,
        'user_id',
        userIds,
      )
        .orderBy('id')
        .select('id', 'user_id')
      return rows.map((row) => ({ userId: row.user_id, row: row.id }))
    },

    /** Deletes at most `limit` installs of an app with their tokens and positions; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'installs', installs().where({ app_id: appId }).orderBy('user_id').limit(limit))
    },
  }
}
