import type { Knex } from 'knex'
import { chunks } from '../../platform/chunks.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, unindexed, whereAmong, whereIds } from '../../platform/db/dialect.ts'

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
 * itself, or through its current user unless it said no itself. Channels that are gone have nobody. Both databases answer it
 * from primary keys alone. `channelIds` must not be empty.
 */
export function subscribedCondition(sql: Sql, appId: number, channelIds: readonly number[]): Knex.Raw {
  // Once a statement, not once an install.
  const there = `SELECT id FROM channels WHERE ${unindexed('app_id')} = ? AND id IN (${channelIds.map(() => '?').join(', ')})`
  const among = isPostgres(sql) ? `= ANY(ARRAY(${there}))` : `IN (${there})`
  // OFFSET 0 forbids PostgreSQL to read the whole channel into a hash table, again for every page of a walk.
  return sql.raw(
    `(EXISTS (SELECT 1 FROM channel_installs own
        WHERE own.app_id = ? AND own.channel_id ${among} AND own.install_row = installs.id AND own.subscribed
        LIMIT 1 OFFSET 0)
      OR EXISTS (SELECT 1 FROM channel_users theirs
        WHERE theirs.app_id = ? AND theirs.channel_id ${among} AND theirs.user_id = installs.user_id
          AND NOT EXISTS (SELECT 1 FROM channel_installs own
            WHERE own.app_id = theirs.app_id AND own.channel_id = theirs.channel_id AND own.install_row = installs.id)))`,
    [appId, appId, ...channelIds, appId, appId, ...channelIds],
  )
}

/** The two kinds of subscribers: where their subscriptions are, by which column, and where they are themselves. */
const INSTALLS = { table: 'channel_installs', column: 'install_row', kind: 'installs' } as const
const USERS = { table: 'channel_users', column: 'user_id', kind: 'users' } as const
type List = typeof INSTALLS | typeof USERS

export type SubscriptionsRepository = ReturnType<typeof subscriptionsRepository>

/** Who is subscribed to what: installs by their own word, users for all their installs. */
export function subscriptionsRepository(sql: Sql) {
  const ofInstalls = () => sql(INSTALLS.table)
  const ofUsers = () => sql(USERS.table)

  /** Ascending, so that two statements never wait for each other in a circle. */
  const slices = (rows: readonly number[]) =>
    chunks(
      [...rows].sort((a, b) => a - b),
      ROWS_AT_ONCE,
    )

  /** Subscribers of a kind that are the app's, with these ids, ascending. */
  const among = ({ kind }: List, appId: number, ids: readonly number[]) =>
    whereIds(sql(kind), sql, appId, ids).orderBy('id')

  /**
   * Stores a subscription for each of these subscribers, as long as there is the channel, which then stays until the commit:
   * nothing refers to it, so that it can go at once. With what they say when they are installs. Knex can insert what a SELECT
   * finds only without a conflict clause.
   */
  async function insert(
    { table, column }: List,
    { appId, channelId }: { appId: number; channelId: number },
    who: Knex.QueryBuilder,
    { onConflict = 'DO NOTHING', subscribed }: { onConflict?: string; subscribed?: boolean } = {},
  ): Promise<void> {
    const hasWord = subscribed !== undefined
    const lock = isPostgres(sql) ? 'FOR KEY SHARE' : ''
    const { sql: select, bindings } = who
      .whereRaw(`EXISTS (SELECT 1 FROM channels WHERE app_id = ? AND id = ? ${lock})`, [appId, channelId])
      .select(
        'app_id',
        sql.raw('CAST(? AS bigint)', [channelId]),
        'id',
        ...(hasWord ? [sql.raw('CAST(? AS boolean)', [subscribed])] : []),
      )
      .toSQL()
    await sql.raw(
      `INSERT INTO ${table} (app_id, channel_id, ${column}${hasWord ? ', subscribed' : ''}) ${select}
       ON CONFLICT (app_id, channel_id, ${column}) ${onConflict}`,
      bindings as Knex.RawBinding[],
    )
  }

  /** Deletes the first `limit` subscriptions of a channel; false when there were fewer. */
  async function clear({ table, column }: List, appId: number, channelId: number, limit: number): Promise<boolean> {
    const rows = () => sql(table).where({ app_id: appId, channel_id: channelId })
    const next: Record<string, number> | undefined = await rows().orderBy(column).offset(limit).first(column)
    await rows()
      .modify((query) => {
        if (next) void query.where(column, '<', next[column]!)
      })
      .delete()
    return next !== undefined
  }

  return {
    /** The users of the app with these identifiers. Two lists are a third of the work of as many rows. */
    async usersOf(appId: number, identifiers: readonly string[]): Promise<Map<string, number>> {
      if (identifiers.length === 0) return new Map()
      const list = isPostgres(sql) ? 'json_agg' : 'json_group_array'
      const found = await whereAmong(sql('users').where({ app_id: appId }), sql, 'identifier', identifiers).first(
        sql.raw(`CAST(${list}(id) AS text) AS ids`),
        sql.raw(`CAST(${list}(identifier) AS text) AS names`),
      )
      // PostgreSQL makes no list of nothing.
      const ids = JSON.parse(found.ids ?? '[]') as number[]
      const names = JSON.parse(found.names ?? '[]') as string[]
      return new Map(names.map((name, i) => [name, ids[i]!]))
    },

    /** What these installs say themselves of the channel from now on. Rows that are not the app's are left out. */
    async setInstalls(appId: number, channelId: number, rows: readonly number[], subscribed: boolean): Promise<void> {
      for (const some of slices(rows)) {
        await insert(INSTALLS, { appId, channelId }, among(INSTALLS, appId, some), {
          subscribed,
          onConflict: 'DO UPDATE SET subscribed = excluded.subscribed',
        })
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
        const reached = among(INSTALLS, appId, some).whereExists(
          ofUsers()
            .where({ app_id: appId, channel_id: channelId })
            .whereRaw('channel_users.user_id = installs.user_id')
            .select('user_id'),
        )
        await insert(INSTALLS, { appId, channelId }, reached, { subscribed: false })
      }
    },

    /** Subscribes these users. Rows that are not the app's are left out. */
    async addUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) await insert(USERS, { appId, channelId }, among(USERS, appId, some))
    },

    async removeUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) {
        await whereAmong(ofUsers().where({ app_id: appId, channel_id: channelId }), sql, 'user_id', some).delete()
      }
    },

    /** Deletes up to `limit` subscriptions of a channel; false when none are left. */
    async clear(appId: number, channelId: number, limit: number): Promise<boolean> {
      for (const list of [USERS, INSTALLS]) if (await clear(list, appId, channelId, limit)) return true
      return false
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
      const words = ofInstalls()
        .where({ install_row: row })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
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
