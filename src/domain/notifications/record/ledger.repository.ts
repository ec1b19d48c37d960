import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { byIndex, isPostgres, unindexed } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import { integer, json, table, text } from '../../../platform/db/table.ts'
import { isPlainObject, readObject } from '../../../platform/json/json.ts'
import type { Claim } from '../../../platform/queue/queue.ts'
import { readStored } from '../../../platform/values/unreadable.ts'
import { isTarget } from '../../audience/stored.ts'
import { withAwaited } from '../../audience/target.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import type { Within } from '../../audience/walk/within.ts'
import { isSchedule } from '../../schedules/schedule.ts'
import { type Counts, isOpenSql, STATUS, type StoredContent } from '../types.ts'
import { countFailures } from './failure-counts.repository.ts'
import { packRows, reasonsOf, SLOT, type SlotName, slotName, tally, unpackRows } from './page.ts'
import type { Tries } from './verdict.ts'

/** The tables of the queue. */
export const PAGE_QUEUE = { units: 'pages', lanes: 'lanes' } as const

/**
 * Kinds of run. `now` is an immediate send. Of a schedule, `send` is one due time, `skip` covers recipients for whom
 * the time has passed, and `rest` recipients that no other run reached because they moved. `linked` only keeps the push
 * of an in-app message open: the fan-out of the message makes its pages, and the run is due when the message is.
 */
export type RunKind = 'now' | 'send' | 'skip' | 'rest' | 'linked'

export interface Run {
  id: number
  appId: number
  notificationId: number
  kind: RunKind
  dueAt: number
  /** The time at which its first step was read (ms); null before. */
  begunAt: number | null
  /**
   * Null means everybody. Planned when the notification was accepted, and computed again when the run begins. `isLast`:
   * when it began, no zone in use had a later due time.
   */
  within: (Within & { isLast?: true }) | null
  /** The time at which its recipients expire (ms); null means when the notification does. */
  expiresAt: number | null
  cursor: Cursor
  /** The time at which it was due (ms) before the rules of its time zone changed; null: they did not. */
  movedFrom: number | null
}

export type NewRun = Pick<Run, 'kind' | 'dueAt' | 'within' | 'expiresAt'>

/** A page for delivery. */
export interface Page extends Tries {
  id: number
  appId: number
  notificationId: number
  laneId: number | null
  /** The time at which its recipients expire (ms); null means when the notification does. */
  expiresAt: number | null
  /** True when a worker died while it was sending to these recipients: they may have got the message. */
  afterCrash: boolean
  /** True when its recipients are meant as installs of certain users: one that has passed to somebody else meanwhile gets nothing. */
  byUser: boolean
  rows: number[]
  outcomes: Buffer
}

export interface NewPage extends Partial<Tries> {
  appId: number
  notificationId: number
  /** Absent when none of its recipients can be sent to: the page is finished at once. */
  laneId?: number | undefined
  rows: number[]
  /** The outcome byte of every slot; absent means pending. */
  slot?: number
  notBefore: number
  expiresAt?: number | null
  /** Absent means false. */
  afterCrash?: boolean
  /** Absent means false. */
  byUser?: boolean
  /** True when its recipients wait for the end of quiet hours; absent means false. */
  held?: boolean
}

/** One recipient that was not reached; `reason` is the vendor's own word. */
export interface Failure {
  row: number
  kind: string
  reason: string
}

interface PageRow {
  id: number
  app_id: number
  notification_id: number
  lane_id: number | null
  state: string
  not_before: number
  expires_at: number | null
  attempt: number
  resends: number
  after_crash: boolean | number
  by_user: boolean | number
  held: boolean | number
  recipients: Buffer
  outcomes: Buffer
}

export const RUNS = table('runs', {
  id: integer('id'),
  appId: integer('app_id'),
  notificationId: integer('notification_id'),
  kind: text('kind').as<RunKind>(),
  state: text('state').as<'due' | 'done' | 'cancelled'>(),
  dueAt: integer('due_at'),
  begunAt: integer('begun_at').orNull,
  within: json('within').as<NonNullable<Run['within']>>().orNull,
  expiresAt: integer('expires_at').orNull,
  cursor: json('cursor').as<Cursor>(),
  movedFrom: integer('moved_from').orNull,
})
const RUN = RUNS.omit('state')

