import { chunks } from '../../platform/concurrency/chunks.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { type Belongings, deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { byIndex, jsonRows, unindexed, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, latestFirst, newestFirst, readInOrder, type WeighedRow } from '../../platform/db/pages.ts'
import { preparedInsert, preparedPlan } from '../../platform/db/prepared.ts'
import { boolean, definition, definitionList, integer, type Row, table, text } from '../../platform/db/table.ts'
import { readStoredOr } from '../../platform/values/unreadable.ts'
import { dueList, listByTime, sentList, type TimeList, timeInSent } from '../audience/by-time.ts'
import { type AimedAt, firstForSegment, firstUnderPurpose, idsAimedAt } from '../audience/stored.ts'
import type { Target } from '../audience/types.ts'
import { noteLabels, replaceLabels } from '../labels/of-sends.ts'
import { labelsRepository } from '../labels/repository.ts'
import { notePictures, replacePictures } from '../pictures/uses.ts'
import { isSchedule, type Schedule } from '../schedules/schedule.ts'
import { type FailureCount, readFailures } from './record/failure-counts.repository.ts'
import { OF_RECIPIENTS } from './record/retention.repository.ts'
import {
  type Comparable,
  isOpenSql,
  type NewNotification,
  type Notification,
  type NotificationFilter,
  type NotificationRecord,
  plannedAtOf,
  type Source,
  STATUS,
  type Status,
  type StoredContent,
  type TimeOrder,
} from './types.ts'

const NOTIFICATIONS = table('notifications', {
  id: integer('id'),
  appId: integer('app_id'),
  source: integer('source').as<Source>(),
  seriesId: integer('series_id').orNull,
  status: integer('status').as<Status>(),
  statusReason: text('status_reason').orNull,
  filters: definition('filters').as<Record<string, unknown>>(),
  target: definition('target').as<Target>(),
  content: definition('content').as<StoredContent>(),
  reportingMeta: definition('reporting_meta').as<Record<string, unknown>>().orNull,
  labels: definitionList('labels').as<string[]>().orNull,
  hasUserMeta: boolean('has_user_meta'),
  schedule: definition('schedule').as<Schedule>().orNull,
  expiresAt: integer('expires_at'),
  oneTry: boolean('one_try'),
  rateLimit: integer('rate_limit').orNull,
  purpose: text('purpose').orNull,
  transactional: boolean('transactional'),
  isTest: boolean('is_test'),
  dueAt: integer('due_at').orNull,
  sentAt: integer('sent_at').orNull,
  delivered: integer('delivered'),
  opened: integer('opened'),
  dismissed: integer('dismissed'),
  createdAt: integer('created_at'),
  editedAt: integer('edited_at').orNull,
  updatedAt: integer('updated_at'),
})
/** All columns but `target`, which may hold a row number for each of very many installs. */
const RECORD = NOTIFICATIONS.omit('target')

const FIND = preparedPlan<{ appId: number; id: number }, Row<typeof RECORD>>(
  `SELECT ${RECORD.names.join(', ')} FROM notifications WHERE id = :id AND ${unindexed('app_id')} = :appId`,
)

const NEW = NOTIFICATIONS.omit('id', 'editedAt', 'sentAt', 'delivered', 'opened', 'dismissed')
const INSERT = preparedInsert<Record<string, string | number | boolean | null>, { id: number }>(
  'notifications',
  Object.fromEntries(NEW.names.map((name, i) => [name, NEW.types[i]!])),
  'id',
)

const BY_TIME: Readonly<Record<TimeOrder, TimeList>> = {
  due: dueList('notifications_by_due', `due_at IS NOT NULL AND ${isOpenSql()}`, 'due_at'),
  sent: sentList('notifications_by_sent'),
}

type Timed = Pick<Notification, 'id' | 'status' | 'dueAt' | 'sentAt' | 'createdAt'>

/** The time by which an order places a notification; null: it is not in this list. Pure. */
export function timeIn(order: TimeOrder, one: Timed): number | null {
  if (order === 'due') return one.status < STATUS.sent ? one.dueAt : null
  return timeInSent(one)
}

/** Characters of the stored content, which begins with the title, that a search by title reads. */
const HEAD_LENGTH = 1600

/** Characters of the stored targeting that tell to whom a notification goes, roughly. */
const FILTERS_LENGTH = 200

/** A row of a list; `head`: the begin of its content, where that was asked for. */
export type ListedRow = WeighedRow & { status: Status; created_at: number; labels: string | null; head?: string }

/** The figures of a notification that are in its row. */
interface Figures {
  id: number
  opened: number
  counts: string | null
}

/** The texts of a record that may be large. */
const LARGE = ['filters', 'content', 'reporting_meta']

/** SELECT expression `head`: the begin of the content. */
const titleOf = (sql: Sql) => sql.raw(`substr(content, 1, ${HEAD_LENGTH}) AS head`)

/** Users per INSERT: about 30 ms of work. */
const META_BATCH = 10_000

