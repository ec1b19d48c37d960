import type { Knex } from 'knex'
import { chunks } from '../../platform/concurrency/chunks.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, rowsOf, unindexed, whereAmong, whereIds } from '../../platform/db/dialect.ts'
import type { Subscription } from './types.ts'

/** Rows of one statement. This bounds the length of its text and the memory that it takes. */
const ROWS_AT_ONCE = 10_000

/** Numbers of the subscriptions of a channel, by kind. */
export interface SubscriptionCounts {
  installs: number
  /** Installs that opted out. */
  optedOut: number
  users: number
}

/**
 * SQL for a statement over `installs`: true if the install is subscribed to any of these channels of the app, by
 * itself, or through its current user unless the install opted out. Deleted channels have no subscribers. Both
 * databases evaluate it with primary keys alone. `channelIds` must not be empty.
 */
export function subscribedCondition(sql: Sql, appId: number, channelIds: readonly number[]): Knex.Raw {
  // Evaluated once per statement, not once per install.
  const there = `SELECT id FROM channels WHERE ${unindexed('app_id')} = ? AND id IN (${channelIds.map(() => '?').join(', ')})`
  const among = isPostgres(sql) ? `= ANY(ARRAY(${there}))` : `IN (${there})`
  // OFFSET 0 keeps PostgreSQL from reading the whole channel into a hash table for every page of a fan-out.
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

/**
 * SQL for a statement over `people`, which has the `id` of a user: true if the user is subscribed to the channel, or one
 * of their current installs is. CROSS JOIN makes SQLite begin with the installs of the user, OFFSET 0 PostgreSQL.
 */
export function memberCondition(sql: Sql, appId: number, channelId: number): Knex.Raw {
  return sql.raw(
    `(EXISTS (SELECT 1 FROM channel_users theirs
        WHERE theirs.app_id = ? AND theirs.channel_id = ? AND theirs.user_id = people.id LIMIT 1 OFFSET 0)
      OR EXISTS (SELECT 1 FROM installs mine CROSS JOIN channel_installs own
        WHERE mine.user_id = people.id AND own.install_row = mine.id AND own.app_id = ? AND own.channel_id = ?
          AND own.subscribed LIMIT 1 OFFSET 0))`,
    [appId, channelId, appId, channelId],
  )
}

/** Tells whether an INSERT failed on PostgreSQL because its row is there. */
export function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

/** The two kinds of subscribers: the table of their subscriptions, its column with their id, and their own table. */
const INSTALLS = { table: 'channel_installs', column: 'install_row', kind: 'installs' } as const
const USERS = { table: 'channel_users', column: 'user_id', kind: 'users' } as const
type List = typeof INSTALLS | typeof USERS

/** The users whom identifiers name, and the places in the list, from 1, of those that name nobody: each once and ascending. */
export interface NamedUsers {
  ids: Float64Array
  nobody: Float64Array
}

/** The numbers of a JSON list in ascending order, each once. Sorted here: PostgreSQL would sort as many in a file. */
function eachOnce(json: string | null): Float64Array {
  const sorted = Float64Array.from(json === null ? [] : (JSON.parse(json) as number[])).sort()
  return sorted.filter((one, i) => i === 0 || one !== sorted[i - 1])
}

/** Subscriptions that were counted: the last of them, their number, and the number of them that are not opt-outs. */
export interface CountedStretch {
  last: number | null
  seen: number
  own: number
}

export type SubscriptionsRepository = ReturnType<typeof subscriptionsRepository>

/**
 * Subscriptions and opt-outs of installs, and subscriptions of users, which cover all of their installs.
 * Tables: docs/reference/schema.md#channel_installs, #channel_users.
 */
export function subscriptionsRepository(sql: Sql) {
  const ofInstalls = () => sql(INSTALLS.table)
  const ofUsers = () => sql(USERS.table)

  /** Slices of rows, ascending, so that two transactions cannot deadlock. */
  const slices = (rows: readonly number[]) =>
    chunks(
      [...rows].sort((a, b) => a - b),
      ROWS_AT_ONCE,
    )

  /** The subscribers of a kind with these ids, without those of other apps; ascending. */
  const among = ({ kind }: List, appId: number, ids: readonly number[]) =>
    whereIds(sql(kind), sql, appId, ids).orderBy('id')

  /**
   * Stores a subscription for each of these subscribers, unless the channel was deleted. The channel is locked until
   * the commit, because no foreign key protects it (so that it can be deleted at once). For installs, `subscribed` is
   * false for an opt-out. Raw SQL, because Knex cannot combine INSERT ... SELECT with a conflict clause.
   */
  async function insert(
    { table, column }: List,
    { appId, channelId }: { appId: number; channelId: number },
    who: Knex.QueryBuilder,
    { onConflict = 'DO NOTHING', subscribed }: { onConflict?: string; subscribed?: boolean } = {},
  ): Promise<void> {
    const hasChoice = subscribed !== undefined
    const lock = isPostgres(sql) ? 'FOR KEY SHARE' : ''
    const { sql: select, bindings } = who
      .whereRaw(`EXISTS (SELECT 1 FROM channels WHERE app_id = ? AND id = ? ${lock})`, [appId, channelId])
      .select(
        'app_id',
        sql.raw('CAST(? AS bigint)', [channelId]),
        'id',
        ...(hasChoice ? [sql.raw('CAST(? AS boolean)', [subscribed])] : []),
      )
      .toSQL()
    await sql.raw(
      `INSERT INTO ${table} (app_id, channel_id, ${column}${hasChoice ? ', subscribed' : ''}) ${select}
       ON CONFLICT (app_id, channel_id, ${column}) ${onConflict}`,
      bindings as Knex.RawBinding[],
    )
  }

  /** Deletes the first `limit` subscriptions of a channel. Returns whether more are left. */
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

  async function counted(some: Knex.QueryBuilder): Promise<CountedStretch> {
    const row = await sql.from(some.as('some')).first(sql.raw('MAX(at) AS last, COUNT(*) AS seen, SUM(own) AS own'))
    return { last: row.last === null ? null : Number(row.last), seen: Number(row.seen), own: Number(row.own ?? 0) }
  }

  return {
    /**
     * Identifier -> id of the app's users among these, on SQLite only. Reading two aggregated lists costs a third of reading as many
     * rows.
     */
    async usersOf(appId: number, identifiers: readonly string[]): Promise<Map<string, number>> {
      if (identifiers.length === 0) return new Map()
      const found = await whereAmong(sql('users').where({ app_id: appId }), sql, 'identifier', identifiers).first(
        sql.raw('json_group_array(id) AS ids'),
        sql.raw('json_group_array(identifier) AS names'),
      )
      const ids = JSON.parse(found.ids) as number[]
      const names = JSON.parse(found.names) as string[]
      return new Map(names.map((name, i) => [name, ids[i]!]))
    },

    /** Stores a subscription or an opt-out of each of these installs. Installs of other apps are left out. */
    async setInstalls(appId: number, channelId: number, rows: readonly number[], subscribed: boolean): Promise<void> {
      for (const some of slices(rows)) {
        await insert(INSTALLS, { appId, channelId }, among(INSTALLS, appId, some), {
          subscribed,
          onConflict: 'DO UPDATE SET subscribed = excluded.subscribed',
        })
      }
    },

    /**
     * Unsubscribes these installs: deletes their own subscriptions, and stores an opt-out for those whose user is
     * subscribed, because they would otherwise still be reached through the user.
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

    /** Subscribes these users. Users of other apps are left out. */
    async addUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) await insert(USERS, { appId, channelId }, among(USERS, appId, some))
    },

    /** Finds the users with these identifiers, which are the text of an array of PostgreSQL; on PostgreSQL only. */
    async named(appId: number, names: string): Promise<NamedUsers> {
      const found = await sql.raw(
        `SELECT CAST(json_agg(users.id) FILTER (WHERE users.id IS NOT NULL) AS text) AS ids,
           CAST(json_agg(at) FILTER (WHERE users.id IS NULL) AS text) AS nobody
         FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS named (name, at)
           LEFT JOIN users ON users.app_id = ? AND users.identifier = name`,
        [names, appId],
      )
      const [row] = rowsOf<{ ids: string | null; nobody: string | null }>(found)
      return { ids: eachOnce(row!.ids), nobody: eachOnce(row!.nobody) }
    },

    /**
     * Subscribes those of these users who are still there; on PostgreSQL only. The ids are ascending, at least one. Throws an error that
     * `isThereAlready` knows when another transaction has subscribed one of the users meanwhile, unless `isContested` is true: looking once
     * instead of twice saves a fifth of the database's time.
     */
    async addFound(
      appId: number,
      channelId: number,
      ids: Float64Array,
      { isContested }: { isContested: boolean },
    ): Promise<void> {
      // The first and the last one keep the planner from reading the whole tables.
      const between = [ids[0]!, ids.at(-1)!]
      await sql.raw(
        `INSERT INTO channel_users (app_id, channel_id, user_id)
         SELECT users.app_id, CAST(? AS bigint), users.id FROM unnest(CAST(? AS bigint[])) AS given (id)
           JOIN users ON users.id = given.id
         WHERE users.app_id = ? AND users.id BETWEEN ? AND ?
           AND EXISTS (SELECT 1 FROM channels WHERE app_id = ? AND id = ? FOR KEY SHARE)
           AND NOT EXISTS (SELECT 1 FROM channel_users had
             WHERE had.app_id = ? AND had.channel_id = ? AND had.user_id = users.id AND had.user_id BETWEEN ? AND ?)
         ORDER BY users.id ${isContested ? 'ON CONFLICT (app_id, channel_id, user_id) DO NOTHING' : ''}`,
        [channelId, `{${ids.join(',')}}`, appId, ...between, appId, channelId, appId, channelId, ...between],
      )
    },

    async removeUsers(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) {
        await whereAmong(ofUsers().where({ app_id: appId, channel_id: channelId }), sql, 'user_id', some).delete()
      }
    },

    /** Deletes the own subscriptions of the current installs of these users. Their opt-outs stay. */
    async removeInstallsOf(appId: number, channelId: number, userIds: readonly number[]): Promise<void> {
      for (const some of slices(userIds)) {
        const theirs = whereAmong(sql('installs').where({ app_id: appId }), sql, 'user_id', some).select('id')
        await ofInstalls()
          .where({ app_id: appId, channel_id: channelId, subscribed: true })
          .whereIn('install_row', theirs)
          .delete()
      }
    },

    /** Deletes up to `limit` subscriptions of a channel; false when none are left. */
    async clear(appId: number, channelId: number, limit: number): Promise<boolean> {
      for (const list of [USERS, INSTALLS]) if (await clear(list, appId, channelId, limit)) return true
      return false
    },

    /** Channels to which the install itself is subscribed (true) or from which it opted out (false). */
    async choicesOfInstall(appId: number, row: number): Promise<Map<number, boolean>> {
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

    /** The subscriptions and opt-outs of the user's current installs. */
    async choicesOfInstalls(
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

    /** Deletes an install's own subscriptions to these channels and its opt-outs. */
    async forget(appId: number, row: number, channelIds: readonly number[]): Promise<void> {
      if (channelIds.length === 0) return
      // Through the index on the install: the primary key begins with the app and the channel.
      const choices = ofInstalls()
        .where({ install_row: row })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
      await choices.whereIn('channel_id', channelIds as number[]).delete()
    },

    /** Users who are subscribed to a channel, by id, after the id `after`; undefined for a user who was deleted since. */
    async usersPage(
      appId: number,
      channelId: number,
      after: number,
      limit: number,
    ): Promise<{ at: number; userId: string | undefined }[]> {
      const rows: { user_id: number }[] = await ofUsers()
        .where({ app_id: appId, channel_id: channelId })
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(limit)
        .select('user_id')
      const ids = rows.map((row) => row.user_id)
      const names = new Map(
        (await among(USERS, appId, ids).select('id', 'identifier')).map((user) => [user.id, user.identifier]),
      )
      return ids.map((id) => ({ at: id, userId: names.get(id) }))
    },

    /** The same for installs that are subscribed to a channel themselves, or opted out of it, by row. */
    async installsPage(
      appId: number,
      channelId: number,
      after: number,
      limit: number,
    ): Promise<{ at: number; install: Subscription | undefined }[]> {
      const rows: { install_row: number; subscribed: boolean | number }[] = await ofInstalls()
        .where({ app_id: appId, channel_id: channelId })
        .where('install_row', '>', after)
        .orderBy('install_row')
        .limit(limit)
        .select('install_row', 'subscribed')
      const found: { id: number; install_id: string; identifier: string }[] = await among(
        INSTALLS,
        appId,
        rows.map((row) => row.install_row),
      ).select(
        'id',
        'install_id',
        sql.raw('(SELECT identifier FROM users WHERE users.id = installs.user_id) AS identifier'),
      )
      const installs = new Map(found.map((install) => [install.id, install]))
      return rows.map(({ install_row: at, subscribed }) => {
        const found = installs.get(at)
        const install = found && {
          userId: found.identifier,
          installId: found.install_id,
          subscribed: Boolean(subscribed),
        }
        return { at, install }
      })
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

    /** Counts the next `size` subscriptions of users behind the user `after`; `last` is null when there are none. */
    async countUsers(appId: number, channelId: number, after: number, size: number): Promise<CountedStretch> {
      const some = ofUsers().where({ app_id: appId, channel_id: channelId }).where('user_id', '>', after)
      return counted(some.orderBy('user_id').limit(size).select('user_id AS at', sql.raw('1 AS own')))
    },

    /** The same for installs: `own` are those that are subscribed, the rest opted out. */
    async countInstalls(appId: number, channelId: number, after: number, size: number): Promise<CountedStretch> {
      const some = ofInstalls().where({ app_id: appId, channel_id: channelId }).where('install_row', '>', after)
      const own = sql.raw('CASE WHEN subscribed THEN 1 ELSE 0 END AS own')
      return counted(some.orderBy('install_row').limit(size).select('install_row AS at', own))
    },

    /**
     * The next users at or behind a text in the order of identifiers, each with whether a channel has them. That order is the
     * database's: identifiers that begin with the text follow it, but others may stand between them.
     */
    async usersFrom(
      appId: number,
      channelId: number,
      text: string,
      limit: number,
    ): Promise<{ userId: string; isMember: boolean }[]> {
      const found: { id: number; identifier: string }[] = await sql('users')
        .where({ app_id: appId })
        .where('identifier', '>=', text)
        .orderBy('identifier')
        .limit(limit)
        .select('id', 'identifier')
      const ids = found.map(({ id }) => id)
      const members: { user_id: number }[] =
        ids.length === 0
          ? []
          : await whereAmong(ofUsers().where({ app_id: appId, channel_id: channelId }), sql, 'user_id', ids).select(
              'user_id',
            )
      const known = new Set(members.map((row) => row.user_id))
      return found.map(({ id, identifier }) => ({ userId: identifier, isMember: known.has(id) }))
    },

    /** The choice of an install about a channel; undefined when it made none. */
    async installNamed(appId: number, channelId: number, installId: string): Promise<Subscription | undefined> {
      const install: { id: number; identifier: string } | undefined = await sql('installs')
        .where({ app_id: appId, install_id: installId })
        .first('id', sql.raw('(SELECT identifier FROM users WHERE users.id = installs.user_id) AS identifier'))
      if (!install) return undefined
      const row: { subscribed: boolean | number } | undefined = await ofInstalls()
        .where({ app_id: appId, channel_id: channelId, install_row: install.id })
        .first('subscribed')
      return row && { userId: install.identifier, installId, subscribed: Boolean(row.subscribed) }
    },

    /**
     * Locks the user until the commit, so that two calls for one user run one after the other. SQLite has a single
     * writer.
     */
    async lockUser(appId: number, userId: number): Promise<void> {
      if (isPostgres(sql)) await sql('users').where({ app_id: appId, id: userId }).forNoKeyUpdate().first('id')
    },
  }
}