/** The columns that `toPage` reads. */
type ReadPage = Pick<
  PageRow,
  | 'id'
  | 'app_id'
  | 'notification_id'
  | 'lane_id'
  | 'expires_at'
  | 'attempt'
  | 'resends'
  | 'after_crash'
  | 'by_user'
  | 'recipients'
  | 'outcomes'
>
type ClaimKey = Pick<Claim, 'id' | 'fence' | 'owner'>

// The statements of deliveries are prepared. The state is a literal: SQLite looks at a bound one each time, because of partial indexes.
const OF_CLAIM = "id = :id AND fence = :fence AND owner = :owner AND state = 'claimed'"
const CLAIMED_PAGE = prepared<ClaimKey, ReadPage>(
  `SELECT id, app_id, notification_id, lane_id, expires_at, attempt, resends, after_crash, by_user, recipients, outcomes
   FROM pages WHERE ${OF_CLAIM}`,
)
const WRITE_OUTCOMES = prepared<ClaimKey & ReturnType<typeof sums> & { before: Buffer; outcomes: Buffer; now: number }>(
  `UPDATE pages SET outcomes = :outcomes, accepted = :accepted, failed = :failed, expired = :expired,
     cancelled = :cancelled, skipped = :skipped, unknown = :unknown, moved = :moved, reasons = :reasons,
     updated_at = :now
   WHERE ${OF_CLAIM} AND outcomes = :before`,
)
const MESSAGE = prepared<
  { id: number },
  {
    content: string
    expires_at: number
    status: number
    target: string
    app_id: number
    schedule: string | null
    created_at: number
    one_try: boolean | number
  }
>(`SELECT content, expires_at, status, target, app_id, schedule, created_at, one_try FROM notifications WHERE id = :id`)
const statusOf = (lock: string) =>
  prepared<{ id: number }, { status: number }>(`SELECT status FROM notifications WHERE id = :id ${lock}`)
const STATUS_OF = { plain: statusOf(''), shared: statusOf('FOR SHARE'), closing: statusOf('FOR NO KEY UPDATE') }

const toPage = (row: ReadPage): Page => ({
  id: row.id,
  appId: row.app_id,
  notificationId: row.notification_id,
  laneId: row.lane_id,
  expiresAt: row.expires_at,
  attempt: row.attempt,
  resends: row.resends,
  afterCrash: Boolean(row.after_crash),
  byUser: Boolean(row.by_user),
  rows: unpackRows(row.recipients),
  outcomes: Buffer.from(row.outcomes),
})

const sums = (outcomes: Uint8Array) => {
  const { accepted, failed, expired, cancelled, skipped, unknown, moved } = tally(outcomes)
  return { accepted, failed, expired, cancelled, skipped, unknown, moved, reasons: JSON.stringify(reasonsOf(outcomes)) }
}

const fromPage = (page: NewPage, now: number) => {
  const outcomes = Buffer.alloc(page.rows.length, page.slot ?? SLOT.pending)
  return {
    app_id: page.appId,
    notification_id: page.notificationId,
    lane_id: page.laneId ?? null,
    state: page.laneId === undefined ? 'done' : 'queued',
    not_before: page.notBefore,
    expires_at: page.expiresAt ?? null,
    attempt: page.attempt ?? 0,
    resends: page.resends ?? 0,
    after_crash: page.afterCrash ?? false,
    by_user: page.byUser ?? false,
    held: page.held ?? false,
    first_install: page.rows[0],
    last_install: page.rows.at(-1),
    recipients: packRows(page.rows),
    outcomes,
    total: page.rows.length,
    ...sums(outcomes),
    created_at: now,
    updated_at: now,
  }
}

export type Ledger = ReturnType<typeof ledgerRepository>

