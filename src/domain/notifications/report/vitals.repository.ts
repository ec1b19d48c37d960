import type { Sql } from '../../../platform/db/connect.ts'
import { byIndex, isPostgres, rowsOf, unindexed } from '../../../platform/db/dialect.ts'
import { isOpenSql, STATUS, type Status } from '../types.ts'

/** The due pages of a lane; `oldestDueAt` (ms) is the time at which the first of them became due. */
export interface LaneBacklog {
  laneId: number
  duePages: number
  oldestDueAt: number | null
}

/** An open notification. Times are in ms. */
export interface OpenNotification {
  id: number
  appId: number
  /** `scheduled`, `queued` or `sending`. */
  status: string
  createdAt: number
  nextAt: number | null
}

/**
 * Reasons for which recipients have no outcome yet. `under_way`: a worker has them, or had them and died unnoticed.
 * `after_crash`: a worker died while sending to them, and they are sent to again. `no_answer`: the same because the
 * gateway did not respond. `retry`: the gateway asked for a later attempt, or failed. `rate`: the notification's rate
 * limit delays them. `due`: they are next.
 */
export type WaitCause = 'under_way' | 'after_crash' | 'no_answer' | 'retry' | 'rate' | 'due'

/** Recipients of a lane that wait for the same reason; times are in ms. */
export interface Waiting {
  laneId: number
  cause: WaitCause
  recipients: number
  /** The times at which the first and the last of them are due. */
  firstAt: number
  lastAt: number
}

/** A file of this size is read in less than a second. */
const MAX_CHECKED_BYTES = 128 * 1024 * 1024

/**
 * Figures that show whether sending makes progress. Except for `waiting` and `isSound`, a query reads small parts of
 * indexes.
 * Tables: docs/reference/schema.md#notifications.
 */
export function vitalsRepository(sql: Sql) {
  return {
    async backlogs(now: number): Promise<LaneBacklog[]> {
      const due = `FROM pages AS p WHERE p.lane_id = l.id AND p.state = 'queued' AND p.not_before <= ?`
      const result = await sql.raw(
        `SELECT l.id, (SELECT count(*) ${due}) AS due, (SELECT min(p.not_before) ${due}) AS oldest FROM lanes AS l`,
        [now, now],
      )
      const rows = rowsOf<{ id: number; due: number; oldest: number | null }>(result)
      return rows.map(({ id, due: duePages, oldest }) => ({ laneId: id, duePages, oldestDueAt: oldest }))
    },

    /**
     * Recipients without an outcome by lane and reason. Reads every unfinished page, so do not call it on every scrape.
     */
    async waiting(now: number): Promise<Waiting[]> {
      const left = 'total - accepted - failed - expired - cancelled - skipped - unknown - moved'
      const result = await sql.raw(
        `WITH waiting AS (
           SELECT lane_id, 'under_way' AS cause, ${left} AS recipients, not_before
           FROM pages ${byIndex(sql, 'pages_claimed')} WHERE state = 'claimed'
           UNION ALL
           SELECT lane_id, CASE WHEN after_crash THEN 'after_crash' WHEN resends > 0 THEN 'no_answer' WHEN attempt > 0 THEN 'retry'
             WHEN not_before > ? THEN 'rate' ELSE 'due' END, ${left}, not_before
           FROM pages ${byIndex(sql, 'pages_due')} WHERE state = 'queued')
         SELECT lane_id, cause, sum(recipients) AS recipients, min(not_before) AS first_at, max(not_before) AS last_at
         FROM waiting GROUP BY lane_id, cause ORDER BY lane_id, min(not_before), cause`,
        [now],
      )
      type Row = { lane_id: number; cause: WaitCause; recipients: number; first_at: number; last_at: number }
      return rowsOf<Row>(result).map((row) => ({
        laneId: row.lane_id,
        cause: row.cause,
        recipients: row.recipients,
        firstAt: row.first_at,
        lastAt: row.last_at,
      }))
    },

    /**
     * The time since which (ms) the oldest recipient without an outcome has been due: on a run that is not fanned out,
     * on a waiting page, or on one that is being sent. Undefined when there is none.
     */
    async oldestDueAt(now: number): Promise<number | undefined> {
      const result = await sql.raw(
        `SELECT min(due_at) AS due FROM runs WHERE state = 'due' AND due_at <= ?
         UNION ALL
         SELECT min(not_before) FROM pages WHERE state = 'claimed'
         UNION ALL
         SELECT min((SELECT min(p.not_before) FROM pages AS p
                     WHERE p.lane_id = l.id AND p.state = 'queued' AND p.not_before <= ?)) FROM lanes AS l`,
        [now, now],
      )
      const times = rowsOf<{ due: number | null }>(result).flatMap(({ due }) => (due === null ? [] : [due]))
      return times.length > 0 ? Math.min(...times) : undefined
    },

    /** Number of open notifications by status. Finished ones are not counted, because that would read all of them. */
    async open(): Promise<{ status: Status; count: number }[]> {
      return sql('notifications')
        .whereRaw(isOpenSql())
        .groupBy('status')
        .select('status')
        .count<{ status: Status; count: number }[]>({ count: '*' })
    },

    /** Open notifications, oldest first; `nextAt` (ms) is when their next run is due. */
    async openNotifications(limit: number): Promise<OpenNotification[]> {
      const rows: { id: number; app_id: number; status: Status; created_at: number; next_at: number | null }[] =
        await sql('notifications as n')
          .whereRaw(isOpenSql('n.status'))
          // By an expression: otherwise both databases may read all notifications in the order of their ids.
          .orderByRaw(unindexed('n.id'))
          .limit(limit)
          .select('n.id', 'n.app_id', 'n.status', 'n.created_at')
          .select(
            sql.raw(
              `(SELECT min(r.due_at) FROM runs AS r WHERE r.notification_id = n.id AND r.state = 'due') AS next_at`,
            ),
          )
      return rows.map((row) => ({
        id: row.id,
        appId: row.app_id,
        status: Object.keys(STATUS).find((name) => STATUS[name as keyof typeof STATUS] === row.status)!,
        createdAt: row.created_at,
        nextAt: row.next_at,
      }))
    },

    /**
     * The result of SQLite's `quick_check`, which reads the whole file; undefined for a file too large to read in about
     * a second.
     */
    async isSound(): Promise<boolean | undefined> {
      if ((await this.databaseBytes()) > MAX_CHECKED_BYTES) return undefined
      const rows = rowsOf<{ quick_check: string }>(await sql.raw('PRAGMA quick_check(1)'))
      return rows.every(({ quick_check: said }) => said === 'ok')
    },

    /** Size of the database in bytes, without SQLite's WAL and other files. */
    async databaseBytes(): Promise<number> {
      const query = isPostgres(sql)
        ? 'SELECT pg_database_size(current_database()) AS bytes'
        : 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
      return rowsOf<{ bytes: number }>(await sql.raw(query))[0]!.bytes
    },
  }
}
