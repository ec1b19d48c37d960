import type { Sql } from '../../platform/db/connect.ts'
import { type Belongings, deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { byIndex, rowLocked, unindexed, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, latestFirst, readInOrder, type WeighedRow } from '../../platform/db/pages.ts'
import type { Value } from '../../platform/db/table.ts'
import { dueList, listByTime, sentList, timeInSent } from '../audience/by-time.ts'
import { type AimedAt, firstForSegment, firstUnderPurpose, idsAimedAt } from '../audience/stored.ts'
import type { UserTarget } from '../audience/types.ts'
import { noteLabels, replaceLabels } from '../labels/of-sends.ts'
import { labelsRepository } from '../labels/repository.ts'
import type { MessageSums } from '../labels/types.ts'
import { notePictures, replacePictures } from '../pictures/uses.ts'
import { type Cursor, type InAppMessage, MESSAGES, STATUS, type Status, TEST_SOURCE } from './types.ts'

/** All columns but `target`, which may hold a number for each of very many users, and those that only the fan-out reads. */
const RECORD = MESSAGES.omit('target', 'walkedAt', 'cursor')
/** The same with the state of its fan-out. */
const STATE = MESSAGES.omit('target')

export type NewMessage = Omit<
  InAppMessage,
  | 'id'
  | 'notificationId'
  | 'editedAt'
  | 'sentAt'
  | 'withdrawnAt'
  | 'recipients'
  | 'skipped'
  | 'notWanted'
  | 'onSuppressionList'
  | 'excluded'
  | 'leftOut'
  | 'delivered'
  | 'shown'
  | 'dismissed'
  | 'read'
  | 'inboxDeleted'
> & { target: UserTarget }

/** The parts of a message that an edit replaces. */
export type MessageChange = Omit<NewMessage, 'appId' | 'source' | 'seriesId' | 'createdAt'> &
  Pick<InAppMessage, 'notificationId' | 'editedAt'> & { cursor: Cursor }

/** A message that is locked, with the state of its fan-out. */
export type LockedMessage = Value<typeof STATE>

/** The texts of a record that may be large. */
const LARGE = ['filters', 'tag_values', 'notification', 'content', 'data', 'inbox', 'personal']

/** A row of a list by time. */
export type LabelledRow = WeighedRow & { labels: string | null }

const BY_TIME = {
  due: dueList('in_app_messages_by_due', 'next_at IS NOT NULL', 'next_at'),
  sent: sentList('in_app_messages_by_sent'),
} as const

/** `due`: messages whose fan-out is not finished, the next first. `sent`: those that users have, the latest first. */
export type TimeOrder = keyof typeof BY_TIME

type Timed = Pick<InAppMessage, 'id' | 'status' | 'nextAt' | 'sentAt' | 'createdAt'>

/** The time by which an order places a message; null: it is not in this list. Pure. */
export const timeIn = (order: TimeOrder, one: Timed): number | null => (order === 'due' ? one.nextAt : timeInSent(one))

const withdrawn = (reason: string, now: number) => ({
  status: STATUS.withdrawn,
  status_reason: reason,
  withdrawn_at: now,
  next_at: null,
  updated_at: now,
})

/** Tables in which one message may have very many rows. */
const BELONGINGS: readonly Belongings[] = [
  { table: 'user_messages', owner: 'message_id', along: 'sent_at' },
  { table: 'in_app_tallies', owner: 'message_id' },
]

export type InAppRepository = ReturnType<typeof inAppRepository>

/** Tables: docs/reference/schema.md#in_app_messages. */
export function inAppRepository(sql: Sql) {
  const messages = () => MESSAGES.in(sql)
  /** Messages of an app whose fan-out is not finished. */
  const openOf = (appId: number) =>
    sql
      .from(sql.raw(`in_app_messages ${byIndex(sql, 'in_app_messages_due')}`))
      .whereNotNull('next_at')
      .whereRaw(`${unindexed('app_id')} = ?`, [appId])

  return {
    async insert(message: NewMessage): Promise<number> {
      const [row] = await sql('in_app_messages').insert(MESSAGES.toRow(message)).returning('id')
      await notePictures(sql, 'in-app message', row.id, message)
      await noteLabels(sql, 'in-app', { ...message, id: row.id })
      return row.id
    },

    async setNotification(id: number, notificationId: number): Promise<void> {
      await messages().where({ id }).update({ notification_id: notificationId })
    },

    /** A message; undefined also for one of another app. */
    async find(appId: number, id: number): Promise<InAppMessage | undefined> {
      const row = await messages()
        .where({ app_id: appId, id })
        .first(...RECORD.names)
      return row && RECORD.fromRow(row)
    },

    /**
     * Messages, newest first by the time of their creation, with the size of each. `after` is the id of the last one on the page before, whose
     * time the statement itself looks up: without it nothing follows.
     */
    list(appId: number, after: number | undefined, limit: number): Promise<WeighedRow[]> {
      const timeOf = (id: number) =>
        sql.raw('(SELECT created_at FROM in_app_messages WHERE app_id = ? AND id = ?)', [appId, id])
      const last = after === undefined ? undefined : { id: after, createdAt: timeOf(after) }
      return sql('in_app_messages')
        .where({ app_id: appId })
        .modify(latestFirst(last, limit))
        .select('id', bytesOf(sql, LARGE))
    },

    /** The same of those with a label; `after` is the last one on the page before. */
    async listLabelled(
      appId: number,
      label: string,
      after: Pick<InAppMessage, 'id' | 'createdAt'> | undefined,
      limit: number,
    ): Promise<WeighedRow[]> {
      const ids = await labelsRepository(sql).sends(appId, label, 'in-app', { after, limit })
      return readInOrder(ids, (some): Promise<WeighedRow[]> => {
        return whereIds(messages(), sql, appId, some).select('id', bytesOf(sql, LARGE))
      })
    },

    /** Messages in another order; `after` is the last one on the page before. */
    listByTime(appId: number, order: TimeOrder, after: Timed | undefined, limit: number): Promise<LabelledRow[]> {
      const place = after && { id: after.id, at: timeIn(order, after) }
      return listByTime(sql, 'in_app_messages', appId, { list: BY_TIME[order], after: place, limit }).select(
        'id',
        'labels',
        bytesOf(sql, LARGE),
      )
    },

    /** The sums of those with these ids, tests apart. */
    async sums(appId: number, ids: readonly number[]): Promise<MessageSums> {
      const [row] = await whereIds(messages(), sql, appId, ids)
        .whereRaw('source <> ?', [TEST_SOURCE])
        .count({ sends: 'id' })
        .sum({ recipients: 'recipients', shown: 'shown' })
      return { sends: Number(row?.sends), recipients: Number(row?.recipients), shown: Number(row?.shown) }
    },

    /** The messages with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<InAppMessage[]> {
      return (await whereIds(messages(), sql, appId, ids).select(...RECORD.names)).map(RECORD.fromRow)
    },

    /** Messages of an app whose fan-out is not finished, in the order of their due times. */
    async open(appId: number, limit: number): Promise<InAppMessage[]> {
      const rows = await openOf(appId)
        .orderBy(['next_at', 'id'])
        .limit(limit)
        .select(...RECORD.names)
      return rows.map(RECORD.fromRow)
    },

    /** Messages among the newest `among` of an app whose fan-out is over: at most `limit` ids, newest first. */
    async overAmong(appId: number, among: number, limit: number): Promise<number[]> {
      const rows: { id: number; status: Status }[] = await sql('in_app_messages')
        .where({ app_id: appId })
        .modify(latestFirst(undefined, among))
        .select('id', 'status')
      return rows.flatMap(({ id, status }) => (status >= STATUS.sent ? [id] : [])).slice(0, limit)
    },

    /** Changes a message of which nothing has begun; it must be locked. Its next walk is at `nextAt`. */
    async edit(before: InAppMessage, change: MessageChange): Promise<void> {
      const { appId, id, createdAt, labels } = before
      const row = { ...change, walkedAt: null }
      await messages().where({ app_id: appId, id }).update(MESSAGES.toRow(row))
      await replacePictures(sql, 'in-app message', id, { ...before, ...change })
      await replaceLabels(sql, 'in-app', { appId, id, createdAt, labels: change.labels }, labels)
    },

    /** Locks a message until the commit; waits for a step of it that is being stored. */
    async lock(appId: number, id: number): Promise<LockedMessage | undefined> {
      const row = await messages()
        .where({ app_id: appId, id })
        .modify(rowLocked(sql, 'change'))
        .first(...STATE.names)
      return row && STATE.fromRow(row)
    },

    /** Withdraws a message from everybody who has it, and cancels its fan-out. */
    async withdraw(id: number, now: number, reason = 'withdrawn on request'): Promise<void> {
      await messages().where({ id }).update(withdrawn(reason, now))
    },

    /** Withdraws every message of an app whose fan-out is not finished. */
    async withdrawOpen(appId: number, reason: string, now: number): Promise<void> {
      await messages()
        .whereNotNull('next_at')
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .update(withdrawn(reason, now))
    },

    /** A message that goes to this segment and whose fan-out is not finished, if there is one. */
    awaiting: (appId: number, segmentId: number): Promise<number | undefined> =>
      firstForSegment(openOf(appId), segmentId),

    /** Messages whose fan-out is not finished that go to this segment or channel: at most `limit` ids. */
    aimedAt: (appId: number, at: AimedAt, limit: number): Promise<number[]> => idsAimedAt(openOf(appId), at, limit),

    /** A message under this purpose whose fan-out is not finished, if there is one. */
    awaitingUnder: (appId: number, uid: string): Promise<number | undefined> => firstUnderPurpose(openOf(appId), uid),

    /** Deletes at most `limit` rows: messages of an app, and the rows that belong to them; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('in_app_messages').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'in_app_messages', some, BELONGINGS, limit)
    },
  }
}