/**
 * Runs and pages: the recipients who still have to get the notification, and every recipient's outcome.
 * Tables: docs/reference/schema.md#lanes, #notifications, #runs, #pages, #delivery_failures. /.
 */
export function ledgerRepository(sql: Sql) {
  const settledAtOnce = new Map<SlotName, number>()

  async function insertPages(pages: readonly NewPage[], now: number): Promise<void> {
    if (pages.length > 0) await sql('pages').insert(pages.map((page) => fromPage(page, now)))
    for (const { laneId, slot, rows } of pages) {
      if (laneId !== undefined) continue
      const end = slotName(slot ?? SLOT.pending)
      settledAtOnce.set(end, (settledAtOnce.get(end) ?? 0) + rows.length)
    }
  }

  async function message(notificationId: number) {
    const row = await MESSAGE.first(sql, { id: notificationId })
    if (!row) return undefined
    const of = `of notification ${notificationId}`
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
      createdAt: row.created_at,
      oneTry: Boolean(row.one_try),
    }
  }

  function heldPages(notificationId: number, now: number) {
    const waiting = sql('pages').where({ notification_id: notificationId, state: 'queued' })
    return waiting.where('not_before', '>', now).whereRaw('held')
  }

  return {
    /**
     * Runs that are due, oldest first. A `rest` run comes last, when all others of its notification are finished. While
     * `held`, without scheduled runs that have not begun.
     */
    async dueRuns(now: number, limit: number, held = false): Promise<number[]> {
      const rows = await sql('runs')
        .where({ state: 'due' })
        .where('due_at', '<=', now)
        .whereNot({ kind: 'linked' })
        .whereRaw(
          `(kind <> 'rest' OR NOT EXISTS (SELECT 1 FROM runs AS other
            WHERE other.notification_id = runs.notification_id AND other.state = 'due' AND other.kind <> 'rest'))`,
        )
        .modify((q) => {
          if (held) void q.whereRaw("(kind = 'now' OR begun_at IS NOT NULL)")
        })
        .orderBy(['due_at', 'id'])
        .limit(limit)
        .select('id')
      return rows.map((row: { id: number }) => row.id)
    },

    /** The time at which the next run becomes due (ms). */
    async nextRunAt(): Promise<number | undefined> {
      const row = await sql('runs')
        .where({ state: 'due' })
        .whereNot({ kind: 'linked' })
        .orderBy('due_at')
        .first('due_at')
      return row?.due_at
    },

    /** A due run, without a lock; undefined when it is finished. */
    async dueRun(id: number): Promise<Run | undefined> {
      const row = await sql('runs')
        .where({ id, state: 'due' } as object)
        .first()
      return row && RUN.fromRow(row)
    },

    /**
     * A due run, locked until the transaction ends; undefined when it is finished or another process holds the lock.
     */
    async lockRun(id: number): Promise<Run | undefined> {
      const row = await sql('runs')
        .where({ id, state: 'due' })
        .modify((q) => {
          if (isPostgres(sql)) q.forUpdate().skipLocked()
        })
        .first()
      return row && RUN.fromRow(row)
    },

    async moveCursor(runId: number, cursor: Cursor, done: boolean): Promise<void> {
      await sql('runs')
        .where({ id: runId })
        .update({ cursor: JSON.stringify(cursor), state: done ? 'done' : 'due' })
    },

    insertPage: (page: NewPage, now: number): Promise<void> => insertPages([page], now),

    /** Inserts the pages in one statement. */
    insertPages,

    /**
     * Inserts a page that is over: every recipient has the outcome byte in `outcomes`. For a history that nobody sends
     * any more, such as the demo's.
     */
    async insertEnded(page: NewPage, outcomes: Buffer, now: number): Promise<void> {
      const row = { ...fromPage(page, now), state: 'done', outcomes, ...sums(outcomes) }
      await sql('pages').insert(row)
    },

    /** Outcomes of pages that were finished when they were stored with this handle: to be counted after its commit. */
    settledAtOnce: (): ReadonlyMap<SlotName, number> => settledAtOnce,

    /** Tells whether a page of the notification waits for the end of quiet hours. */
    async isHeld(notificationId: number, now: number): Promise<boolean> {
      return (await heldPages(notificationId, now).first('id')) !== undefined
    },

    /** Makes the pages that wait for the end of quiet hours due now: their notification was cancelled. */
    async releaseHeld(notificationId: number, now: number): Promise<void> {
      await heldPages(notificationId, now).update({ not_before: now })
    },

    /** Makes every page that waits for a later time due now: its notification was stopped, so it ends without a request. */
    async releaseWaiting(notificationId: number, now: number): Promise<void> {
      await sql('pages')
        .where({ notification_id: notificationId, state: 'queued' })
        .where('not_before', '>', now)
        .update({ not_before: now })
    },

    /** The page of a claim; undefined when the claim is lost. */
    async claimedPage(claim: Claim): Promise<Page | undefined> {
      const row = await CLAIMED_PAGE.first(sql, claim)
      return row && toPage(row)
    },

    /**
     * Writes the outcomes of a claimed page if those on disk are still `before`. Returns false, and changes nothing,
     * when the claim is lost or a late response was merged into the page meanwhile.
     */
    async writeOutcomes(claim: ClaimKey, before: Buffer, outcomes: Buffer, now: number): Promise<boolean> {
      const { id, fence, owner } = claim
      return (await WRITE_OUTCOMES.run(sql, { id, fence, owner, before, outcomes, ...sums(outcomes), now })) > 0
    },

    /**
     * Unfinished pages of a notification that may hold installs from `first` to `last`; on PostgreSQL locked until the
     * commit.
     */
    async openPagesBetween(notificationId: number, first: number, last: number): Promise<Page[]> {
      const rows = await sql<PageRow>('pages')
        .where({ notification_id: notificationId } as object)
        .whereIn('state', ['queued', 'claimed'])
        .where('first_install', '<=', last)
        .where('last_install', '>=', first)
        .orderBy('id')
        .modify((q) => {
          if (isPostgres(sql)) q.forUpdate()
        })
      return rows.map(toPage)
    },

    /**
     * Writes outcomes that do not come from the worker of the page. A worker that has claimed it notices the change.
     */
    async mergeOutcomes(pageId: number, outcomes: Buffer, now: number): Promise<void> {
      await sql('pages')
        .where({ id: pageId })
        .update({ outcomes, ...sums(outcomes), updated_at: now })
    },

    /** Stores failures, and counts them by reason for the report. */
    async insertFailures(
      page: Pick<Page, 'appId' | 'notificationId'>,
      failures: readonly Failure[],
      now: number,
    ): Promise<void> {
      if (failures.length === 0) return
      const { appId, notificationId } = page
      // A cut may halve a character, which JSON of PostgreSQL refuses.
      const rows = failures.map((failure) => ({ ...failure, reason: failure.reason.slice(0, 255).toWellFormed() }))
      for (const some of chunks(rows, 100)) {
        await sql('delivery_failures').insert(
          some.map(({ row, kind, reason }) => ({
            app_id: appId,
            notification_id: notificationId,
            install_row: row,
            kind,
            reason,
            happened_at: now,
          })),
        )
      }
      await countFailures(sql, appId, notificationId, rows)
    },

    /** Tells whether the notification has an unfinished run or page. */
    async isOpen(notificationId: number): Promise<boolean> {
      const run = await sql('runs').where({ notification_id: notificationId, state: 'due' }).first('id')
      if (run) return true
      const page = await sql('pages')
        .where({ notification_id: notificationId })
        .whereIn('state', ['queued', 'claimed'])
        .first('id')
      return page !== undefined
    },

    async counts(appId: number, notificationId: number): Promise<Counts> {
      const columns = ['total', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const
      const query = sql('pages').where({ app_id: appId, notification_id: notificationId })
      for (const column of columns) query.sum({ [column]: column })
      const row = (await query.first()) as Record<(typeof columns)[number], number | null>
      const { total, moved, ...states } = Object.fromEntries(columns.map((c) => [c, row[c] ?? 0])) as Record<
        (typeof columns)[number],
        number
      >
      const audience = total - moved
      const settled = Object.values(states).reduce((sum, n) => sum + n, 0)
      return { audience, pending: audience - settled, ...states }
    },

    /** The number of recipients by outcome byte, of the bytes that are reasons. */
    async reasons(appId: number, notificationId: number): Promise<Partial<Record<SlotName, number>>> {
      const rows: { reasons: string }[] = await sql('pages')
        .where({ app_id: appId, notification_id: notificationId })
        .whereNot({ reasons: '{}' })
        .select('reasons')
      const sum: Partial<Record<SlotName, number>> = {}
      for (const { reasons } of rows) {
        for (const [name, count] of Object.entries(readObject(reasons) ?? {})) {
          if (typeof count === 'number') sum[name as SlotName] = (sum[name as SlotName] ?? 0) + count
        }
      }
      return sum
    },

    /** Pages of a notification that may hold an install, oldest first. */
    async pagesWith(
      appId: number,
      notificationId: number,
      row: number,
    ): Promise<(Page & { state: string; notBefore: number; held: boolean })[]> {
      const rows = await sql<PageRow>('pages')
        .where({ app_id: appId, notification_id: notificationId } as object)
        .where('first_install', '<=', row)
        .where('last_install', '>=', row)
        .orderBy('id')
      return rows.map((r) => ({ ...toPage(r), state: r.state, notBefore: r.not_before, held: Boolean(r.held) }))
    },

    /** Tells whether a worker has claimed a page with one of these installs: it may have read their tokens. */
    async isBeingSentTo(appId: number, rows: readonly number[]): Promise<boolean> {
      const wanted = new Set(rows)
      const claimed: Pick<PageRow, 'recipients'>[] = await sql
        .from(sql.raw(`pages ${byIndex(sql, 'pages_claimed')}`))
        .whereRaw("state = 'claimed'")
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('first_install', '<=', Math.max(...rows))
        .where('last_install', '>=', Math.min(...rows))
        .select('recipients')
      return claimed.some(({ recipients }) => unpackRows(recipients).some((row) => wanted.has(row)))
    },

    async failuresOf(
      appId: number,
      notificationId: number,
      row: number,
    ): Promise<{ kind: string; reason: string; at: number }[]> {
      const rows = await sql('delivery_failures')
        .where({ app_id: appId, notification_id: notificationId, install_row: row })
        .orderBy('id')
      return rows.map((r) => ({ kind: r.kind, reason: r.reason, at: r.happened_at }))
    },

    /**
     * The part of the notification that delivery needs; undefined when it was deleted meanwhile. Its `content`,
     * `target` and `schedule` throw `Unreadable` when they cannot be read.
     */
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
      const { content, schedule, createdAt, oneTry } = found
      return { content, target, schedule, createdAt, oneTry }
    },

    /** The time at which a notification expires (ms); undefined when it was deleted meanwhile. */
    async expiryOf(notificationId: number): Promise<number | undefined> {
      const row = await sql('notifications').where({ id: notificationId }).first('expires_at')
      return row?.expires_at
    },

    /** The notification of a due run; undefined when it is finished. */
    async ownerOf(runId: number): Promise<{ appId: number; notificationId: number } | undefined> {
      const row: { app_id: number; notification_id: number } | undefined = await sql('runs')
        .where({ id: runId, state: 'due' })
        .first('app_id', 'notification_id')
      return row && { appId: row.app_id, notificationId: row.notification_id }
    },

    /**
     * The status of a notification; on PostgreSQL it waits for a cancel that is being committed. `closing`: the
     * transaction may finish the notification's last page or run. Such transactions run one after the other, so that
     * the last one sees that all is done.
     */
    async statusOf(notificationId: number, closing = false): Promise<number | undefined> {
      const lock = !isPostgres(sql) ? 'plain' : closing ? 'closing' : 'shared'
      return (await STATUS_OF[lock].first(sql, { id: notificationId }))?.status
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
        .update({ status, status_reason: reason, updated_at: now })
      return changed > 0
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
