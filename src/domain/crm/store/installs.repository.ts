import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import {
  among,
  isPostgres,
  jsonRows,
  type List,
  listOf,
  unindexed,
  whereAmong,
  whereIds,
} from '../../../platform/db/dialect.ts'
import { prepared, preparedLookUp, preparedPlan } from '../../../platform/db/prepared.ts'
import { boolean, integer, type Row, table, text } from '../../../platform/db/table.ts'
import type { TokenEnvironment } from '../../gateways/gateway.ts'
import type { PlatformType } from '../../gateways/registry.ts'
import type { BuildKind, Install, InstallDetails, RunsIn } from '../types.ts'
import { versionKey } from './version-key.ts'

/** Installs, including their push tokens. */
export const INSTALLS = table('installs', {
  row: integer('id'),
  appId: integer('app_id'),
  installId: text('install_id'),
  userId: integer('user_id'),
  userSince: integer('user_since'),
  platform: integer('platform').as<PlatformType>().orNull,
  token: text('token').orNull,
  tokenKeys: text('token_keys').orNull,
  topic: text('token_topic').orNull,
  environment: text('token_environment').as<TokenEnvironment>().orNull,
  tokenAt: integer('token_at').orNull,
  refusals: integer('token_refusals'),
  notificationsEnabled: boolean('notifications_enabled'),
  notificationsAt: integer('notifications_at'),
  subscribed: boolean('subscribed'),
  os: text('os').orNull,
  osVersion: text('os_version').orNull,
  sdkType: text('sdk_type').orNull,
  sdkVersion: text('sdk_version').orNull,
  appVersion: text('app_version').orNull,
  /** Text that sorts as the version does, for comparisons in segments. */
  appVersionKey: text('app_version_key').orNull,
  countryIsoCode: text('country_iso_code').orNull,
  timezone: text('timezone').orNull,
  locale: text('locale').orNull,
  deviceModel: text('device_model').orNull,
  deviceName: text('device_name').orNull,
  buildKind: text('build_kind').as<BuildKind>().orNull,
  simulator: boolean('simulator').orNull,
  timeSensitive: boolean('time_sensitive').orNull,
  runsIn: text('runs_in').as<RunsIn>().orNull,
  detailsAt: integer('details_at'),
  lastActive: integer('last_active'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** Columns that are shown: without the token, which only deliveries read, and without the times of single reports. */
const SHOWN = INSTALLS.omit(
  'token',
  'tokenKeys',
  'topic',
  'environment',
  'tokenAt',
  'refusals',
  'userSince',
  'notificationsAt',
  'appVersionKey',
  'detailsAt',
)

const SUBSCRIPTION = INSTALLS.pick('row', 'installId', 'subscribed', 'platform')
const AMONG = prepared<{ appId: number; ids: List }, Row<typeof SUBSCRIPTION>>(
  (kind) =>
    `SELECT ${SUBSCRIPTION.names.join(', ')} FROM installs WHERE app_id = :appId AND ${among(kind, 'install_id', 'ids')}`,
  { appId: 'bigint', ids: 'text[]' },
)
const REACHED = INSTALLS.pick('row', 'userId', 'platform')
const SUBSCRIBED_OF = preparedPlan<{ appId: number; ids: List }, Row<typeof REACHED>>(
  (kind) =>
    `SELECT ${REACHED.names.join(', ')} FROM installs
     WHERE subscribed AND ${unindexed('app_id')} = :appId AND ${among(kind, 'user_id', 'ids')} ORDER BY id`,
  { appId: 'bigint', ids: 'bigint[]' },
)

export interface TouchedInstall {
  row: number
  installId: string
  userIdentifier: string | null
  /** The hour of the user's activity that was counted last, null for none. */
  lastHour?: number | null
  /** The time up to which the user's activity is recorded, too; absent on SQLite. */
  userSeenAt?: number | null
}

/** An install that was active at `at`, and its user at `userAt`: null when that is recorded apart. */
export interface Touch {
  installId: string
  at: number
  userAt: number | null
}

/** The statements for SQLite, where two short ones for each install take half the time of one for all of them. */
const LOOK_AT = prepared<{ appId: number; installId: string }, TouchedInstall & { lastActive: number }>(
  `SELECT id AS "row", install_id AS "installId", last_active AS "lastActive",
     (SELECT identifier FROM users WHERE users.id = installs.user_id) AS "userIdentifier",
     (SELECT last_hour FROM active_hours WHERE active_hours.user_id = installs.user_id) AS "lastHour"
   FROM installs WHERE app_id = :appId AND install_id = :installId`,
)
const TOUCH = prepared<{ appId: number; row: number; at: number }>(
  `UPDATE installs SET last_active = :at WHERE id = :row AND ${unindexed('app_id')} = :appId`,
)
/**
 * The statement for PostgreSQL, which also records the activity of the users. Rows are changed in their order, so that two uploads of
 * several installs cannot deadlock. It does not lock them before: that would cost as much as to change them.
 */
const TOUCH_ALL = preparedLookUp<{ appId: number }, TouchedInstall>(
  ['text', 'bigint', 'bigint'],
  (given) =>
    `WITH given (install_id, at, user_at) AS (${given}),
     found AS MATERIALIZED (
       SELECT installs.id, given.at, given.user_at FROM given CROSS JOIN installs
       WHERE installs.app_id = :appId AND installs.install_id = given.install_id ORDER BY installs.id),
     touched AS (
       UPDATE installs
       SET last_active = CASE WHEN installs.last_active < found.at THEN found.at ELSE installs.last_active END
       FROM found WHERE installs.id = found.id
       RETURNING installs.id, installs.install_id, installs.user_id, found.user_at),
     active AS (
       SELECT user_id, MAX(user_at) AS at FROM touched WHERE user_at IS NOT NULL GROUP BY user_id ORDER BY user_id),
     seen AS (
       UPDATE users SET last_active = active.at FROM active
       WHERE users.id = active.user_id AND users.last_active < active.at)
     SELECT touched.id AS "row", touched.install_id AS "installId", users.identifier AS "userIdentifier",
       hours.last_hour AS "lastHour", CASE WHEN users.id IS NOT NULL THEN touched.user_at END AS "userSeenAt"
     FROM touched LEFT JOIN users ON users.id = touched.user_id LEFT JOIN active_hours AS hours ON hours.user_id = touched.user_id`,
)

const REMEMBER = prepared<{ appId: number; identifier: string; row: number }>(
  `INSERT INTO install_users (app_id, identifier, install_row) VALUES (:appId, :identifier, :row) ON CONFLICT DO NOTHING`,
)

export type InstallsRepository = ReturnType<typeof installsRepository>

/** Tables: docs/reference/schema.md#users, #installs, #install_users. */
export function installsRepository(sql: Sql) {
  const installs = () => INSTALLS.in(sql)

  async function touchOne(
    appId: number,
    { installId, at }: { installId: string; at: number },
  ): Promise<TouchedInstall | undefined> {
    const found = await LOOK_AT.first(sql, { appId, installId })
    if (found && found.lastActive < at) await TOUCH.run(sql, { appId, row: found.row, at })
    return found
  }

  return {
    async find(appId: number, installId: string): Promise<Install | undefined> {
      const row = await installs()
        .where({ app_id: appId, install_id: installId })
        .first(...SHOWN.names)
      return row && SHOWN.fromRow(row)
    },

    /**
     * Records activity (never backwards), on PostgreSQL also that of the users, and locks the rows until the commit. Unknown installs
     * are left out. The identifier is null if the user was created while this statement waited for the lock. Each id is given once.
     */
    async touch(appId: number, list: readonly Touch[]): Promise<TouchedInstall[]> {
      if (!isPostgres(sql)) {
        const touched: TouchedInstall[] = []
        for (const sighting of list) {
          const found = await touchOne(appId, sighting)
          if (found) touched.push(found)
        }
        return touched
      }
      const lines = list.map(({ installId, at, userAt }) => [installId, at, userAt])
      return TOUCH_ALL.all(sql, { appId, lines: JSON.stringify(lines) })
    },

    /** Creates an install. Undefined when it exists already. */
    async create(
      appId: number,
      installId: string,
      userId: number,
      at: number,
      now: number,
    ): Promise<number | undefined> {
      const [row] = await installs()
        .insert(INSTALLS.toRow({ appId, installId, userId, lastActive: at, createdAt: now, updatedAt: now }))
        .onConflict(['app_id', 'install_id'])
        .ignore()
        .returning('id')
      return row?.id
    },

    /** The current user, and the time since which this has been the user. Locks the row until the commit. */
    async lockUser(appId: number, row: number): Promise<{ userId: number; userSince: number } | undefined> {
      const found = await installs().where({ app_id: appId, id: row }).forUpdate().first('user_id', 'user_since')
      return found && { userId: found.user_id, userSince: found.user_since }
    },

    /** Identifier of the install's current user. */
    async currentUser(appId: number, row: number): Promise<string | undefined> {
      // A subquery, because SQLite plans a join with bound parameters again at each execution.
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

    /** Stores the details of the device, unless a newer event did. */
    async setDetails(appId: number, row: number, details: InstallDetails, at: number, now: number): Promise<void> {
      const unlessNewer = () => sql('installs').where({ app_id: appId, id: row }).where('details_at', '<=', at)
      // Updated separately, because the zone is part of three indexes and rarely changes.
      await unlessNewer()
        .whereRaw('timezone IS DISTINCT FROM ?', [details.timezone])
        .update({ timezone: details.timezone, zone_changed_at: now })
      await unlessNewer().update(
        INSTALLS.toRow({
          ...details,
          timezone: undefined,
          appVersionKey: versionKey(details.appVersion),
          detailsAt: at,
          updatedAt: now,
        }),
      )
    },

    /** Current installs of these users, oldest first. */
    async ofUsers(appId: number, userIds: readonly number[]): Promise<Install[]> {
      const rows = await whereAmong(installs().where({ app_id: appId }), sql, 'user_id', userIds)
        .orderBy('id')
        .select(...SHOWN.names)
      return rows.map(SHOWN.fromRow)
    },

    /** Installs in the order of their creation, after the row `after`. */
    async list(appId: number, after: number, limit: number): Promise<Install[]> {
      const rows = await installs()
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select(...SHOWN.names)
      return rows.map(SHOWN.fromRow)
    },

    /** Row, platform and subscription of the installs with these ids. */
    async among(appId: number, installIds: readonly string[]) {
      return (await AMONG.all(sql, { appId, ids: listOf(sql, installIds) })).map(SUBSCRIPTION.fromRow)
    },

    /** Subscribed installs of these users, oldest first. */
    async subscribedOf(appId: number, userIds: readonly number[]) {
      return (await SUBSCRIBED_OF.all(sql, { appId, ids: listOf(sql, userIds) })).map(REACHED.fromRow)
    },

    /** Stores the known users that these installs have named: events of an install may be about them (`install_users`). */
    async rememberUsers(appId: number, list: readonly { row: number; identifier: string }[]): Promise<void> {
      if (!isPostgres(sql)) {
        for (const { row, identifier } of list) await REMEMBER.run(sql, { appId, identifier, row })
        return
      }
      await sql.raw(
        `INSERT INTO install_users (app_id, identifier, install_row) ${jsonRows(sql, ['bigint', 'text', 'bigint'])}
         ON CONFLICT DO NOTHING`,
        [JSON.stringify(list.map(({ row, identifier }) => [appId, identifier, row]))],
      )
    },

    /** Deletes these installs with the rows that refer to them. */
    async remove(appId: number, rows: readonly number[]): Promise<void> {
      await whereIds(sql('installs'), sql, appId, rows).delete()
    },

    /** Deletes at most `limit` installs of an app with their tokens and positions; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'installs', installs().where({ app_id: appId }).orderBy('user_id').limit(limit))
    },
  }
}
