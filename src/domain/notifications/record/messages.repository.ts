import type { Sql } from '../../../platform/db/connect.ts'
import { among, isPostgres, type List, listOf } from '../../../platform/db/dialect.ts'
import { preparedPlan } from '../../../platform/db/prepared.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { readStored } from '../../../platform/values/unreadable.ts'
import { isTarget } from '../../audience/stored.ts'
import { withAwaited } from '../../audience/target.ts'
import { isSchedule } from '../../schedules/schedule.ts'
import { isOpenSql, plannedAtOf, STATUS, type StoredContent } from '../types.ts'

/** The columns of a notification that its sending reads. */
interface MessageRow {
  id: number
  content: string
  expires_at: number
  status: number
  target: string
  app_id: number
  schedule: string | null
  created_at: number
  edited_at: number | null
  one_try: boolean | number
  rate_limit: number | null
}

const COLUMNS = 'id, content, expires_at, status, target, app_id, schedule, created_at, edited_at, one_try, rate_limit'
const MESSAGES = preparedPlan<{ ids: List }, MessageRow>(
  (kind) => `SELECT ${COLUMNS} FROM notifications WHERE ${among(kind, 'id', 'ids')}`,
)

const LOCKS = { plain: '', shared: 'FOR SHARE', closing: 'FOR NO KEY UPDATE' } as const

/** Locks on notifications whose status a transaction reads: `closing` for one that may end them. */
export type StatusLock = keyof typeof LOCKS

/** The lock that `statusesOf` takes. SQLite has a single writer and needs none. */
export const lockFor = (sql: Sql, closing: boolean): StatusLock =>
  !isPostgres(sql) ? 'plain' : closing ? 'closing' : 'shared'

/** The end of a SELECT that locks the rows of `table`; undefined locks none. */
export const statusLock = (lock: StatusLock | undefined, table: string): string =>
  lock === undefined || lock === 'plain' ? '' : `${LOCKS[lock]} OF ${table}`

const statusesWith = (lock: StatusLock) =>
  preparedPlan<{ ids: List }, { id: number; status: number }>(
    (kind) => `SELECT id, status FROM notifications WHERE ${among(kind, 'id', 'ids')} ORDER BY id ${LOCKS[lock]}`,
  )
const STATUSES_OF = { plain: statusesWith('plain'), shared: statusesWith('shared'), closing: statusesWith('closing') }

const SET_STATUSES = preparedPlan<{ ids: List; status: number; now: number }, { id: number }>(
  (kind) =>
    `UPDATE notifications SET status = :status, status_reason = NULL, updated_at = :now
     WHERE ${among(kind, 'id', 'ids')} AND ${isOpenSql()} RETURNING id`,
)

const START = preparedPlan<{ ids: List; now: number }>(
  (kind) =>
    `UPDATE notifications SET status = ${STATUS.sending}, sent_at = :now, updated_at = :now
     WHERE ${among(kind, 'id', 'ids')} AND status = ${STATUS.queued}`,
)

/** A notification as its sending reads it. `content`, `target` and `schedule` throw `Unreadable` when they cannot be read. */
export type Message = ReturnType<typeof toMessage>

function toMessage(row: MessageRow) {
  const of = `of notification ${row.id}`
  return {
    appId: row.app_id,
    // Read when asked for: what cannot be read must not stop those who need the rest, such as the recovery of pages.
    get content() {
      return readStored(row.content, isPlainObject, `the content ${of}`) as unknown as StoredContent
    },
    // It may list very many rows, and most pages do not ask for it.
    get target() {
      return readStored(row.target, isTarget, `the target ${of}`)
    },
    get schedule() {
      return row.schedule === null ? null : readStored(row.schedule, isSchedule, `the schedule ${of}`)
    },
    status: row.status,
    expiresAt: row.expires_at,
    plannedAt: plannedAtOf({ createdAt: row.created_at, editedAt: row.edited_at }),
    oneTry: Boolean(row.one_try),
    isRated: row.rate_limit !== null,
  }
}

