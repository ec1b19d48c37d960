import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, whereAmong } from '../../platform/db/dialect.ts'

/** Rows of one statement: bounds its text, and what a batch holds in memory. */
const ROWS_AT_ONCE = 10_000

/** How many of a channel's subscriptions there are, of each kind. */
export interface SubscriptionCounts {
  installs: number
  /** Installs that said no, whatever their user says. */
  optedOut: number
  users: number
}

/**
 * SQL, for a statement over `installs`, that is true where the install is subscribed to any of these channels of the app: by
 * itself, or through its current user unless it said no itself. Both databases answer it from primary keys alone.
 * `channelIds` must not be empty.
 */
export function subscribedCondition(sql: Sql, appId: number, channelIds: readonly number[]): Knex.Raw {
  const list = channelIds.map(() => '?').join(', ')
  // OFFSET 0 forbids PostgreSQL to read the whole channel into a hash table, again for every page of a walk.
  return sql.raw(
    `(EXISTS (SELECT 1 FROM channel_installs own
        WHERE own.app_id = ? AND own.channel_id IN (${list}) AND own.install_row = installs.id AND own.subscribed
        LIMIT 1 OFFSET 0)
      OR EXISTS (SELECT 1 FROM channel_users theirs
        WHERE theirs.app_id = ? AND theirs.channel_id IN (${list}) AND theirs.user_id = installs.user_id
          AND NOT EXISTS (SELECT 1 FROM channel_installs own
            WHERE own.app_id = theirs.app_id AND own.channel_id = theirs.channel_id AND own.install_row = installs.id)))`,
    [appId, ...channelIds, appId, ...channelIds],
  )
}

export type SubscriptionsRepository = ReturnType<typeof subscriptionsRepository>

