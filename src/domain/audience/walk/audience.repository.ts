import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import {
  among,
  byIndex,
  isPostgres,
  type List,
  listOf,
  rowsOf,
  unindexed,
  whereAmong,
  whereIds,
} from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import type { HourRange, PlaceColumns } from './within.ts'

/** Members of a walk, in the order of their ids: subscribed installs of one platform, or users who want in-app messages. */
export interface Members {
  from: string
  where: string
  bound: readonly Knex.Value[]
  /** The SQL after WHERE that tests membership by `conditions` conditions on `installs`; each condition is one `?`. */
  meeting(conditions: number): string
}

/** Installs in the order of an index over time zone, preferred hour and `key`. */
export interface ZonedInstalls {
  where: string
  bound: readonly Knex.Value[]
  key: 'id' | 'user_id'
  /** A further column of the same index. */
  also?: 'zone_changed_at'
}

/** Members in ascending order of their ids, and the last one that was examined; null when no more follow. */
export interface Batch {
  ids: number[]
  last: number | null
}

/** An install (or its user) at its place in a `ZonedInstalls` index. */
export interface AtHour {
  id: number
  hour: number
  /** The time of the last change; only with `also: 'zone_changed_at'`. */
  zone_changed_at?: number
}

/** An install with the columns that a walk needs. */
export interface ListedInstall extends PlaceColumns {
  id: number
  user_id: number
  platform: number | null
  subscribed: boolean | number
  updated_at: number
}

const LISTED = [
  'id',
  'user_id',
  'platform',
  'subscribed',
  'timezone',
  'preferred_hour',
  'zone_changed_at',
  'created_at',
  'updated_at',
] as const

/** Install with the members that are shown to people. */
export interface ShownInstall {
  id: number
  installId: string
  userId: string | null
  deviceModel: string | null
  locale: string | null
  timezone: string | null
}

/** A range that names its zone: a missing zone would need another comparison. */
export type NamedRange = HourRange & { zone: string }

const listed = (where: string, by: string) =>
  prepared<{ appId: number; ids: List }, ListedInstall>(
    (kind) =>
      `SELECT ${LISTED.join(', ')} FROM installs
       WHERE ${where}${unindexed('app_id')} = :appId AND ${among(kind, by, 'ids')} ORDER BY id`,
    { appId: 'bigint', ids: 'bigint[]' },
  )
const LISTED_INSTALLS = listed('', 'id')
const SUBSCRIBED_OF = listed('subscribed AND ', 'user_id')

export type AudienceRepository = ReturnType<typeof audienceRepository>

/**
 * The statements of every walk over an audience. Each reads a bounded part of one index.
 * Tables: docs/reference/schema.md#users, #installs.
 */
