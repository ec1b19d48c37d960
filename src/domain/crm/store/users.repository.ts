import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import {
  among,
  dialectOf,
  isPostgres,
  jsonRows,
  type List,
  listOf,
  rowsOf,
  unindexed,
  whereIds,
} from '../../../platform/db/dialect.ts'
import { bytesOf, type WeighedRow } from '../../../platform/db/pages.ts'
import { prepared, preparedLookUp, preparedPlan, preparedUpdate } from '../../../platform/db/prepared.ts'
import { type Row } from '../../../platform/db/table.ts'
import { lockApp } from '../../apps/repository.ts'
import { type Attributes, USERS, type User } from '../types.ts'
import { blockOf, type PageStart, type UserBlock } from './directory.ts'

/**
 * A row with its further columns: `listed` (the user counts into the list), `in_app_at` (change of the consent to
 * in-app messages) and `attributes_at` (change of the attributes).
 */
type UserRow = Row<typeof USERS> & { listed: boolean | number; in_app_at: number }

const FIND = preparedPlan<{ appId: number; identifier: string }, UserRow>(
  `SELECT ${USERS.names.join(', ')} FROM users WHERE app_id = :appId AND identifier = :identifier`,
)
const ATTRIBUTES = preparedPlan<{ appId: number; identifier: string }, { attributes: string }>(
  'SELECT attributes FROM users WHERE app_id = :appId AND identifier = :identifier',
)
/** SQLite has one writer. */
const LOCK_ATTRIBUTES = {
  sqlite: ATTRIBUTES,
  postgres: prepared<{ appId: number; identifier: string }, { attributes: string }>(
    'SELECT attributes FROM users WHERE app_id = :appId AND identifier = :identifier FOR NO KEY UPDATE',
  ),
}
const SET_ATTRIBUTES = preparedUpdate<{
  attributes: string
  attributes_at: number
  updated_at: number
  app_id: number
  identifier: string
}>('users', {
  set: { attributes: 'text', attributes_at: 'bigint', updated_at: 'bigint' },
  key: { app_id: 'bigint', identifier: 'text' },
})
const OFFER_ATTRIBUTES = prepared<{
  appId: number
  identifier: string
  attributes: string
  at: number
  until: number
  now: number
}>(
  `UPDATE users SET attributes = :attributes, attributes_at = :at, updated_at = :now
   WHERE app_id = :appId AND identifier = :identifier AND attributes_at <= :until`,
)

/** The anonymous user of a new install, for SQLite: one by one (docs/decisions/measurements.md). */
const CREATE_FOR_INSTALL = prepared<
  { appId: number; identifier: string; at: number; now: number },
  { id: number; identifier: string }
>(
  `INSERT INTO users (app_id, identifier, anonymous, listed, install_count, attributes, in_app_enabled,
     first_active, last_active, created_at, updated_at)
   VALUES (:appId, :identifier, TRUE, TRUE, 1, '{}', FALSE, :at, :at, :now, :now)
   ON CONFLICT (app_id, identifier) DO NOTHING RETURNING id, identifier`,
)
/** The statement for SQLite, where a short one for each user takes less time than one for all of them. */
const TOUCH = prepared<{ appId: number; identifier: string; at: number }>(
  `UPDATE users SET last_active = :at
   WHERE app_id = :appId AND identifier = :identifier AND last_active < :at`,
)
/** The statement for PostgreSQL. Rows are locked in their order first, so that two transactions cannot deadlock. */
const TOUCH_ALL = preparedLookUp<{ appId: number }>(
  ['text', 'bigint'],
  (given) =>
    `WITH given (identifier, at) AS (${given}),
     found AS MATERIALIZED (
       SELECT users.id, given.at FROM given CROSS JOIN users
       WHERE users.app_id = :appId AND users.identifier = given.identifier AND users.last_active < given.at
       ORDER BY users.id FOR NO KEY UPDATE OF users)
     UPDATE users SET last_active = found.at FROM found WHERE users.id = found.id`,
)

/** Assumed size of an install in a list: nearly all are smaller. */
const INSTALL_BYTES = 512

/** A change that may list or unlist a user: an install more or less, or an anonymous user who becomes known. */
export interface Standing {
  installs?: 1 | -1 | undefined
  known?: true
}

const IDS_OF = preparedPlan<{ appId: number; identifiers: List }, { id: number; identifier: string }>(
  (kind) => `SELECT id, identifier FROM users WHERE app_id = :appId AND ${among(kind, 'identifier', 'identifiers')}`,
  { appId: 'bigint', identifiers: 'text[]' },
)

export type UsersRepository = ReturnType<typeof usersRepository>