/** Who is subscribed to what: installs by their own word, users for all their installs. */
export function subscriptionsRepository(sql: Sql) {
  const ofInstalls = () => sql('channel_installs')
  const ofUsers = () => sql('channel_users')

  /** Ascending, so that two statements never wait for each other in a circle. */
  function* slices(rows: readonly number[]): Generator<number[]> {
    const ascending = [...rows].sort((a, b) => a - b)
    for (let i = 0; i < ascending.length; i += ROWS_AT_ONCE) yield ascending.slice(i, i + ROWS_AT_ONCE)
  }

  /** Rows of `table` that are the app's, with these ids, ascending. The plus keeps SQLite from walking all rows of the app. */
  const rowsOf = (table: 'installs' | 'users', appId: number, ids: readonly number[]) =>
    whereAmong(sql(table).whereRaw('+app_id = ?', [appId]), sql, 'id', ids).orderBy('id')

  /** Of each of these rows: app, channel, row and, for installs, what it says. */
  const subscription = (rows: Knex.QueryBuilder, channelId: number, subscribed?: boolean) =>
    rows.select(
      'app_id',
      sql.raw('CAST(? AS bigint)', [channelId]),
      'id',
      ...(subscribed === undefined ? [] : [sql.raw('CAST(? AS boolean)', [subscribed])]),
    )

  /** Stores what a SELECT finds; Knex can do this only without a conflict clause. */
  async function insert(table: string, columns: string, rows: Knex.QueryBuilder, onConflict: string): Promise<void> {
    const { sql: select, bindings } = rows.toSQL()
    const key = `app_id, channel_id, ${columns.split(',')[0]}`
    await sql.raw(
      `INSERT INTO ${table} (app_id, channel_id, ${columns}) ${select} ON CONFLICT (${key}) ${onConflict}`,
      bindings as Knex.RawBinding[],
    )
  }

  return {
    /** What these installs say themselves of the channel from now on. Rows that are not the app's are left out. */
    async setInstalls(appId: number, channelId: number, rows: readonly number[], subscribed: boolean): Promise<void> {
      for (const some of slices(rows)) {
        const installs = rowsOf('installs', appId, some)
        await insert(
          'channel_installs',
          'install_row, subscribed',
          subscription(installs, channelId, subscribed),
          'DO UPDATE SET subscribed = excluded.subscribed',
        )
      }
    },

    /**
     * These installs are not subscribed from now on: what they said is forgotten, and those whose user is subscribed get an
     * opt-out, because without one they would still be reached.
     */
    async removeInstalls(appId: number, channelId: number, rows: readonly number[]): Promise<void> {
      for (const some of slices(rows)) {
        const own = ofInstalls().where({ app_id: appId, channel_id: channelId, subscribed: true })
        await whereAmong(own, sql, 'install_row', some).delete()
        const reached = rowsOf('installs', appId, some).whereExists(
          ofUsers()
            .where({ app_id: appId, channel_id: channelId })
            .whereRaw('channel_users.user_id = installs.user_id')
            .select('user_id'),
        )
        await insert(
          'channel_installs',
          'install_row, subscribed',
          subscription(reached, channelId, false),
          'DO NOTHING',
        )
      }
    },

    /** Subscribes these users. Rows that are not the app's are left out. */
    async addUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) {
        const users = rowsOf('users', appId, some)
        await insert('channel_users', 'user_id', subscription(users, channelId), 'DO NOTHING')
      }
    },

    async removeUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) {
        await whereAmong(ofUsers().where({ app_id: appId, channel_id: channelId }), sql, 'user_id', some).delete()
      }
    },

    /** Channels that the install itself speaks of: true subscribed, false opted out. */
    async wordsOfInstall(appId: number, row: number): Promise<Map<number, boolean>> {
      const found: { channel_id: number; subscribed: boolean | number }[] = await ofInstalls()
        .where({ install_row: row, app_id: appId })
        .select('channel_id', 'subscribed')
      return new Map(found.map((one) => [one.channel_id, Boolean(one.subscribed)]))
    },

    /** Channels that the user is subscribed to. */
    async ofUser(appId: number, userId: number): Promise<Set<number>> {
      const found: { channel_id: number }[] = await ofUsers()
        .where({ user_id: userId, app_id: appId })
        .select('channel_id')
      return new Set(found.map((one) => one.channel_id))
    },

    /** What the current installs of the user say themselves. */
    async wordsOfInstalls(
      appId: number,
      userId: number,
    ): Promise<{ row: number; installId: string; channelId: number; subscribed: boolean }[]> {
      const found = await ofInstalls()
        .join('installs', 'installs.id', 'channel_installs.install_row')
        .where({ 'installs.user_id': userId, 'installs.app_id': appId })
        .select('installs.id', 'installs.install_id', 'channel_installs.channel_id', 'channel_installs.subscribed')
      return found.map((one) => ({
        row: one.id,
        installId: one.install_id,
        channelId: one.channel_id,
        subscribed: Boolean(one.subscribed),
      }))
    },

    /** Forgets what an install said of these channels. */
    async forget(appId: number, row: number, channelIds: readonly number[]): Promise<void> {
      if (channelIds.length === 0) return
      // By the install: the key would lead through the channels.
      const words = ofInstalls().where({ install_row: row }).whereRaw('+app_id = ?', [appId])
      await words.whereIn('channel_id', channelIds as number[]).delete()
    },

    async counts(appId: number, channelId: number): Promise<SubscriptionCounts> {
      const where = { app_id: appId, channel_id: channelId }
      const count = async (query: Knex.QueryBuilder) => Number((await query.count({ n: '*' }).first())?.n ?? 0)
      return {
        installs: await count(ofInstalls().where({ ...where, subscribed: true })),
        optedOut: await count(ofInstalls().where({ ...where, subscribed: false })),
        users: await count(ofUsers().where(where)),
      }
    },

    /** The user's row, so that two calls for one user come one after the other; SQLite has one writer anyway. */
    async lockUser(appId: number, userId: number): Promise<void> {
      if (isPostgres(sql)) await sql('users').where({ app_id: appId, id: userId }).forNoKeyUpdate().first('id')
    },
  }
}
