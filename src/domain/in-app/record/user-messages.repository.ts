import type { Sql } from '../../../platform/db/connect.ts'
import { deleteSome } from '../../../platform/db/delete-some.ts'
import { jsonRows, rowLock, rowsOf, skipLocked, whereAmong, whereIds } from '../../../platform/db/dialect.ts'
import { bytesOf, highestFirst, type WeighedRow } from '../../../platform/db/pages.ts'

/** Reactions that devices report about a message: the columns with the time of the first report and with the count. */
const REACTIONS = {
  delivered: { column: 'delivered_at', counter: 'delivered' },
  shown: { column: 'shown_at', counter: 'shown' },
  dismissed: { column: 'dismissed_at', counter: 'dismissed' },
  read: { column: 'read_at', counter: 'read' },
  inboxDeleted: { column: 'inbox_deleted_at', counter: 'inbox_deleted' },
} as const
export type ReactionKind = keyof typeof REACTIONS
export const REACTION_KINDS = Object.keys(REACTIONS) as ReactionKind[]

/** The first time of each of these reactions (ms); null: not yet. */
export type ReactionTimes = Record<ReactionKind, number | null>

/** The number of users of each of these reactions. */
export type ReactionCounts = Record<ReactionKind, number>

/** The state of a message for a user, over all their devices. Times are in milliseconds. */
export interface UserMessage extends ReactionTimes {
  userId: number
  messageId: number
  sentAt: number
  updatedAt: number
  /** The language in which the user got it; null when it has only one. */
  language: string | null
}

/** The state of a message for a user, and the bytes of the texts that are kept for them. */
export interface SyncedState extends UserMessage {
  textBytes: number
}

/**
 * The part of a message that a sync needs, without its content. `inbox` is JSON text; `bytes` is the size of the
 * content.
 */
export interface StoredMessage extends WeighedRow {
  presentedWhen: string
  inbox: string | null
  ttlMs: number | null
  withdrawnAt: number | null
}

/** The content of a message, as JSON text. */
export interface StoredContent {
  id: number
  editedAt: number | null
  content: string
  data: string | null
  /** Null: all users get the same. */
  personal: string | null
}

/** Parts of a message that differs between users, as JSON text. */
export interface PersonalParts {
  tagValues: string
  inbox: string | null
}

/** A message that may have ended. */
export type KeptMessage = Pick<StoredMessage, 'id' | 'inbox' | 'ttlMs' | 'withdrawnAt'>

const STATE_COLUMNS = [
  'user_id as userId',
  'message_id as messageId',
  'sent_at as sentAt',
  'updated_at as updatedAt',
  'language as language',
  'delivered_at as delivered',
  'shown_at as shown',
  'dismissed_at as dismissed',
  'read_at as read',
  'inbox_deleted_at as inboxDeleted',
] as const
const COUNTERS = REACTION_KINDS.map((kind) => REACTIONS[kind].counter)

export type UserMessagesRepository = ReturnType<typeof userMessagesRepository>

/**
 * The messages of users, as devices read and change them. The fan-out inserts the rows.
 * Tables: docs/reference/schema.md#in_app_messages, #user_messages, #in_app_tallies.
 */
