import type { Sql } from '../../../platform/db/connect.ts'
import { byIndex, isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import { isOpenSql, STATUS, type Status } from '../types.ts'

/** Pages of a lane that could be sent now; `oldestDueAt` (ms) is when the first of them became due. */
export interface LaneBacklog {
  laneId: number
  duePages: number
  oldestDueAt: number | null
}

/** A notification that is not over. Times are ms. */
export interface OpenNotification {
  id: number
  appId: number
  /** `scheduled`, `queued` or `sending`. */
  status: string
  createdAt: number
  nextAt: number | null
}

/**
 * Why recipients are not through: `under_way` with a worker, or with one that died and is not missed yet; `after_crash` they were
 * being sent to when a worker died, and are sent to again; `no_answer` the same because the gateway did not answer; `retry` the
 * gateway asked to come back later, or failed; `rate` the notification's rate limit spreads them; `due` it is their turn.
 */
export type WaitCause = 'under_way' | 'after_crash' | 'no_answer' | 'retry' | 'rate' | 'due'

/** Recipients of a lane that wait for the same reason; times in ms. */
export interface Waiting {
  laneId: number
  cause: WaitCause
  recipients: number
  /** When the first and the last of them may be sent to. */
  firstAt: number
  lastAt: number
}

/** A file up to this size is read through in less than a second. */
const MOST_CHECKED_BYTES = 128 * 1024 * 1024

export type VitalsRepository = ReturnType<typeof vitalsRepository>

/** Numbers by which somebody sees from outside that sending goes on. Every query reads small parts of indexes only. */
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

    /** Who is not through, and why, by lane. Reads all pages with work, one for up to some thousand recipients: not for every scrape. */
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
     * Since when (ms) the oldest recipient has been due who is not through: of a run that is not fanned out, of a page that
     * waits, or of one that is being sent. Undefined when nobody is.
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

    /** How many notifications are not over yet. Finished ones are not counted: that would read all there ever were. */
    async open(): Promise<{ status: Status; count: number }[]> {
      return sql('notifications')
        .whereRaw(isOpenSql())
        .groupBy('status')
        .select('status')
        .count<{ status: Status; count: number }[]>({ count: '*' })
    },

    /** Notifications that are not over, the oldest first; `nextAt` (ms) is when the next of their runs is due. */
    async openNotifications(limit: number): Promise<OpenNotification[]> {
      const rows: { id: number; app_id: number; status: Status; created_at: number; next_at: number | null }[] =
        await sql('notifications as n')
          .whereRaw(isOpenSql('n.status'))
          .orderBy('n.id')
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

    /** Whether SQLite finds its pages in order. Reads the whole file; one that takes longer than a second is not read: undefined. */
    async isSound(): Promise<boolean | undefined> {
      if ((await this.databaseBytes()) > MOST_CHECKED_BYTES) return undefined
      const rows = rowsOf<{ quick_check: string }>(await sql.raw('PRAGMA quick_check(1)'))
      return rows.every(({ quick_check: said }) => said === 'ok')
    },

    /** Size of the database in bytes, without what SQLite keeps beside it. */
    async databaseBytes(): Promise<number> {
      const query = isPostgres(sql)
        ? 'SELECT pg_database_size(current_database()) AS bytes'
        : 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
      return rowsOf<{ bytes: number }>(await sql.raw(query))[0]!.bytes
    },
  }
}
