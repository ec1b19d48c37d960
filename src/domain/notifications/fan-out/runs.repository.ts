import { chunks } from '../../../platform/chunks.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import type { Within } from '../../audience/within.ts'
import type { NewRun, Run, RunKind } from '../record/ledger.repository.ts'
import { SLOT, unpackRows } from '../record/page.ts'
import { isOpenSql, STATUS, type Status } from '../types.ts'

/** A due instant as it is shown. */
export interface DueInstant {
  at: number
  kind: RunKind
  /** Zones it is for, as far as they are known by now; null means all. */
  zones: (string | null)[] | null
  state: 'due' | 'sending' | 'done' | 'cancelled'
}

interface RunRow {
  id: number
  notification_id: number
  due_at: number
  kind: RunKind
  state: 'due' | 'done' | 'cancelled'
  begun_at: number | null
  within: string | null
}

/** Runs of one INSERT: far below the number of values that a statement may have. */
const BATCH = 100
/** Pages unpacked at once when installs are looked for. */
const PAGES = 50

export type RunsRepository = ReturnType<typeof runsRepository>

/** The due instants of notifications: planning them, beginning them, calling them off. */
export function runsRepository(sql: Sql) {
  const runsOf = (notificationId: number) => sql<RunRow>('runs').where({ notification_id: notificationId })

  return {
    async insert(appId: number, notificationId: number, runs: readonly NewRun[]): Promise<void> {
      const rows = runs.map(({ kind, dueAt, within, expiresAt }) => ({
        app_id: appId,
        notification_id: notificationId,
        kind,
        due_at: dueAt,
        within: within && JSON.stringify(within),
        expires_at: expiresAt,
        state: 'due',
        cursor: '{}',
      }))
      for (const some of chunks(rows, BATCH)) await sql('runs').insert(some)
    },

    /**
     * Only one step of a notification at a time: two walks side by side would not see each other's pages. Until the commit.
     * Not the notification's row, for which those who send would wait too. SQLite has one writer anyway.
     */
    async lockWalk(notificationId: number): Promise<void> {
      if (isPostgres(sql)) await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [WALK_LOCK, notificationId % 2 ** 31])
    },

    async begin(runId: number, begunAt: number, within: Run['within']): Promise<void> {
      await sql('runs')
        .where({ id: runId })
        .update({ begun_at: begunAt, within: within && JSON.stringify(within) })
    },

    /** When the first and the last of the due instants are, and when the latest begun one began. */
    async span(notificationId: number): Promise<{ firstDue: number; lastDue: number; lastBegun: number | null }> {
      const row = await runsOf(notificationId)
        .whereNot({ kind: 'rest' })
        .min({ firstDue: 'due_at' })
        .max({ lastDue: 'due_at', lastBegun: 'begun_at' })
        .first()
      return row as unknown as { firstDue: number; lastDue: number; lastBegun: number | null }
    },

    /**
     * How far every other run of the notification has come. As long as it is the same, nobody came into a page of the
     * notification through another run.
     */
    async othersOf(runId: number, notificationId: number): Promise<string> {
      const rows = await runsOf(notificationId)
        .whereNot({ id: runId })
        .whereNotNull('begun_at')
        .orderBy('id')
        .select('id', 'state', 'cursor')
      return JSON.stringify(rows)
    },

    /** Recipients a second that the notification may reach; null = as fast as it goes. */
    async rateOf(notificationId: number): Promise<number | null> {
      const row = await sql('notifications').where({ id: notificationId }).first('rate_limit')
      return row?.rate_limit ?? null
    },

    /** Recipients of the notification in pages that are not through. */
    async waiting(notificationId: number): Promise<number> {
      const columns = ['total', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved']
      const row: unknown = await sql('pages')
        .where({ notification_id: notificationId })
        .whereIn('state', ['queued', 'claimed'])
        .sum({ waiting: sql.raw(columns.join(' - ')) })
        .first()
      return (row as { waiting: number | null }).waiting ?? 0
    },

    /** Which of these installs are in a page of the notification already. `rows` in any order. */
    async met(appId: number, notificationId: number, rows: readonly number[]): Promise<Set<number>> {
      const met = new Set<number>()
      if (rows.length === 0) return met
      const wanted = new Set(rows)
      const pages: { id: number }[] = await sql('pages')
        .where({ notification_id: notificationId })
        .whereRaw('+app_id = ?', [appId])
        .where('first_install', '<=', Math.max(...rows))
        .where('last_install', '>=', Math.min(...rows))
        .select('id')
      for (const some of chunks(pages, PAGES)) {
        const ids = some.map(({ id }) => id)
        const packed: { recipients: Buffer }[] = await sql('pages').whereIn('id', ids).select('recipients')
        for (const { recipients } of packed) for (const row of unpackRows(recipients)) if (wanted.has(row)) met.add(row)
      }
      return met
    },

    /** Everybody there is was due by now: later instants are off, and those who moved need not wait for them. */
    async closeEmpty(notificationId: number, now: number): Promise<void> {
      await runsOf(notificationId)
        .where({ kind: 'send', state: 'due', begun_at: null })
        .where('due_at', '>', now)
        .update({ state: 'done' })
      await runsOf(notificationId)
        .where({ kind: 'rest', state: 'due' })
        .where('due_at', '>', now)
        .update({ due_at: now })
    },

    /** Whether the run of a linked push is open; then it stays so until the commit. */
    async lockLinked(notificationId: number): Promise<boolean> {
      const row = await runsOf(notificationId)
        .where({ kind: 'linked', state: 'due' })
        .modify((q) => {
          if (isPostgres(sql)) void q.forUpdate()
        })
        .first('id')
      return row !== undefined
    },

    /** A walk of the message begins: the last one at `begunAt`, else null. `dueAt`: when the next one is due. */
    async beginLinked(notificationId: number, begunAt: number | null, dueAt: number): Promise<void> {
      await runsOf(notificationId).where({ kind: 'linked', state: 'due' }).update({ begun_at: begunAt, due_at: dueAt })
    },

    async closeLinked(notificationId: number): Promise<void> {
      await runsOf(notificationId).where({ kind: 'linked', state: 'due' }).update({ state: 'done' })
    },

    /** Locks what is still due, in an order in which no step can be in the way; tells whether an instant has not begun. */
    async lockDue(notificationId: number): Promise<boolean> {
      const rows: Pick<RunRow, 'kind' | 'begun_at'>[] = await runsOf(notificationId)
        .where({ state: 'due' })
        .orderBy('id')
        .modify((q) => {
          if (isPostgres(sql)) void q.forUpdate()
        })
        .select('kind', 'begun_at')
      return rows.some(({ kind, begun_at: begunAt }) => kind !== 'rest' && begunAt === null)
    },

    async cancelDue(notificationId: number): Promise<void> {
      await runsOf(notificationId).where({ state: 'due' }).update({ state: 'cancelled' })
    },

    /** Cancels every open notification of an app. */
    async cancelOpen(appId: number, reason: string, now: number): Promise<void> {
      // Through the partial index of open notifications, which are few.
      const open = () => sql('notifications').whereRaw(`${isOpenSql()} AND +app_id = ?`, [appId])
      // The runs first, as their steps do.
      await sql('runs')
        .where({ state: 'due' })
        .whereIn('notification_id', open().select('id'))
        .update({ state: 'cancelled' })
      await open().update({ status: STATUS.cancelled, status_reason: reason, updated_at: now })
    },

    /** True while a request for somebody may still be on its way. */
    async isAnyBegun(notificationId: number): Promise<boolean> {
      const pages: { outcomes: Buffer }[] = await sql('pages')
        .where({ notification_id: notificationId, state: 'claimed' })
        .select('outcomes')
      return pages.some(({ outcomes }) => outcomes.includes(SLOT.begun))
    },

    /** Due instants of a notification in order; those that nobody is known for are left out unless `all`. */
    async instants(notificationId: number, { all = false } = {}): Promise<DueInstant[]> {
      const rows = await runsOf(notificationId)
        .whereIn('kind', ['send', 'skip'])
        .orderBy(['due_at', 'id'])
        .select('id', 'notification_id', 'due_at', 'kind', 'state', 'begun_at', 'within')
      return rows.map(toInstant).filter(({ zones }) => all || zones === null || zones.length > 0)
    },

    /** Scheduled notifications of an app that are not through, by their next instant. */
    async upcoming(appId: number, limit: number): Promise<{ id: number; nextAt: number; status: Status }[]> {
      const rows: { id: number; next_at: number; status: Status }[] = await sql('notifications')
        .join('runs', 'runs.notification_id', 'notifications.id')
        .where({ 'runs.state': 'due' })
        .whereNotNull('notifications.schedule')
        // Through the partial index of open notifications, which are few.
        .whereRaw(`${isOpenSql('notifications.status')} AND +notifications.app_id = ?`, [appId])
        .groupBy('notifications.id', 'notifications.status')
        .orderBy(['next_at', 'notifications.id'])
        .limit(limit)
        .select('notifications.id', 'notifications.status', sql.raw('MIN(runs.due_at) AS next_at'))
      return rows.map((row) => ({ id: row.id, nextAt: row.next_at, status: row.status }))
    },
  }
}

/** Any number that nobody else takes for `pg_advisory_xact_lock`. */
const WALK_LOCK = 7_310_009

function toInstant(row: RunRow): DueInstant {
  const within: Within | null = row.within === null ? null : JSON.parse(row.within)
  const state = row.state === 'due' && row.begun_at !== null ? 'sending' : row.state
  const zones = within && [...new Set(within.places.map(({ zone }) => zone))]
  return { at: row.due_at, kind: row.kind, zones, state }
}