/** Tables in which one notification may have very many rows. */
const BELONGINGS: readonly Belongings[] = [...OF_RECIPIENTS, { table: 'runs', owner: 'notification_id' }]

export type NotificationsRepository = ReturnType<typeof notificationsRepository>

/** Tables: docs/reference/schema.md#notifications, #notification_user_meta. */
export function notificationsRepository(sql: Sql) {
  const labelled = labelsRepository(sql)
  /** The columns of `ListedRow`. */
  const listed = (q: string | undefined) => [
    'id',
    'status',
    'created_at',
    'labels',
    bytesOf(sql, LARGE),
    ...(q === undefined ? [] : [titleOf(sql)]),
  ]
  /** Notifications of an app that are not finished. */
  const openOf = (appId: number) =>
    sql
      .from(sql.raw(`notifications ${byIndex(sql, 'notifications_open')}`))
      .whereRaw(isOpenSql())
      .whereRaw(`${unindexed('app_id')} = ?`, [appId])

  return {
    async insert(notification: NewNotification): Promise<Notification> {
      const given = { ...NEW.toRow(notification) }
      const row = await INSERT.first(sql, given)
      await notePictures(sql, 'notification', row!.id, given.content)
      await noteLabels(sql, 'push', { ...notification, id: row!.id })
      return { ...notification, id: row!.id, editedAt: null, sentAt: null, delivered: 0, opened: 0, dismissed: 0 }
    },

    /** Changes a notification that has not begun. */
    async edit(
      { appId, id, createdAt, labels }: Pick<Notification, 'appId' | 'id' | 'createdAt' | 'labels'>,
      change: Partial<Notification>,
    ): Promise<void> {
      await sql('notifications').where({ app_id: appId, id }).update(NOTIFICATIONS.toRow(change))
      if (change.content) await replacePictures(sql, 'notification', id, change.content)
      if (change.labels !== undefined) {
        await replaceLabels(sql, 'push', { appId, id, createdAt, labels: change.labels }, labels)
      }
    },

    /** Metadata by user identifier. */
    async insertUserMeta(appId: number, id: number, userMeta: Record<string, unknown>): Promise<void> {
      const entries = Object.entries(userMeta)
      for (const batch of chunks(entries, META_BATCH)) {
        const rows = batch.map(([identifier, meta]) => [identifier, JSON.stringify(meta)])
        await sql.raw(
          `INSERT INTO notification_user_meta (notification_id, app_id, identifier, meta)
           SELECT ?, ?, given.* FROM (${jsonRows(sql, ['text', 'text'])}) AS given`,
          [id, appId, JSON.stringify(rows)],
        )
      }
    },

    async deleteUserMeta(appId: number, id: number): Promise<void> {
      await sql('notification_user_meta')
        .where({ notification_id: id })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .delete()
    },

    /** Metadata by user identifier, as large as the request that brought it. */
    async userMeta(appId: number, id: number): Promise<Record<string, unknown>> {
      const rows: { identifier: string; meta: string }[] = await sql('notification_user_meta')
        .where({ notification_id: id })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .select('identifier', 'meta')
      return Object.fromEntries(rows.map(({ identifier, meta }) => [identifier, JSON.parse(meta) as unknown]))
    },

    /** An open notification that goes to this segment, if there is one. */
    awaiting: (appId: number, segmentId: number): Promise<number | undefined> =>
      firstForSegment(openOf(appId), segmentId),

    /** Scheduled notifications of all apps that have not begun, behind the id `after`: at most `limit`. */
    async scheduled(
      after: number,
      limit: number,
    ): Promise<{ id: number; appId: number; schedule: Schedule | null; plannedAt: number }[]> {
      const rows = await sql
        .from(sql.raw(`notifications ${byIndex(sql, 'notifications_open')}`))
        .whereRaw(`${isOpenSql()} AND id > ?`, [after])
        .where({ status: STATUS.scheduled })
        .orderBy('id')
        .limit(limit)
        .select('id', 'app_id', 'schedule', 'created_at', 'edited_at')
      return rows.map(({ id, app_id: appId, schedule, created_at: createdAt, edited_at: editedAt }) => {
        // One that cannot be read keeps its time and ends when it is due; the others are not held up by it.
        const read = schedule === null ? null : readStoredOr(schedule, isSchedule, null)
        return { id, appId, schedule: read, plannedAt: plannedAtOf({ createdAt, editedAt }) }
      })
    },

    /** Open notifications that go to this segment or channel: at most `limit` ids. */
    aimedAt: (appId: number, at: AimedAt, limit: number): Promise<number[]> => idsAimedAt(openOf(appId), at, limit),

    /** An open notification under this purpose, if there is one. */
    awaitingUnder: (appId: number, uid: string): Promise<number | undefined> => firstUnderPurpose(openOf(appId), uid),

    /** Notifications of an app that are being sent, or wait for their turn, oldest first. */
    async sending(appId: number, limit: number): Promise<NotificationRecord[]> {
      const rows = await openOf(appId)
        .where('status', '>', STATUS.scheduled)
        // By an expression: otherwise both databases may read all notifications in the order of their ids.
        .orderByRaw(unindexed('id'))
        .limit(limit)
        .select(...RECORD.names)
      return rows.map(RECORD.fromRow)
    },

    /** Notifications among the newest `among` of an app that are over: at most `limit` ids, newest first. */
    async overAmong(appId: number, among: number, limit: number): Promise<number[]> {
      const rows: { id: number; status: Status }[] = await sql('notifications')
        .where({ app_id: appId })
        .modify(latestFirst(undefined, among))
        .select('id', 'status')
      return rows.flatMap(({ id, status }) => (status >= STATUS.sent ? [id] : [])).slice(0, limit)
    },

    /** A notification; undefined also for one of another app. */
    async find(appId: number, id: number): Promise<NotificationRecord | undefined> {
      const row = await FIND.first(sql, { appId, id })
      return row && RECORD.fromRow(row)
    },

    /** The apps of the last `limit` notifications of all apps. */
    async latestApps(limit: number): Promise<number[]> {
      const rows: { app_id: number }[] = await sql('notifications').orderBy('id', 'desc').limit(limit).select('app_id')
      return [...new Set(rows.map((row) => row.app_id))]
    },

    /** Notifications, newest first, with the size of each; `after` is the id of the last one on the page before. */
    list(appId: number, after: number | undefined, limit: number): Promise<WeighedRow[]> {
      return sql('notifications')
        .where({ app_id: appId })
        .modify(newestFirst(after, limit))
        .select('id', bytesOf(sql, LARGE))
    },

    /**
     * The same as `list` with a filter; `after` is the last one on the page before. Newest first by the time of their
     * creation, with which the indexes of these lists end. What `q` asks for is not looked at, but `head` is there; nor is `status`
     * beside `label`.
     */
    async listFiltered(
      appId: number,
      { status, createdSince, createdBefore, q, label }: NotificationFilter,
      after: Pick<Notification, 'id' | 'createdAt'> | undefined,
      limit: number,
    ): Promise<ListedRow[]> {
      const columns = listed(q)
      if (label !== undefined) {
        const ids = await labelled.sends(appId, label, 'push', { createdSince, createdBefore, after, limit })
        return readInOrder(ids, (some): Promise<ListedRow[]> => {
          return whereIds(sql('notifications'), sql, appId, some).select(...columns)
        })
      }
      return sql('notifications')
        .where({ app_id: appId, ...(status !== undefined && { status }) })
        .modify((query) => {
          if (createdSince !== undefined) void query.where('created_at', '>=', createdSince)
          if (createdBefore !== undefined) void query.where('created_at', '<', createdBefore)
        })
        .modify(latestFirst(after, limit))
        .select(...columns)
    },

    /** The rows of a list in another order; `after` is the last one on the page before. Of the filter only `q` matters, for `head`. */
    listByTime(
      appId: number,
      order: TimeOrder,
      { q, after, limit }: { q?: string | undefined; after: Timed | undefined; limit: number },
    ): Promise<ListedRow[]> {
      const place = after && { id: after.id, at: timeIn(order, after) }
      return listByTime(sql, 'notifications', appId, { list: BY_TIME[order], after: place, limit }).select(...listed(q))
    },

    /** The notifications that were created before this one, newest first: what tells whether they can be compared with it. */
    async before(appId: number, one: Pick<Notification, 'id' | 'createdAt'>, limit: number): Promise<Comparable[]> {
      const rows: { id: number; status: Status; is_test: boolean | 0 | 1; filters: string; opened: number }[] =
        await sql('notifications')
          .where({ app_id: appId })
          .modify(latestFirst(one, limit))
          .select('id', 'status', 'is_test', 'opened', sql.raw(`substr(filters, 1, ${FILTERS_LENGTH}) AS filters`))
      return rows.map(({ is_test: isTest, ...row }) => ({ ...row, isTest: Boolean(isTest) }))
    },

    /** The notifications with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<NotificationRecord[]> {
      const rows = await whereIds(RECORD.in(sql), sql, appId, ids).select(...RECORD.names)
      return rows.map(RECORD.fromRow)
    },

    /** The figures of the notifications with these ids that the sums of a label need. `counts`: the JSON of the counts that are kept. */
    figures(appId: number, ids: readonly number[]): Promise<Figures[]> {
      return whereIds(sql('notifications'), sql, appId, ids).whereRaw('NOT is_test').select('id', 'opened', 'counts')
    },

    /** The vendors' reasons for recipients that were not reached, most frequent first: at most 100, and the rest of each kind. */
    failures: (appId: number, id: number): Promise<FailureCount[]> => readFailures(sql, appId, id),

    /** Deletes at most `limit` rows: notifications of an app, and the rows that belong to them; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('notifications').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'notifications', some, BELONGINGS, limit)
    },
  }
}
