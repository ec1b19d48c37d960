import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { whereAmong } from '../../../platform/db/dialect.ts'
import type { PushedInstall } from './linked-push.ts'
import type { UserPlace } from './timetable.ts'

interface InstallPlaceRow {
  id: number
  user_id: number
  timezone: string | null
  preferred_hour: number
  zone_changed_at: number
  last_active: number
  created_at: number
}

/** An install or a user that a caller named; `enabled`: the user wants in-app messages. */
export interface Named {
  id: number
  name: string
  enabled: boolean
}

/** Names per statement. */
const BATCH = 1000

export type RecipientsRepository = ReturnType<typeof recipientsRepository>

/**
 * The recipients of in-app messages: users who want them, their places, and their installs.
 * Tables: docs/reference/schema.md#users, #installs, #user_messages. /.
 */
export function recipientsRepository(sql: Sql) {
  async function named(
    { table, column, enabled }: { table: string; column: string; enabled: string },
    appId: number,
    names: readonly string[],
  ): Promise<Named[]> {
    const found: Named[] = []
    for (const some of chunks(names, BATCH)) {
      const rows: (Omit<Named, 'enabled'> & { enabled: boolean | number })[] = await whereAmong(
        sql(table).where({ app_id: appId }),
        sql,
        column,
        some,
      ).select('id', `${column} as name`, sql.raw(`${enabled} AS enabled`))
      for (const row of rows) found.push({ ...row, enabled: Boolean(row.enabled) })
    }
    return found
  }

  return {
    /** Installs with these ids; `enabled` is that of their current user, `id` the install's row. */
    namedInstalls: (appId: number, installIds: readonly string[]): Promise<Named[]> =>
      named({ table: 'installs', column: 'install_id', enabled: `(${USER_OF_INSTALL})` }, appId, installIds),

    /** Users with these identifiers. */
    namedUsers: (appId: number, identifiers: readonly string[]): Promise<Named[]> =>
      named({ table: 'users', column: 'identifier', enabled: 'in_app_enabled' }, appId, identifiers),

    /** The identifiers of these users, in the order of their ids. */
    async identifiers(users: readonly number[]): Promise<string[]> {
      const rows: { identifier: string }[] = await whereAmong(sql('users'), sql, 'id', users)
        .orderBy('id')
        .select('identifier')
      return rows.map(({ identifier }) => identifier)
    },

    /** Users among `users` who have the message. */
    async having(messageId: number, users: readonly number[]): Promise<Set<number>> {
      if (users.length === 0) return new Set()
      const rows: { user_id: number }[] = await whereAmong(
        sql('user_messages').whereRaw('message_id = ?', [messageId]),
        sql,
        'user_id',
        users,
      ).select('user_id')
      return new Set(rows.map(({ user_id: user }) => user))
    },

    /**
     * The places of these users: each is that of their install that was active last. Users without an install are left
     * out.
     */
    async places(users: readonly number[]): Promise<Map<number, UserPlace>> {
      if (users.length === 0) return new Map()
      const rows: InstallPlaceRow[] = await whereAmong(sql('installs'), sql, 'user_id', users).select(
        'id',
        'user_id',
        'timezone',
        'preferred_hour',
        'zone_changed_at',
        'last_active',
        'created_at',
      )
      const latest = new Map<number, InstallPlaceRow>()
      for (const row of rows) {
        const other = latest.get(row.user_id)
        if (
          !other ||
          row.last_active > other.last_active ||
          (row.last_active === other.last_active && row.id > other.id)
        )
          latest.set(row.user_id, row)
      }
      return new Map(
        [...latest].map(([user, row]) => [
          user,
          { zone: row.timezone, hour: row.preferred_hour, changedAt: row.zone_changed_at, createdAt: row.created_at },
        ]),
      )
    },

    /** Every install of these users. */
    async installsOf(users: readonly number[]): Promise<{ userId: number; row: number }[]> {
      if (users.length === 0) return []
      const rows: { id: number; user_id: number }[] = await whereAmong(sql('installs'), sql, 'user_id', users).select(
        'id',
        'user_id',
      )
      return rows.map(({ id, user_id: userId }) => ({ userId, row: id }))
    },

    /** The subscribed installs of these users, in the order of their rows. */
    async pushedInstalls(users: readonly number[]): Promise<PushedInstall[]> {
      if (users.length === 0) return []
      const rows: { id: number; user_id: number; platform: number }[] = await whereAmong(
        sql('installs').whereRaw('subscribed'),
        sql,
        'user_id',
        users,
      )
        .orderBy('id')
        .select('id', 'user_id', 'platform')
      return rows.map(({ id, user_id: userId, platform }) => ({ userId, row: id, platform }))
    },
  }
}

const USER_OF_INSTALL = 'SELECT in_app_enabled FROM users WHERE users.id = installs.user_id'