/** Reads of notifications by fan-out and delivery, and their status. Tables: docs/reference/schema.md#notifications. */
export function messagesRepository(sql: Sql) {
  async function messages(ids: readonly number[]): Promise<Map<number, Message>> {
    const rows = await MESSAGES.all(sql, { ids: listOf(sql, ids) })
    return new Map(rows.map((row) => [row.id, toMessage(row)]))
  }

  const message = async (notificationId: number) => (await messages([notificationId])).get(notificationId)

  async function statusesOf(ids: readonly number[], closing: boolean): Promise<Map<number, number>> {
    const rows = await STATUSES_OF[lockFor(sql, closing)].all(sql, { ids: listOf(sql, ids) })
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  return {
    /** The parts of notifications that delivery needs, by id; those that were deleted meanwhile are missing. */
    messages,

    /** `messages` for one; undefined when it was deleted meanwhile. */
    message,

    /**
     * The same for a walk of its target; undefined also for a notification of another app. Throws `Unreadable`, also
     * when only its content cannot be read: then its pages need not be made.
     */
    async walked(appId: number, notificationId: number) {
      const found = await message(notificationId)
      if (!found || found.appId !== appId) return undefined
      const target = await withAwaited(found.target, async () => {
        const row: { filters: string } | undefined = await sql('notifications')
          .where({ id: notificationId })
          .first('filters')
        return row && readStored(row.filters, isPlainObject, `the filters of notification ${notificationId}`)
      })
      const { content, schedule, plannedAt, oneTry } = found
      return { content, target, schedule, plannedAt, oneTry }
    },

    /** The time at which a notification expires (ms); undefined when it was deleted meanwhile. */
    async expiryOf(notificationId: number): Promise<number | undefined> {
      const row = await sql('notifications').where({ id: notificationId }).first('expires_at')
      return row?.expires_at
    },

    /**
     * The statuses of notifications, by id; on PostgreSQL it waits for a cancel that is being committed. `closing`: the transaction
     * may finish a notification's last page or run. Such transactions run one after the other, so that the last one sees that all is
     * done. They are locked in the order of their ids, all in the same way: two transactions cannot deadlock.
     */
    statusesOf,

    /** `statusesOf` for one; undefined when it was deleted meanwhile. */
    async statusOf(notificationId: number, closing = false): Promise<number | undefined> {
      return (await statusesOf([notificationId], closing)).get(notificationId)
    },

    /** Changes the status of a notification if it is one of `from`; returns whether it did. */
    async setStatus(
      notificationId: number,
      from: readonly number[],
      status: number,
      reason: string | null,
      now: number,
    ): Promise<boolean> {
      const changed = await sql('notifications')
        .where({ id: notificationId })
        .whereIn('status', from)
        .update({
          status,
          status_reason: reason,
          updated_at: now,
          ...(status === STATUS.sending && { sent_at: now }),
        })
      return changed > 0
    },

    /** Notifications that were queued are being sent from now on. */
    async start(ids: readonly number[], now: number): Promise<void> {
      if (ids.length > 0) await START.run(sql, { ids: listOf(sql, ids), now })
    },

    /** Gives the open ones of these notifications a status without a reason; returns which they were. */
    async setStatuses(ids: readonly number[], status: number, now: number): Promise<Set<number>> {
      if (ids.length === 0) return new Set()
      const rows = await SET_STATUSES.all(sql, { ids: listOf(sql, ids), status, now })
      return new Set(rows.map(({ id }) => id))
    },

    /** Notifications that are queued or sending, oldest first, for the sweep that closes those that a crash left open. */
    async unfinished(after: number, limit: number): Promise<{ id: number; appId: number }[]> {
      const rows = await sql('notifications')
        .whereRaw(`${isOpenSql()} AND status > ${STATUS.scheduled} AND id > ?`, [after])
        .orderBy('id')
        .limit(limit)
        .select('id', 'app_id')
      return rows.map((r: { id: number; app_id: number }) => ({ id: r.id, appId: r.app_id }))
    },
  }
}
