import type { Knex } from 'knex'
import { chunks } from '../../../platform/chunks.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { byIndex, rowsOf, whereAmong, whereIds } from '../../../platform/db/dialect.ts'
import type { Stretch } from '../../audience/within.ts'
import type { Placed, Whereabouts } from '../accept/timetable.ts'
import type { PushedInstall } from './linked-push.ts'

/** Some users of an app, ascending, and the last one that was looked at; null at the end. */
export interface UserRange {
  users: number[]
  last: number | null
}

interface InstallPlaceRow {
  id: number
  user_id: number
  timezone: string | null
  preferred_hour: number
  zone_changed_at: number
  last_active: number
  created_at: number
}

/** An install or a user that a caller named. */
export interface Named {
  id: number
  name: string
  enabled: boolean
}

/** Names of one look-up. */
const SLICE = 1000

export type RecipientsRepository = ReturnType<typeof recipientsRepository>

/** Who can get in-app messages: users who agreed to them, and where they are. */
export function recipientsRepository(sql: Sql) {
  async function named(
    { table, column, enabled }: { table: string; column: string; enabled: string },
    appId: number,
    names: readonly string[],
  ): Promise<Named[]> {
    const found: Named[] = []
    for (const some of chunks(names, SLICE)) {
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

  /** The values of a column among some installs, each once, ascending: the index begins with what `there` fixes, then the column. */
  async function hop<T>(column: string, there: string, bound: Knex.Value[]): Promise<T[]> {
    const next = (behind: string) =>
      `(SELECT ${column} FROM installs WHERE ${there} ${behind} ORDER BY ${column} LIMIT 1)`
    const result = await sql.raw(
      `WITH RECURSIVE used (value) AS (
         SELECT ${next('')} UNION ALL SELECT ${next(`AND ${column} > used.value`)} FROM used WHERE used.value IS NOT NULL
       ) SELECT value FROM used WHERE value IS NOT NULL`,
      [...bound, ...bound],
    )
    return rowsOf<{ value: T }>(result).map(({ value }) => value)
  }

  return {
    /** Installs with these ids; whether they are enabled their current user says. `id` is the install's row. */
    namedInstalls: (appId: number, installIds: readonly string[]): Promise<Named[]> =>
      named({ table: 'installs', column: 'install_id', enabled: `(${USER_OF_INSTALL})` }, appId, installIds),

    /** Users with these identifiers. */
    namedUsers: (appId: number, identifiers: readonly string[]): Promise<Named[]> =>
      named({ table: 'users', column: 'identifier', enabled: 'in_app_enabled' }, appId, identifiers),

    /** The next enabled users behind one of them, at most `size`. Answered from the partial index alone. */
    async enabledAfter(appId: number, after: number, size: number): Promise<UserRange> {
      const result = await sql.raw(
        `SELECT id FROM users ${byIndex(sql, 'users_in_app')}
         WHERE app_id = ? AND in_app_enabled AND listed AND id > ? ORDER BY id LIMIT ${size}`,
        [appId, after],
      )
      const users = rowsOf<{ id: number }>(result).map(({ id }) => id)
      return { users, last: users.length < size ? null : users.at(-1)! }
    },

    /** Of the next `size` enabled users those who have an install of which all conditions hold. Conditions speak of `installs`. */
    async meantAfter(appId: number, after: number, size: number, conditions: readonly Knex.Raw[]): Promise<UserRange> {
      const { users, last } = await this.enabledAfter(appId, after, size)
      if (users.length === 0) return { users, last }
      // Two statements, so that neither looks at more than that however few are meant.
      const found = await sql.raw(
        `SELECT id FROM users AS candidates ${byIndex(sql, 'users_in_app')}
         WHERE app_id = ? AND in_app_enabled AND listed AND id > ? AND id <= ? AND ${withInstall(conditions)} ORDER BY id`,
        [appId, after, users.at(-1)!, ...conditions] as Knex.RawBinding[],
      )
      return { users: rowsOf<{ id: number }>(found).map(({ id }) => id), last }
    },

    /** Those of these users who are enabled and, if there are conditions, have an install of which all hold; ascending. */
    async meantAmong(appId: number, users: readonly number[], conditions: readonly Knex.Raw[] = []): Promise<number[]> {
      if (users.length === 0) return []
      const query = whereIds(sql('users as candidates'), sql, appId, users)
      if (conditions.length > 0) void query.whereRaw(withInstall(conditions), conditions)
      const rows: { id: number }[] = await query.whereRaw('in_app_enabled').orderBy('id').select('id')
      return rows.map(({ id }) => id)
    },

    /** The next installs of a stretch behind an hour and a user, at most `size`, by hour and user. From the index alone. */
    async usersAt(
      appId: number,
      { zone, from, to }: Stretch,
      after: { hour: number; user: number },
      size: number,
    ): Promise<{ hour: number; user: number }[]> {
      const isOneHour = from === to
      // Not one statement for both: with an upper bound beside the pair SQLite reads on to the end of the zone.
      const result = await sql.raw(
        `SELECT preferred_hour AS hour, user_id AS "user" FROM installs
         WHERE app_id = ? AND ${zone === null ? 'timezone IS NULL' : 'timezone = ?'}
           AND ${isOneHour ? 'preferred_hour = ? AND user_id > ?' : '(preferred_hour, user_id) > (?, ?)'}
         ORDER BY ${isOneHour ? 'user_id' : 'preferred_hour, user_id'} LIMIT ${size}`,
        [appId, ...(zone === null ? [] : [zone]), isOneHour ? from : after.hour, after.user],
      )
      return rowsOf<{ hour: number; user: number }>(result)
    },

    /** What these users are called, in the order of their ids. */
    async identifiers(users: readonly number[]): Promise<string[]> {
      const rows: { identifier: string }[] = await whereAmong(sql('users'), sql, 'id', users)
        .orderBy('id')
        .select('identifier')
      return rows.map(({ identifier }) => identifier)
    },

    /** Current users of these installs. */
    async usersOf(appId: number, rows: readonly number[]): Promise<number[]> {
      if (rows.length === 0) return []
      const found: { user_id: number }[] = await whereIds(sql('installs'), sql, appId, rows).select('user_id')
      return found.map(({ user_id: user }) => user)
    },

    /** Installs of these users, as `row` of theirs. */
    async installsOf(users: readonly number[]): Promise<{ userId: number; row: number }[]> {
      if (users.length === 0) return []
      const rows: { id: number; user_id: number }[] = await whereAmong(sql('installs'), sql, 'user_id', users).select(
        'id',
        'user_id',
      )
      return rows.map(({ id, user_id: userId }) => ({ userId, row: id }))
    },

    /** Those of these users who have the message. */
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

    /** Where these users are: where their install is that was active last. Users without an install are left out. */
    async places(users: readonly number[]): Promise<Map<number, Placed>> {
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

    /** Subscribed installs of these users, by their rows. */
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

    /**
     * Every zone that an install of the app is in, and when asked every preferred hour there (else -1), by hopping along the index
     * from one to the next.
     */
    async whereabouts(appId: number, { withHours }: { withHours: boolean }): Promise<Whereabouts[]> {
      const named = await hop<string>('timezone', 'app_id = ? AND timezone IS NOT NULL', [appId])
      const [none] = rowsOf(
        await sql.raw('SELECT id FROM installs WHERE app_id = ? AND timezone IS NULL LIMIT 1', [appId]),
      )
      const zones = none ? [null, ...named] : named
      if (!withHours) return zones.map((zone) => ({ zone, hour: -1 }))
      const found: Whereabouts[] = []
      for (const zone of zones) {
        const there = zone === null ? 'app_id = ? AND timezone IS NULL' : 'app_id = ? AND timezone = ?'
        const hours = await hop<number>('preferred_hour', there, zone === null ? [appId] : [appId, zone])
        for (const hour of hours) found.push({ zone, hour })
      }
      return found
    },
  }
}

/** Whether a user of `candidates` has an install of which all conditions hold. */
function withInstall({ length }: readonly Knex.Raw[]): string {
  return `EXISTS (SELECT 1 FROM installs WHERE installs.user_id = candidates.id${' AND ?'.repeat(length)} LIMIT 1 OFFSET 0)`
}

const USER_OF_INSTALL = 'SELECT in_app_enabled FROM users WHERE users.id = installs.user_id'
