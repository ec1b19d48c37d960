import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, unindexed, whereAmong, whereIds } from '../../platform/db/dialect.ts'
import { newestFirst, oldestFirst, slicesOf, type WeighedRow } from '../../platform/db/pages.ts'
import type { TokenState } from './types.ts'

/** Attributes that are read to learn which names and values there are (bytes). */
const SAMPLE_BYTES = 256 * 1024

/** A user whose identifier begins with the typed text. */
export interface NamedUser {
  id: number
  identifier: string
}

/** A user and the time of their last activity. */
export interface SeenUser {
  id: number
  at: number
}

export type ProfilesRepository = ReturnType<typeof profilesRepository>

/**
 * Reads users for the search of the console. Every statement reads a bounded part of one index.
 * Tables: docs/reference/schema.md#users, #installs, #retired_tokens. /.
 */
export function profilesRepository(sql: Sql) {
  // As the index over the bytes of identifiers has it (`users_by_name`). SQLite compares bytes anyway.
  const identifier = isPostgres(sql) ? 'identifier COLLATE "C"' : 'identifier'
  const listed = (appId: number) => sql('users').where({ app_id: appId }).whereRaw('listed')

  return {
    /** Listed users, the newest first, before the id `before`. */
    newest(appId: number, before: number | undefined, limit: number): Promise<number[]> {
      return listed(appId).modify(newestFirst(before, limit)).pluck('id')
    },

    /** Listed users, the oldest first, after the id `after`. */
    oldest(appId: number, after: number | undefined, limit: number): Promise<number[]> {
      return listed(appId)
        .modify(oldestFirst(after ?? 0, limit))
        .pluck('id')
    },

    /** Listed users by their identifiers, behind the identifier `behind`. */
    byName(
      appId: number,
      { behind, isDescending }: { behind: string | undefined; isDescending: boolean },
      limit: number,
    ): Promise<number[]> {
      const query = listed(appId)
      if (behind !== undefined) void query.whereRaw(`${identifier} ${isDescending ? '<' : '>'} ?`, [behind])
      return query
        .orderByRaw(`${identifier} ${isDescending ? 'DESC' : 'ASC'}`)
        .limit(limit)
        .pluck('id')
    },

    /** The listed users of some blocks of ids who were active last, before `before`. */
    seenLast(
      appId: number,
      { from, to }: { from: number; to: number },
      before: SeenUser | undefined,
      limit: number,
    ): Promise<SeenUser[]> {
      const query = listed(appId).where('id', '>=', from).where('id', '<', to)
      if (before) {
        const { at, id } = before
        void query.whereRaw('(last_active < ? OR (last_active = ? AND id < ?))', [at, at, id])
      }
      return query.orderByRaw('last_active DESC, id DESC').limit(limit).select('id', 'last_active as at')
    },

    /** Listed users whose identifier begins with `start`, in its order, behind the identifier `behind`. */
    beginning(appId: number, start: string, behind: string | undefined, limit: number): Promise<NamedUser[]> {
      return listed(appId)
        .whereRaw(`${identifier} ${behind === undefined ? '>=' : '>'} ?`, [behind ?? start])
        .whereRaw(`${identifier} < ?`, [`${start}\u{10ffff}`])
        .orderByRaw(identifier)
        .limit(limit)
        .select('id', 'identifier')
    },

    /** The identifier of a user; undefined also for one of another app. */
    async identifierOf(appId: number, id: number): Promise<string | undefined> {
      const [found]: string[] = await whereIds(sql('users'), sql, appId, [id]).pluck('identifier')
      return found
    },

    /** Attributes of the newest users, as JSON texts. */
    async sample(appId: number, limit: number): Promise<string[]> {
      const weighed: WeighedRow[] = await listed(appId)
        .modify(newestFirst(undefined, limit))
        .select('id', sql.raw('octet_length(attributes) AS bytes'))
      const [some = []] = slicesOf(
        weighed.filter(({ bytes }) => bytes > 2 && bytes <= SAMPLE_BYTES),
        SAMPLE_BYTES,
      )
      const ids = some.map(({ id }) => id)
      return whereIds(sql('users'), sql, appId, ids).pluck('attributes')
    },

    /** State of the tokens of these installs. */
    async tokens(appId: number, rows: readonly number[]): Promise<TokenState[]> {
      const found: (Omit<TokenState, 'hasToken' | 'retired'> & { hasToken: boolean | number })[] = await whereIds(
        sql('installs'),
        sql,
        appId,
        rows,
      ).select(
        'id as row',
        'token_at as tokenAt',
        'token_environment as environment',
        'token_topic as topic',
        'token_refusals as refusals',
        sql.raw('token IS NOT NULL AS "hasToken"'),
      )
      const retired = await this.retired(appId, rows)
      return found.map((one) => ({
        ...one,
        hasToken: Boolean(one.hasToken),
        retired: retired.get(one.row) ?? null,
      }))
    },

    /** The last token of each of these installs that a gateway refused for good. */
    async retired(appId: number, rows: readonly number[]): Promise<Map<number, { reason: string; at: number }>> {
      const query = sql('retired_tokens').whereRaw(`${unindexed('app_id')} = ?`, [appId])
      const found: { install_row: number; reason: string; at: number }[] = await whereAmong(
        query,
        sql,
        'install_row',
        rows,
      )
        .orderBy('id')
        .select('install_row', 'reason', 'retired_at as at')
      return new Map(found.map(({ install_row: row, reason, at }) => [row, { reason, at }]))
    },
  }
}
