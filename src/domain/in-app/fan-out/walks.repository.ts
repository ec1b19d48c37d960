import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, jsonRows, rowsOf, unindexed } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import type { Row } from '../../../platform/db/table.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { readStored, Unreadable } from '../../../platform/values/unreadable.ts'
import type { KeptTexts } from '../personal/compiled-message.ts'
import type { Edition } from '../personal/give-users.ts'
import {
  type Cursor,
  type LeftOut,
  MESSAGES,
  PERSONAL_CONTENT,
  type PersonalContent,
  STATUS,
  type Status,
  WALKS,
  type Walk,
} from '../types.ts'

const toWalk = (row: Row<typeof WALKS>): Walk => ({ ...WALKS.fromRow(row), nextAt: row.next_at! })

/** The state of a message's fan-out after a step; `status` with its reason when it changes. */
export interface Progress {
  nextAt: number | null
  walkedAt: number | null
  cursor: Cursor
  recipients: number
  skipped: number
  notWanted: number
  onSuppressionList: number
  excluded: number
  leftOut: LeftOut | null
  status: { to: Status; reason: string | null } | undefined
  now: number
}

/** Due walks, which the background thread asks for whenever somebody has sent something. */
const dueWalks = (which: string) =>
  prepared<{ now: number; limit: number }, { id: number }>(
    `SELECT id FROM in_app_messages WHERE next_at IS NOT NULL AND next_at <= :now ${which} ORDER BY next_at, id LIMIT :limit`,
  )
const DUE = dueWalks('')
const DUE_WHILE_HELD = dueWalks('AND (schedule IS NULL OR walked_at IS NOT NULL)')
const NEXT = prepared<Record<string, never>, { next_at: number }>(
  'SELECT next_at FROM in_app_messages WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1',
)

export type WalksRepository = ReturnType<typeof walksRepository>

/**
 * Messages as their fan-out reads and writes them: the time of the next step, the cursor, and the users who get the message.
 * Tables: docs/reference/schema.md#in_app_messages, #user_messages. /.
 */
export function walksRepository(sql: Sql) {
  const messages = () => MESSAGES.in(sql)
  const open = () => messages().whereNotNull('next_at')

  return {
    /**
     * Messages whose next step is due, the longest waiting first. While `held`, without scheduled walks that have not
     * begun.
     */
    async due(now: number, limit: number, held = false): Promise<number[]> {
      return (await (held ? DUE_WHILE_HELD : DUE).all(sql, { now, limit })).map(({ id }) => id)
    },

    /** Messages whose fan-out is not finished, due or not. */
    async openIds(limit: number): Promise<number[]> {
      // By an expression: otherwise both databases may read all messages in the order of their ids.
      return (await open().orderByRaw(unindexed('id')).limit(limit).select('id')).map(({ id }: { id: number }) => id)
    },

    /** The next step of a message is due at another time. */
    async moveTo(appId: number, id: number, nextAt: number): Promise<void> {
      await messages().where({ id, app_id: appId }).update({ next_at: nextAt })
    },

    /** The time at which the next step is due (ms). */
    async nextAt(): Promise<number | undefined> {
      return (await NEXT.first(sql, {}))?.next_at
    },

    /** A message whose fan-out is not finished; undefined when it is, or when the message was withdrawn. */
    async find(id: number): Promise<Walk | undefined> {
      const row = await open()
        .where({ id })
        .first(...WALKS.names)
      return row && toWalk(row)
    },

    /** The targeting of a message as its caller gave it. */
    async filters(id: number): Promise<Record<string, unknown> | undefined> {
      const row: { filters: string } | undefined = await messages().where({ id }).first('filters')
      return row && readStored(row.filters, isPlainObject, `the filters of in-app message ${id}`)
    },

    /** The content of a message that differs between users, with its edition. Throws `Unreadable`. */
    async personalContent(id: number): Promise<[edition: Edition, content: PersonalContent]> {
      const row = await messages()
        .where({ id })
        .first(...PERSONAL_CONTENT.names)
      const content = row && PERSONAL_CONTENT.fromRow(row)
      if (!content?.personal || !Array.isArray(content.personal.tags)) {
        throw new Unreadable(`what in-app message ${id} says`)
      }
      const { editedAt, ...said } = content
      return [
        { id, editedAt },
        { ...said, personal: content.personal },
      ]
    },

    /** The same, locked until the transaction ends; undefined also when another process holds the lock. */
    async lock(id: number): Promise<Walk | undefined> {
      const row = await open()
        .where({ id })
        .modify((query) => {
          if (isPostgres(sql)) void query.forNoKeyUpdate().skipLocked()
        })
        .first(...WALKS.names)
      return row && toWalk(row)
    },

    /**
     * Gives the message to those of these users who do not have it yet, and returns them. `users` must be ascending.
     */
    async give(appId: number, id: number, users: readonly number[], now: number): Promise<number[]> {
      if (users.length === 0) return []
      const made = await sql.raw(
        `INSERT INTO user_messages (message_id, app_id, sent_at, updated_at, user_id)
         SELECT ?, ?, ?, ?, given.* FROM (${jsonRows(sql, ['bigint'])}) AS given
         WHERE true ON CONFLICT (user_id, message_id) DO NOTHING RETURNING user_id`,
        [id, appId, now, now, JSON.stringify(users.map((user) => [user]))],
      )
      return rowsOf<{ user_id: number }>(made).map(({ user_id: user }) => user)
    },

    /** `give` of a message that differs between users, with what is kept for each of them. `rows` must be ascending. */
    async givePersonal(
      appId: number,
      id: number,
      rows: readonly (readonly [user: number, kept: KeptTexts])[],
      now: number,
    ): Promise<number[]> {
      if (rows.length === 0) return []
      const made = await sql.raw(
        `INSERT INTO user_messages (message_id, app_id, sent_at, updated_at, user_id, language, texts)
         SELECT ?, ?, ?, ?, given.* FROM (${jsonRows(sql, ['bigint', 'text', 'text'])}) AS given
         WHERE true ON CONFLICT (user_id, message_id) DO NOTHING RETURNING user_id`,
        // `texts` is JSON already: as a part of the list it is neither quoted nor read.
        [id, appId, now, now, `[${rows.map(([user, kept]) => lineOf(user, kept)).join()}]`],
      )
      return rowsOf<{ user_id: number }>(made).map(({ user_id: user }) => user)
    },

    /** Ends the fan-out of a message as failed; undefined when it is finished already. */
    async end(id: number, reason: string, now: number): Promise<{ notificationId: number | null } | undefined> {
      const row: { notification_id: number | null } | undefined = await sql('in_app_messages')
        .where({ id })
        .whereNotNull('next_at')
        .first('notification_id')
      if (!row) return undefined
      await messages()
        .where({ id })
        .update(
          MESSAGES.toRow({
            nextAt: null,
            walkedAt: null,
            status: STATUS.failed,
            statusReason: reason,
            updatedAt: now,
          }),
        )
      return { notificationId: row.notification_id }
    },

    async advance(id: number, progress: Progress): Promise<void> {
      const { status } = progress
      const isGiven = status?.to === STATUS.sending || status?.to === STATUS.sent
      await messages()
        .where({ id })
        .update({
          ...MESSAGES.toRow({
            ...progress,
            status: status?.to,
            statusReason: status?.reason,
            updatedAt: progress.now,
          }),
          ...(isGiven && { sent_at: sql.raw('COALESCE(sent_at, ?)', [progress.now]) }),
        })
    },
  }
}

const lineOf = (user: number, { language, texts }: KeptTexts) => `[${user},${JSON.stringify(language)},${texts}]`
