import type { Sql } from '../../platform/db/connect.ts'
import { type Belongings, deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { byIndex, isPostgres, whereAmong } from '../../platform/db/dialect.ts'
import { bytesOf, newestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { firstForSegment } from '../audience/stored.ts'
import type { UserTarget } from '../audience/types.ts'
import type { Schedule } from '../schedules/schedule.ts'
import type { ContentDocument, TagValues } from '../templates/types.ts'
import {
  type Announcement,
  type InAppMessage,
  type Inbox,
  type PresentedWhen,
  type Source,
  STATUS,
  type Status,
} from './types.ts'

interface MessageRow {
  id: number
  app_id: number
  source: Source
  status: Status
  status_reason: string | null
  filters: string
  target: string
  template: string
  template_version: number
  tag_values: string
  notification: string | null
  content: string
  data: string | null
  inbox: string | null
  presented_when: PresentedWhen
  ttl_ms: number | null
  schedule: string | null
  notification_id: number | null
  next_at: number | null
  withdrawn_at: number | null
  recipients: number
  skipped: number
  delivered: number
  shown: number
  dismissed: number
  read: number
  inbox_deleted: number
  created_at: number
  updated_at: number
}

/** All columns but `target`, which may list very many users. */
const RECORD_COLUMNS = [
  'id',
  'app_id',
  'source',
  'status',
  'status_reason',
  'filters',
  'template',
  'template_version',
  'tag_values',
  'notification',
  'content',
  'data',
  'inbox',
  'presented_when',
  'ttl_ms',
  'schedule',
  'notification_id',
  'next_at',
  'withdrawn_at',
  'recipients',
  'skipped',
  'delivered',
  'shown',
  'dismissed',
  'read',
  'inbox_deleted',
  'created_at',
  'updated_at',
] as const satisfies (keyof MessageRow)[]

type RecordRow = Pick<MessageRow, (typeof RECORD_COLUMNS)[number]>

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

const toMessage = (row: RecordRow): InAppMessage => ({
  id: row.id,
  appId: row.app_id,
  source: row.source,
  status: row.status,
  statusReason: row.status_reason,
  filters: JSON.parse(row.filters) as Record<string, unknown>,
  template: row.template,
  templateVersion: row.template_version,
  tagValues: JSON.parse(row.tag_values) as TagValues,
  notification: parsed(row.notification) as Announcement | null,
  content: JSON.parse(row.content) as ContentDocument,
  data: parsed(row.data) as Record<string, unknown> | null,
  inbox: parsed(row.inbox) as Inbox | null,
  presentedWhen: row.presented_when,
  ttlMs: row.ttl_ms,
  schedule: parsed(row.schedule) as Schedule | null,
  notificationId: row.notification_id,
  nextAt: row.next_at,
  withdrawnAt: row.withdrawn_at,
  recipients: row.recipients,
  skipped: row.skipped,
  delivered: row.delivered,
  shown: row.shown,
  dismissed: row.dismissed,
  read: row.read,
  inboxDeleted: row.inbox_deleted,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export type NewMessage = Omit<
  InAppMessage,
  | 'id'
  | 'notificationId'
  | 'withdrawnAt'
  | 'recipients'
  | 'skipped'
  | 'delivered'
  | 'shown'
  | 'dismissed'
  | 'read'
  | 'inboxDeleted'
> & { target: UserTarget }

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

export function inAppRepository(sql: Sql) {
  const messages = () => sql<MessageRow>('in_app_messages')

  return {
    async insert(message: NewMessage): Promise<number> {
      const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
      const [row] = await sql('in_app_messages')
        .insert({
          app_id: message.appId,
          source: message.source,
          status: message.status,
          status_reason: message.statusReason,
          filters: JSON.stringify(message.filters),
          target: JSON.stringify(message.target),
          template: message.template,
          template_version: message.templateVersion,
          tag_values: JSON.stringify(message.tagValues),
          notification: json(message.notification),
          content: JSON.stringify(message.content),
          data: json(message.data),
          inbox: json(message.inbox),
          presented_when: message.presentedWhen,
          ttl_ms: message.ttlMs,
          schedule: json(message.schedule),
          next_at: message.nextAt,
          created_at: message.createdAt,
          updated_at: message.updatedAt,
        })
        .returning('id')
      return row.id
    },

    async setNotification(id: number, notificationId: number): Promise<void> {
      await messages().where({ id }).update({ notification_id: notificationId })
    },

    /** Undefined also for a message of another app. */
    async find(appId: number, id: number): Promise<InAppMessage | undefined> {
      const row = await messages()
        .where({ app_id: appId, id })
        .first(...RECORD_COLUMNS)
      return row && toMessage(row)
    },

    /** Newest first, with the size of each; `after` is the id of the last one on the page before. */
    list(appId: number, after: number | undefined, limit: number): Promise<WeighedRow[]> {
      return sql('in_app_messages')
        .where({ app_id: appId })
        .modify(newestFirst(after, limit))
        .select('id', bytesOf(sql, ['filters', 'tag_values', 'notification', 'content', 'data', 'inbox']))
    },

    /** The messages with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<InAppMessage[]> {
      // The plus keeps SQLite from reading all messages of the app instead of looking these up by id.
      const some = whereAmong(messages().whereRaw('+app_id = ?', [appId]), sql, 'id', ids)
      return ((await some.select(...RECORD_COLUMNS)) as RecordRow[]).map(toMessage)
    },

    /** Locks a message until the commit; waits for a step of it that is being stored. */
    async lock(appId: number, id: number): Promise<InAppMessage | undefined> {
      const row = await messages()
        .where({ app_id: appId, id })
        .modify((query) => {
          if (isPostgres(sql)) void query.forNoKeyUpdate()
        })
        .first(...RECORD_COLUMNS)
      return row && toMessage(row)
    },

    /** Withdraws a message from everybody who has it, and cancels its fan-out. */
    async withdraw(id: number, now: number): Promise<void> {
      await messages().where({ id }).update(withdrawn('withdrawn on request', now))
    },

    /** Withdraws every message of an app whose fan-out is not finished. */
    async withdrawOpen(appId: number, reason: string, now: number): Promise<void> {
      await messages().whereNotNull('next_at').whereRaw('+app_id = ?', [appId]).update(withdrawn(reason, now))
    },

    /** A message that goes to this segment and whose fan-out is not finished, if there is one. */
    awaiting(appId: number, segmentId: number): Promise<number | undefined> {
      const open = sql.from(sql.raw(`in_app_messages ${byIndex(sql, 'in_app_messages_due')}`)).whereNotNull('next_at')
      return firstForSegment(open.whereRaw('+app_id = ?', [appId]), segmentId)
    },

    /** Deletes at most `limit` rows: messages of an app, and the rows that belong to them; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('in_app_messages').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'in_app_messages', some, BELONGINGS, limit)
    },
  }
}