export function audienceRepository(sql: Sql) {
  async function idsOf(text: string, bound: readonly unknown[]): Promise<number[]> {
    const result = await sql.raw(text, bound as Knex.RawBinding[])
    return rowsOf<{ id: number }>(result).map(({ id }) => id)
  }

  /**
   * The distinct values of an indexed column, ascending: jumps along the index, which begins with the columns in `where`. `before`:
   * columns that PostgreSQL does not take for constant.
   */
  async function distinct<T>(column: string, where: string, bound: readonly Knex.Value[], before = ''): Promise<T[]> {
    const next = (then: string) =>
      `(SELECT ${column} FROM installs WHERE ${where} ${then} ORDER BY ${before}${column} LIMIT 1)`
    const result = await sql.raw(
      `WITH RECURSIVE used (value) AS (
         SELECT ${next('')} UNION ALL SELECT ${next(`AND ${column} > used.value`)} FROM used WHERE used.value IS NOT NULL
       ) SELECT value FROM used WHERE value IS NOT NULL`,
      [...bound, ...bound],
    )
    return rowsOf<{ value: T }>(result).map(({ value }) => value)
  }

  return {
    /** True where `firstAtHours` is possible and saves round trips: it reads several ranges in one statement. */
    readsTogether: isPostgres(sql),

    installs: (appId: number, platform: number): Members & ZonedInstalls => ({
      from: 'installs',
      where: 'app_id = ? AND platform = ? AND subscribed',
      bound: [appId, platform],
      meeting: (conditions) => ' AND ?'.repeat(conditions),
      key: 'id',
      also: 'zone_changed_at',
    }),

    users: (appId: number): Members => ({
      // SQLite would rather use the primary key, and read the users of every app.
      from: `users AS candidates ${byIndex(sql, 'users_in_app')}`,
      where: 'app_id = ? AND in_app_enabled AND listed',
      bound: [appId],
      meeting: (conditions) => ` AND ${withInstall(conditions)}`,
    }),

    /** Every install of an app, subscribed or not, in the order of their users. */
    installsByUser: (appId: number): ZonedInstalls => ({ where: 'app_id = ?', bound: [appId], key: 'user_id' }),

    /**
     * The next members after an id, at most `size`. The most frequent read of all: answered from a partial index alone.
     */
    async next({ from, where, bound }: Members, after: number, size: number): Promise<Batch> {
      const ids = await idsOf(`SELECT id FROM ${from} WHERE ${where} AND id > ? ORDER BY id LIMIT ?`, [
        ...bound,
        after,
        size,
      ])
      return { ids, last: ids.length < size ? null : ids.at(-1)! }
    },

    /** The number of the next `size` members, and the last of them. */
    async count(
      { from, where, bound }: Members,
      after: number,
      size: number,
    ): Promise<{ seen: number; last: number | null }> {
      const result = await sql.raw(
        `SELECT MAX(id) AS last, COUNT(*) AS seen FROM
           (SELECT id FROM ${from} WHERE ${where} AND id > ? ORDER BY id LIMIT ${size}) AS next`,
        [...bound, after],
      )
      return rowsOf<{ last: number | null; seen: number }>(result)[0]!
    },

    /**
     * The members among the next `size` who meet all conditions. Two statements, so that neither examines more than
     * `size` members however few match, and only matches leave the database.
     */
    async nextMatching(members: Members, after: number, size: number, conditions: readonly Knex.Raw[]): Promise<Batch> {
      const { last, seen } = await this.count(members, after, size)
      if (last === null) return { ids: [], last: null }
      const { from, where, bound, meeting } = members
      const ids = await idsOf(
        `SELECT id FROM ${from} WHERE ${where} AND id > ? AND id <= ?${meeting(conditions.length)} ORDER BY id`,
        [...bound, after, last, ...conditions],
      )
      return { ids, last: seen < size ? null : last }
    },

    /**
     * The next installs of a range of hours in one time zone, after an hour and an id, at most `size`. From the index
     * alone.
     */
    async nextAtHours(
      { where, bound, key, also }: ZonedInstalls,
      { zone, from, to }: HourRange,
      after: { hour: number; id: number },
      size: number,
    ): Promise<AtHour[]> {
      const isOneHour = from === to
      // PostgreSQL does not take a zone that IS NULL for one and the same, and would sort all of them for each page.
      const order = [...(zone === null ? ['timezone'] : []), ...(isOneHour ? [] : ['preferred_hour']), key]
      // Two forms: with an upper bound beside the row comparison SQLite would read on to the end of the zone.
      const result = await sql.raw(
        `SELECT ${key} AS id, preferred_hour AS hour${also ? `, ${also}` : ''} FROM installs
         WHERE ${where} AND ${zone === null ? 'timezone IS NULL' : 'timezone = ?'}
           AND ${isOneHour ? `preferred_hour = ? AND ${key} > ?` : `(preferred_hour, ${key}) > (?, ?)`}
         ORDER BY ${order.join(', ')} LIMIT ?`,
        [...bound, ...(zone === null ? [] : [zone]), isOneHour ? from : after.hour, after.id, size],
      )
      return rowsOf<AtHour>(result)
    },

    /**
     * The first installs of several ranges in one round trip, at most `size` of each, in the order of the ranges;
     * `range` is the index of theirs. Only where `readsTogether`: SQLite has no LATERAL.
     */
    async firstAtHours(
      { where, bound }: ZonedInstalls,
      ranges: readonly NamedRange[],
      size: number,
    ): Promise<(AtHour & { range: number })[]> {
      const result = await sql.raw(
        `SELECT range - 1 AS range, found.* FROM unnest(CAST(? AS text[]), CAST(? AS integer[]), CAST(? AS integer[]))
           WITH ORDINALITY AS given (zone, first_hour, last_hour, range)
         CROSS JOIN LATERAL (
           SELECT id, preferred_hour AS hour, zone_changed_at FROM installs
           WHERE ${where} AND timezone = given.zone
             AND preferred_hour BETWEEN given.first_hour AND given.last_hour
           ORDER BY preferred_hour, id LIMIT ${size}) AS found`,
        [
          ranges.map(({ zone }) => zone) as unknown as Knex.Value,
          ranges.map(({ from }) => from) as unknown as Knex.Value,
          ranges.map(({ to }) => to) as unknown as Knex.Value,
          ...bound,
        ],
      )
      return rowsOf<AtHour & { range: number }>(result).sort(
        (a, b) => a.range - b.range || a.hour - b.hour || a.id - b.id,
      )
    },

    /** Subscribed installs whose time zone or preferred hour changed after a moment (ms) and an id, in the order of the changes. */
    async nextChanged(
      appId: number,
      [at, id]: readonly [at: number, id: number],
      size: number,
    ): Promise<{ id: number; platform: number; zone_changed_at: number; created_at: number }[]> {
      const result = await sql.raw(
        `SELECT id, platform, zone_changed_at, created_at FROM installs
         WHERE app_id = ? AND (zone_changed_at, id) > (?, ?) AND subscribed ORDER BY zone_changed_at, id LIMIT ?`,
        [appId, at, id, size],
      )
      return rowsOf(result)
    },

    /** The installs with these ids, subscribed or not. */
    async listed(appId: number, ids: readonly number[]): Promise<ListedInstall[]> {
      return LISTED_INSTALLS.all(sql, { appId, ids: listOf(sql, ids) })
    },

    /** The subscribed installs that these users have now. */
    async subscribedOf(appId: number, users: readonly number[]): Promise<ListedInstall[]> {
      if (users.length === 0) return []
      return SUBSCRIBED_OF.all(sql, { appId, ids: listOf(sql, users) })
    },

    /** The rows of the installs with these ids, as far as there are any. */
    async rowsOf(appId: number, installIds: readonly string[]): Promise<number[]> {
      if (installIds.length === 0) return []
      const found = whereAmong(sql('installs').where({ app_id: appId }), sql, 'install_id', installIds)
      return (await found.select('id')).map(({ id }: { id: number }) => id)
    },

    /** Reads the members of these installs that people see. */
    async shown(appId: number, ids: readonly number[]): Promise<ShownInstall[]> {
      return whereAmong(sql('installs'), sql, 'installs.id', ids)
        .leftJoin('users', 'users.id', 'installs.user_id')
        .whereRaw(`${unindexed('installs.app_id')} = ?`, [appId])
        .select({
          id: 'installs.id',
          installId: 'installs.install_id',
          userId: 'users.identifier',
          deviceModel: 'installs.device_model',
          locale: 'installs.locale',
          timezone: 'installs.timezone',
        })
    },

    /** Installs among `ids` that meet all conditions. */
    async installsMatching(ids: readonly number[], conditions: readonly Knex.Raw[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set()
      const query = whereAmong(sql('installs'), sql, 'installs.id', ids)
      for (const condition of conditions) void query.whereRaw(condition)
      const found: { id: number }[] = await query.select('installs.id as id')
      return new Set(found.map(({ id }) => id))
    },

    /** The time zones of these installs; null first when some have not told theirs. */
    async zones({ where, bound }: ZonedInstalls): Promise<(string | null)[]> {
      const [none] = await idsOf(
        `SELECT id FROM installs WHERE ${where} AND timezone IS NULL ORDER BY timezone LIMIT 1`,
        bound,
      )
      const named = await distinct<string>('timezone', `${where} AND timezone IS NOT NULL`, bound)
      return none === undefined ? named : [null, ...named]
    },

    /** The preferred hours of these installs in one time zone. */
    hours: ({ where, bound }: ZonedInstalls, zone: string | null): Promise<number[]> =>
      zone === null
        ? distinct('preferred_hour', `${where} AND timezone IS NULL`, bound, 'timezone, ')
        : distinct('preferred_hour', `${where} AND timezone = ?`, [...bound, zone]),

    /** Tells whether there is any install of these. */
    async isAny({ where, bound }: ZonedInstalls): Promise<boolean> {
      return (await idsOf(`SELECT id FROM installs WHERE ${where} LIMIT 1`, bound)).length > 0
    },

    /**
     * Users among `users` who want in-app messages and, if there are conditions, have an install that meets all and is
     * not one of `exclude`; ascending.
     */
    async enabledAmong(
      appId: number,
      users: readonly number[],
      conditions: readonly Knex.Raw[] = [],
      exclude: readonly number[] = [],
    ): Promise<number[]> {
      if (users.length === 0) return []
      const query = whereIds(sql('users as candidates'), sql, appId, users)
      const all = exclude.length === 0 ? conditions : [...conditions, notAmong(sql, exclude)]
      if (all.length > 0) void query.whereRaw(withInstall(all.length), all)
      const rows: { id: number }[] = await query.whereRaw('in_app_enabled').orderBy('id').select('id')
      return rows.map(({ id }) => id)
    },

    /** The installs of these users. */
    async installsOf(users: readonly number[]): Promise<{ userId: number; row: number }[]> {
      if (users.length === 0) return []
      const query = whereAmong(sql('installs'), sql, 'user_id', users)
      const rows: { id: number; user_id: number }[] = await query.select('id', 'user_id')
      return rows.map(({ id, user_id: userId }) => ({ userId, row: id }))
    },

    /** The current users of these installs. */
    async usersOf(appId: number, installs: readonly number[]): Promise<number[]> {
      if (installs.length === 0) return []
      const query = whereIds(sql('installs'), sql, appId, installs)
      const rows: { user_id: number }[] = await query.select('user_id')
      return rows.map(({ user_id: user }) => user)
    },
  }
}

/** A condition on `installs`: none of these rows. */
function notAmong(sql: Sql, rows: readonly number[]): Knex.Raw {
  return isPostgres(sql)
    ? sql.raw('installs.id <> ALL(?)', [rows as unknown as Knex.Value])
    : sql.raw('installs.id NOT IN (SELECT value FROM json_each(?))', [JSON.stringify(rows)])
}

/** SQL that is true when a user of `candidates` has an install that meets this many conditions. */
function withInstall(conditions: number): string {
  return `EXISTS (SELECT 1 FROM installs WHERE installs.user_id = candidates.id${' AND ?'.repeat(conditions)} LIMIT 1 OFFSET 0)`
}