/** Tables: docs/reference/schema.md#users, #user_blocks. */
export function usersRepository(sql: Sql) {
  const users = () => sql<UserRow>('users')

  /**
   * Changes the standing of a user. Together with `createForInstalls` and adoption/repository.ts the only writer of
   * `listed`, `install_count` and `user_blocks`, which must agree. The first statement locks the row of the user on
   * PostgreSQL, so that its result stays true until the commit. The count of the block is incremented by the database.
   */
  async function changeStanding(appId: number, id: number, { installs, known }: Standing): Promise<void> {
    const [row] = await users()
      .where({ app_id: appId, id })
      .update({
        install_count: sql.raw('install_count + ?', [installs ?? 0]),
        ...(known && { anonymous: false }),
      })
      .returning(['anonymous', 'listed', 'install_count'])
    if (!row) return
    const listed = !row.anonymous || row.install_count > 0
    if (listed === Boolean(row.listed)) return
    await users().where({ app_id: appId, id }).update({ listed })
    const step = listed ? 1 : -1
    await sql('user_blocks')
      .insert({ app_id: appId, block: blockOf(id), listed: step })
      .onConflict(['app_id', 'block'])
      .merge({ listed: sql.raw('user_blocks.listed + ?', [step]) })
  }

  return {
    /**
     * A lock until the commit, to be taken before a known user is created or the standing of a user changes. Such
     * transactions lock rows of `users` and `user_blocks` in any order, and would deadlock on PostgreSQL without a
     * common first lock. The order of locks is: install, this one, users. SQLite has a single writer.
     */
    async lockListing(appId: number): Promise<void> {
      await lockApp(sql, appId)
    },

    changeStanding,

    async find(appId: number, identifier: string): Promise<User | undefined> {
      const row = await FIND.first(sql, { appId, identifier })
      return row && USERS.fromRow(row)
    },

    /** The attributes as JSON text; undefined when there is no such user. */
    async attributesOf(appId: number, identifier: string): Promise<string | undefined> {
      return (await ATTRIBUTES.first(sql, { appId, identifier }))?.attributes
    },

    /** The same as `attributesOf`; nobody else changes the user until the transaction ends. */
    async lockAttributes(appId: number, identifier: string): Promise<string | undefined> {
      const lock = LOCK_ATTRIBUTES[dialectOf(sql)]
      return (await lock.first(sql, { appId, identifier }))?.attributes
    },

    /**
     * Makes a user unless one of that name exists (then undefined). An anonymous one is listed once an install has it.
     */
    async create(
      appId: number,
      identifier: string,
      { anonymous, at, now }: { anonymous: boolean; at: number; now: number },
    ): Promise<User | undefined> {
      const [row] = await users()
        .insert({
          app_id: appId,
          identifier,
          anonymous,
          listed: false,
          install_count: 0,
          attributes: '{}',
          in_app_enabled: false,
          first_active: at,
          last_active: at,
          created_at: now,
          updated_at: now,
        })
        .onConflict(['app_id', 'identifier'])
        .ignore()
        .returning('*')
      if (!row) return undefined
      if (!anonymous) await changeStanding(appId, row.id, {})
      return USERS.fromRow(row)
    },

    /**
     * Creates the anonymous users of new installs and returns their ids. Users whose names are taken are left out. The
     * caller must call `list` before the commit, which counts them into the list.
     */
    async createForInstalls(
      appId: number,
      given: readonly { identifier: string; at: number }[],
      now: number,
    ): Promise<{ id: number; identifier: string }[]> {
      if (!isPostgres(sql)) {
        const made: { id: number; identifier: string }[] = []
        for (const { identifier, at } of given) {
          const user = await CREATE_FOR_INSTALL.first(sql, { appId, identifier, at, now })
          if (user) made.push(user)
        }
        return made
      }
      const lines = given.map(({ identifier, at }) => [appId, identifier, at, at, now, now])
      // Literals, because these columns are the same for every new user.
      const made = await sql.raw(
        `WITH given (app_id, identifier, first_active, last_active, created_at, updated_at) AS (
           ${jsonRows(sql, ['bigint', 'text', 'bigint', 'bigint', 'bigint', 'bigint'])})
         INSERT INTO users (app_id, identifier, anonymous, listed, install_count, attributes, in_app_enabled,
           first_active, last_active, created_at, updated_at)
         SELECT app_id, identifier, true, true, 1, '{}', false, first_active, last_active, created_at, updated_at FROM given
         WHERE true ON CONFLICT (app_id, identifier) DO NOTHING RETURNING id, identifier`,
        [JSON.stringify(lines)],
      )
      return rowsOf(made)
    },

    /** Adds users of `createForInstalls` to the count of the list. Call `lockListing` first. */
    async list(appId: number, ids: readonly number[]): Promise<void> {
      const blocks = new Map<number, number>()
      for (const id of ids) blocks.set(blockOf(id), (blocks.get(blockOf(id)) ?? 0) + 1)
      await sql.raw(
        `INSERT INTO user_blocks (app_id, block, listed) ${jsonRows(sql, ['bigint', 'bigint', 'bigint'])}
         ON CONFLICT (app_id, block) DO UPDATE SET listed = user_blocks.listed + excluded.listed`,
        [JSON.stringify([...blocks].map(([block, listed]) => [appId, block, listed]))],
      )
    },

    async setAttributes(appId: number, identifier: string, attributes: Attributes, now: number): Promise<boolean> {
      const set = { attributes: JSON.stringify(attributes), attributes_at: now, updated_at: now }
      return (await SET_ATTRIBUTES.run(sql, { ...set, app_id: appId, identifier })) > 0
    },

    /** Stores attributes that a device sent at `at`, unless the attributes in force were written after `until`. */
    async offerAttributes(
      appId: number,
      identifier: string,
      attributes: Attributes,
      times: { at: number; until: number; now: number },
    ): Promise<void> {
      await OFFER_ATTRIBUTES.run(sql, { appId, identifier, attributes: JSON.stringify(attributes), ...times })
    },

    /** Stores the consent to in-app messages, unless a newer event did. */
    async setInApp(appId: number, identifier: string, enabled: boolean, at: number, now: number): Promise<void> {
      await users()
        .where({ app_id: appId, identifier })
        .where('in_app_at', '<=', at)
        .update({ in_app_enabled: enabled, in_app_at: at, updated_at: now })
    },

    /**
     * Moves the last activity of users forward to these times, never back. Ignores unknown users. Each user is given
     * once.
     */
    async touch(appId: number, list: readonly { identifier: string; at: number }[]): Promise<void> {
      if (!isPostgres(sql)) {
        for (const { identifier, at } of list) await TOUCH.run(sql, { appId, identifier, at })
        return
      }
      await TOUCH_ALL.run(sql, { appId, lines: JSON.stringify(list.map(({ identifier, at }) => [identifier, at])) })
    },

    blocks(appId: number): Promise<UserBlock[]> {
      return sql('user_blocks')
        .where({ app_id: appId })
        .where('listed', '>', 0)
        .orderBy('block')
        .select('block', 'listed')
    },

    /** Listed users in the order of their creation, with the size of them and their installs. */
    async page(appId: number, { fromId, skip }: PageStart, limit: number): Promise<WeighedRow[]> {
      // The inner SELECT skips index entries only. It must write `listed` as the partial index does.
      const wanted = users()
        .where({ app_id: appId })
        .where('id', '>=', fromId)
        .whereRaw('listed')
        .orderBy('id')
        .limit(limit)
        .offset(skip)
        .select('id')
      return users()
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .whereIn('id', wanted)
        .orderBy('id')
        .select('id', bytesOf(sql, ['attributes'], `install_count * ${INSTALL_BYTES}`)) as unknown as Promise<
        WeighedRow[]
      >
    },

    /** The size of these users and their installs, in the order of their creation; unknown ones are left out. */
    weights(appId: number, ids: readonly number[]): Promise<WeighedRow[]> {
      return whereIds(users(), sql, appId, ids)
        .orderBy('id')
        .select('id', bytesOf(sql, ['attributes'], `install_count * ${INSTALL_BYTES}`)) as unknown as Promise<
        WeighedRow[]
      >
    },

    /** Users with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<User[]> {
      return (await whereIds(users(), sql, appId, ids)).map(USERS.fromRow)
    },

    /** Ids of the users with these identifiers. */
    async idsOf(appId: number, identifiers: readonly string[]): Promise<{ id: number; identifier: string }[]> {
      return IDS_OF.all(sql, { appId, identifiers: listOf(sql, identifiers) })
    },

    /** Deletes these users, who have no install any more, and takes them out of the count of the list. Call `lockListing` first. */
    async remove(appId: number, ids: readonly number[]): Promise<void> {
      for (const id of ids) {
        const user = await users().where({ app_id: appId, id }).first('listed')
        if (!user || (await users().where({ app_id: appId, id }).delete()) === 0) continue
        if (user.listed) {
          await sql('user_blocks')
            .where({ app_id: appId, block: blockOf(id) })
            .decrement('listed', 1)
        }
      }
    },

    /** Deletes at most `limit` users of an app who have no install any more; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = users()
        .where({ app_id: appId })
        // A subquery for each user: PostgreSQL might answer a join by scanning all installs.
        .whereRaw('(SELECT id FROM installs WHERE installs.user_id = users.id LIMIT 1) IS NULL')
        .orderBy('identifier')
        .limit(limit)
      return deleteSome(sql, 'users', some)
    },
  }
}