export function userMessagesRepository(sql: Sql) {
  const rows = () => sql('user_messages')
  const syncedColumns = () => [...STATE_COLUMNS, sql.raw('COALESCE(octet_length(texts), 0) AS "textBytes"')]

  return {
    /**
     * The user's messages, latest change first (being sent counts as one); `behind` is the last message of the page
     * before.
     */
    lastChanged(userId: number, limit: number, behind?: UserMessage): Promise<SyncedState[]> {
      return rows()
        .where({ user_id: userId })
        .modify(highestFirst(['updated_at', 'message_id'], behind && [behind.updatedAt, behind.messageId], limit))
        .select(...syncedColumns())
    },

    /** The user's messages that changed at or after `since`, latest change first. */
    changedSince(userId: number, since: number, limit: number): Promise<SyncedState[]> {
      return rows()
        .where({ user_id: userId })
        .where('updated_at', '>=', since)
        .orderBy('updated_at', 'desc')
        .limit(limit)
        .select(...syncedColumns())
    },

    /** Messages among `messageIds` that the user has. */
    async among(userId: number, messageIds: readonly number[]): Promise<SyncedState[]> {
      if (messageIds.length === 0) return []
      return whereAmong(rows().where({ user_id: userId }), sql, 'message_id', messageIds).select(...syncedColumns())
    },

    /** Messages of the app that were withdrawn at or after `since`, latest first. */
    async withdrawnSince(appId: number, since: number, limit: number): Promise<number[]> {
      const found: { id: number }[] = await sql('in_app_messages')
        .where({ app_id: appId })
        .where('withdrawn_at', '>=', since)
        .orderBy('withdrawn_at', 'desc')
        .limit(limit)
        .select('id')
      return found.map(({ id }) => id)
    },

    /** The messages with these ids, by id. */
    async messages(appId: number, ids: readonly number[]): Promise<Map<number, StoredMessage>> {
      if (ids.length === 0) return new Map()
      const found: StoredMessage[] = await whereIds(sql('in_app_messages'), sql, appId, ids).select(
        'id',
        'presented_when as presentedWhen',
        'inbox',
        'ttl_ms as ttlMs',
        'withdrawn_at as withdrawnAt',
        bytesOf(sql, ['content', 'data']),
      )
      return new Map(found.map((message) => [message.id, message]))
    },

    /** The content of the messages with these ids; unknown ones are left out. */
    contents(appId: number, ids: readonly number[]): Promise<StoredContent[]> {
      return whereIds(sql('in_app_messages'), sql, appId, ids).select(
        'id',
        'edited_at as editedAt',
        'content',
        'data',
        'personal',
      )
    },

    /** The values of the tags and the inbox entries of these messages, which say besides their content what users are shown. */
    async personalParts(appId: number, ids: readonly number[]): Promise<Map<number, PersonalParts>> {
      const found: (PersonalParts & { id: number })[] = await whereIds(sql('in_app_messages'), sql, appId, ids).select(
        'id',
        'tag_values as tagValues',
        'inbox',
      )
      return new Map(found.map(({ id, ...parts }) => [id, parts]))
    },

    /** The texts that are kept for a user of these messages, as JSON text. */
    async texts(userId: number, messageIds: readonly number[]): Promise<Map<number, string>> {
      const found: { id: number; texts: string | null }[] = await whereAmong(
        rows().where({ user_id: userId }),
        sql,
        'message_id',
        messageIds,
      ).select('message_id as id', 'texts')
      return new Map(found.flatMap(({ id, texts }) => (texts === null ? [] : [[id, texts]])))
    },

    /**
     * The states of these messages for these users, locked until the commit. Rows are locked in the order of their
     * keys, so that two transactions cannot deadlock. Pairs that do not exist are left out.
     */
    async lock(
      appId: number,
      pairs: readonly { identifier: string; messageId: number }[],
    ): Promise<(UserMessage & { identifier: string })[]> {
      const found = await sql.raw(
        `WITH given (identifier, message_id) AS (${jsonRows(sql, ['text', 'bigint'], pairs.length)})
         SELECT users.identifier, ${STATE_COLUMNS.map(qualified).join(', ')}
         FROM given CROSS JOIN users CROSS JOIN user_messages
         WHERE users.app_id = ? AND users.identifier = given.identifier
           AND user_messages.user_id = users.id AND user_messages.message_id = given.message_id
         ORDER BY user_messages.user_id, user_messages.message_id ${rowLock(sql, 'user_messages')}`,
        [JSON.stringify(pairs.map(({ identifier, messageId }) => [identifier, messageId])), appId],
      )
      return rowsOf(found)
    },

    /** Writes the states of messages. The rows must be locked. */
    async update(changed: readonly UserMessage[]): Promise<void> {
      const columns = REACTION_KINDS.map((kind) => REACTIONS[kind].column)
      const lines = changed.map((row) => [
        row.userId,
        row.messageId,
        row.updatedAt,
        ...REACTION_KINDS.map((kind) => row[kind]),
      ])
      await sql.raw(
        `WITH given (user_id, message_id, updated_at, ${columns.join(', ')}) AS
           (${jsonRows(sql, ['bigint', 'bigint', 'bigint', ...columns.map(() => 'bigint' as const)], changed.length)})
         UPDATE user_messages
         SET updated_at = given.updated_at, ${columns.map((column) => `${column} = given.${column}`).join(', ')}
         FROM given
         WHERE user_messages.user_id = given.user_id AND user_messages.message_id = given.message_id`,
        [JSON.stringify(lines)],
      )
    },

    /**
     * Adds to the counts of messages. It does not wait for a message that another transaction is writing: it stores
     * these counts separately, and the next `settleTallies` adds them. So any number of devices can report on one
     * message at the same time.
     */
    async count(appId: number, counts: ReadonlyMap<number, ReactionCounts>): Promise<void> {
      if (counts.size === 0) return
      const lines = [...counts].map(([id, some]) => [id, ...REACTION_KINDS.map((kind) => some[kind])])
      const added = await addCounts(appId, lines, 'skip locked')
      const left = lines.filter(([id]) => !added.has(id!))
      if (left.length === 0) return
      await sql.raw(
        `INSERT INTO in_app_tallies (app_id, message_id, ${COUNTERS.join(', ')})
         ${jsonRows(sql, ['bigint', 'bigint', ...COUNTERS.map(() => 'bigint' as const)])}`,
        [JSON.stringify(left.map((line) => [appId, ...line]))],
      )
    },

    /** Adds at most `limit` counts that `count` has stored separately; returns how many. */
    async settleTallies(limit: number): Promise<number> {
      const deleted = await sql.raw(
        `DELETE FROM in_app_tallies WHERE id IN (SELECT id FROM in_app_tallies ORDER BY id LIMIT ${limit} ${skipLocked(sql)})
         RETURNING *`,
      )
      const taken = rowsOf<{ app_id: number; message_id: number; [counter: string]: number }>(deleted)
      // In the order of apps, so that two of these transactions cannot deadlock.
      taken.sort((a, b) => a.app_id - b.app_id)
      for (const [appId, some] of Map.groupBy(taken, (row) => row.app_id)) {
        const lines = [...Map.groupBy(some, (row) => row.message_id)].map(([id, all]) => [
          id,
          ...COUNTERS.map((counter) => all.reduce((sum, row) => sum + row[counter]!, 0)),
        ])
        await addCounts(appId, lines, 'wait')
      }
      return taken.length
    },

    /** Counts of a message that `count` has stored separately and that are not added yet. */
    async pending(appId: number, messageId: number): Promise<ReactionCounts> {
      const row = await sql('in_app_tallies')
        .where({ message_id: messageId, app_id: appId })
        .first(...COUNTERS.map((counter) => sql.raw('SUM(??) AS ??', [counter, counter])))
      return Object.fromEntries(
        REACTION_KINDS.map((kind) => [kind, Number(row?.[REACTIONS[kind].counter] ?? 0)]),
      ) as ReactionCounts
    },

    /**
     * Messages created before `before` whose fan-out is finished and whose recipients are not deleted yet, after the id
     * `after`.
     */
    kept(before: number, after: number, limit: number): Promise<KeptMessage[]> {
      return sql('in_app_messages')
        .whereNull('forgotten_at')
        .where('created_at', '<', before)
        .whereNull('next_at')
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select('id', 'inbox', 'ttl_ms as ttlMs', 'withdrawn_at as withdrawnAt')
    },

    /**
     * Deletes at most `limit` rows of users who got the message before `sentBefore`, oldest first; returns how many.
     */
    forget(messageId: number, sentBefore: number, limit: number): Promise<number> {
      const old = rows().where({ message_id: messageId }).where('sent_at', '<', sentBefore)
      return deleteSome(sql, 'user_messages', old.orderBy('sent_at').limit(limit))
    },

    /** Marks the message as having no recipients left, unless it still has some. */
    async markForgotten(messageId: number, now: number): Promise<void> {
      const left = rows().where({ message_id: messageId }).select(sql.raw('1'))
      await sql('in_app_messages').where({ id: messageId }).whereNotExists(left).update({ forgotten_at: now })
    },
  }

  /** Adds lines (message id, then one number per counter) to the messages; returns the ids of those that it wrote. */
  async function addCounts(
    appId: number,
    lines: readonly (readonly number[])[],
    others: 'wait' | 'skip locked',
  ): Promise<Set<number>> {
    const types = ['bigint', ...COUNTERS.map(() => 'bigint' as const)] as const
    const added = await sql.raw(
      `WITH given (id, ${COUNTERS.join(', ')}) AS (${jsonRows(sql, types, lines.length)}),
       found AS MATERIALIZED (
         SELECT given.* FROM given CROSS JOIN in_app_messages
         WHERE in_app_messages.id = given.id AND in_app_messages.app_id = ?
         ORDER BY in_app_messages.id ${rowLock(sql, 'in_app_messages', others)})
       UPDATE in_app_messages
       SET ${COUNTERS.map((counter) => `${counter} = in_app_messages.${counter} + found.${counter}`).join(', ')}
       FROM found WHERE in_app_messages.id = found.id
       RETURNING in_app_messages.id AS id`,
      [JSON.stringify(lines), appId],
    )
    return new Set(rowsOf<{ id: number }>(added).map(({ id }) => id))
  }
}

/** `sent_at as sentAt` -> `user_messages.sent_at AS "sentAt"`. */
function qualified(column: string): string {
  const [name, as] = column.split(' as ')
  return `user_messages.${name} AS "${as}"`
}
