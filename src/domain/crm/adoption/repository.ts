import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, type JsonColumn, jsonRows, rowsOf, unindexed, whereAmong } from '../../../platform/db/dialect.ts'
import { INSTALLS } from '../store/installs.repository.ts'
import { versionKey } from '../store/version-key.ts'
import type { AdoptedInstall, AdoptedUser, StandingInstall } from './types.ts'

/** A user that is there already. */
export interface StoredUser {
  id: number
  identifier: string
  anonymous: boolean
  installCount: number
  /** JSON text. */
  attributes: string
}

export type AdoptionRepository = ReturnType<typeof adoptionRepository>

const INSTALL_COLUMNS: readonly (readonly [string, JsonColumn])[] = [
  ['app_id', 'bigint'],
  ['install_id', 'text'],
  ['user_id', 'bigint'],
  ['user_since', 'bigint'],
  ['platform', 'bigint'],
  ['token', 'text'],
  ['token_keys', 'text'],
  ['token_topic', 'text'],
  ['token_environment', 'text'],
  ['token_at', 'bigint'],
  ['notifications_enabled', 'boolean'],
  ['notifications_at', 'bigint'],
  ['subscribed', 'boolean'],
  ['os', 'text'],
  ['os_version', 'text'],
  ['app_version', 'text'],
  ['app_version_key', 'text'],
  ['country_iso_code', 'text'],
  ['timezone', 'text'],
  ['locale', 'text'],
  ['device_model', 'text'],
  ['device_name', 'text'],
  ['details_at', 'bigint'],
  ['last_active', 'bigint'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
  ['zone_changed_at', 'bigint'],
]
const INSTALL_NAMES = INSTALL_COLUMNS.map(([name]) => name)

const STANDING = INSTALLS.pick('row', 'installId', 'token', 'notificationsEnabled', 'createdAt')

function standingOf(row: Parameters<typeof STANDING.fromRow>[0]): StandingInstall {
  const { notificationsEnabled: enabled, ...rest } = STANDING.fromRow(row)
  return { ...rest, enabled }
}

/** Users and installs of another service, many with each statement. Tables: docs/reference/schema.md#users, #installs. */
export function adoptionRepository(sql: Sql) {
  return {
    /** The stored installs among `installIds`. */
    async standing(appId: number, installIds: readonly string[]): Promise<StandingInstall[]> {
      if (installIds.length === 0) return []
      const found = whereAmong(INSTALLS.in(sql).where({ app_id: appId }), sql, 'install_id', installIds)
      return (await found.select(...STANDING.names)).map(standingOf)
    },

    /** The installs of the app that have one of these tokens. */
    async holders(appId: number, tokens: readonly string[]): Promise<StandingInstall[]> {
      if (tokens.length === 0) return []
      const found = whereAmong(INSTALLS.in(sql).where({ app_id: appId }), sql, 'token', tokens)
      // The partial index has the condition.
      return (await found.whereNotNull('token').select(...STANDING.names)).map(standingOf)
    },

    /** Switches notifications off, in the order of the rows. */
    async optOut(appId: number, rows: readonly number[], now: number): Promise<void> {
      if (rows.length === 0) return
      await sql.raw(
        `WITH given (id) AS (${jsonRows(sql, ['bigint'], rows.length)})
         UPDATE installs SET notifications_enabled = false, subscribed = false, notifications_at = ?, updated_at = ?
         FROM given
         WHERE installs.id = given.id AND ${unindexed('installs.app_id')} = ? AND installs.notifications_enabled`,
        [JSON.stringify([...rows].sort((a, b) => a - b).map((row) => [row])), now, now, appId],
      )
    },

    /** The stored users among `identifiers`. On PostgreSQL they are locked until the commit, in the order of their ids. */
    async stored(appId: number, identifiers: readonly string[]): Promise<StoredUser[]> {
      if (identifiers.length === 0) return []
      const query = whereAmong(sql('users').where({ app_id: appId }), sql, 'identifier', identifiers).orderBy('id')
      if (isPostgres(sql)) void query.forNoKeyUpdate()
      const rows = await query.select('id', 'identifier', 'anonymous', 'install_count', 'attributes')
      return rows.map((row) => ({
        id: row.id,
        identifier: row.identifier,
        anonymous: Boolean(row.anonymous),
        installCount: row.install_count,
        attributes: row.attributes,
      }))
    },

    /**
     * Creates users, each with its number of installs, and returns their ids. Names that are taken are left out. All of
     * them are listed, so the caller must call `list` of the users (repository.ts) before the commit.
     */
    async makeUsers(
      appId: number,
      list: readonly (AdoptedUser & { installs: number })[],
      now: number,
    ): Promise<{ id: number; identifier: string }[]> {
      if (list.length === 0) return []
      const lines = list.map((user) => [
        appId,
        user.identifier,
        user.anonymous,
        user.installs,
        JSON.stringify(user.attributes),
        // What a device says later counts as newer.
        user.lastActive,
        user.firstActive,
        user.lastActive,
        now,
        now,
      ])
      const types: JsonColumn[] = [
        'bigint',
        'text',
        'boolean',
        'bigint',
        'text',
        ...Array<JsonColumn>(5).fill('bigint'),
      ]
      const made = await sql.raw(
        `WITH given (app_id, identifier, anonymous, install_count, attributes, attributes_at, first_active, last_active,
           created_at, updated_at) AS (${jsonRows(sql, types)})
         INSERT INTO users (app_id, identifier, anonymous, listed, install_count, attributes, attributes_at,
           in_app_enabled, first_active, last_active, created_at, updated_at)
         SELECT app_id, identifier, anonymous, true, install_count, attributes, attributes_at,
           false, first_active, last_active, created_at, updated_at FROM given
         WHERE true ON CONFLICT (app_id, identifier) DO NOTHING RETURNING id, identifier`,
        [JSON.stringify(lines)],
      )
      return rowsOf(made)
    },

    /** Adds installs to users who are listed already. */
    async addInstalls(appId: number, list: readonly { id: number; installs: number }[]): Promise<void> {
      if (list.length === 0) return
      await sql.raw(
        `WITH given (id, installs) AS (${jsonRows(sql, ['bigint', 'bigint'], list.length)})
         UPDATE users SET install_count = install_count + given.installs FROM given
         WHERE users.id = given.id AND ${unindexed('users.app_id')} = ?`,
        [JSON.stringify(list.map(({ id, installs }) => [id, installs])), appId],
      )
    },

    /** Moves the last activity of users forward, never back. */
    async touch(appId: number, list: readonly { id: number; at: number }[]): Promise<void> {
      if (list.length === 0) return
      await sql.raw(
        `WITH given (id, at) AS (${jsonRows(sql, ['bigint', 'bigint'], list.length)})
         UPDATE users SET last_active = given.at FROM given
         WHERE users.id = given.id AND ${unindexed('users.app_id')} = ? AND users.last_active < given.at`,
        [JSON.stringify(list.map(({ id, at }) => [id, at])), appId],
      )
    },

    async setAttributes(
      appId: number,
      list: readonly { id: number; attributes: string }[],
      now: number,
    ): Promise<void> {
      if (list.length === 0) return
      await sql.raw(
        `WITH given (id, attributes) AS (${jsonRows(sql, ['bigint', 'text'], list.length)})
         UPDATE users SET attributes = given.attributes, attributes_at = ?, updated_at = ? FROM given
         WHERE users.id = given.id AND ${unindexed('users.app_id')} = ?`,
        [JSON.stringify(list.map(({ id, attributes }) => [id, attributes])), now, now, appId],
      )
    },

    /** Creates installs, and returns those that were not there. */
    async makeInstalls(
      appId: number,
      list: readonly (AdoptedInstall & { userId: number })[],
      now: number,
    ): Promise<{ row: number; installId: string }[]> {
      if (list.length === 0) return []
      const lines = list.map(({ installId, userId, details, token, enabled, lastActive }) => [
        appId,
        installId,
        userId,
        lastActive,
        token?.platform ?? null,
        token?.token ?? null,
        token?.keys ?? null,
        token?.topic ?? null,
        token?.environment ?? null,
        token ? lastActive : null,
        enabled,
        lastActive,
        enabled && token !== null,
        details.os,
        details.osVersion,
        details.appVersion,
        versionKey(details.appVersion),
        details.countryIsoCode,
        details.timezone,
        details.locale,
        details.deviceModel,
        details.deviceName,
        lastActive,
        lastActive,
        now,
        now,
        now,
      ])
      const made = await sql.raw(
        `WITH given (${INSTALL_NAMES.join(', ')}) AS (${jsonRows(
          sql,
          INSTALL_COLUMNS.map(([, type]) => type),
        )})
         INSERT INTO installs (${INSTALL_NAMES.join(', ')}, preferred_hour)
         SELECT ${INSTALL_NAMES.join(', ')},
           COALESCE((SELECT preferred_hour FROM active_hours WHERE active_hours.user_id = given.user_id), -1)
         FROM given WHERE true ON CONFLICT (app_id, install_id) DO NOTHING RETURNING id AS "row", install_id AS "installId"`,
        [JSON.stringify(lines)],
      )
      return rowsOf(made)
    },
  }
}
