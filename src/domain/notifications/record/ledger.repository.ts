import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { among, byIndex, isPostgres, type List, listOf, unindexed, whereAmong } from '../../../platform/db/dialect.ts'
import { prepared, preparedInsert, preparedPlan } from '../../../platform/db/prepared.ts'
import { integer, json, table, text } from '../../../platform/db/table.ts'
import { readObject } from '../../../platform/json/json.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import type { Within } from '../../audience/walk/within.ts'
import type { Counts } from '../types.ts'
import { claimedPagesRepository } from './claimed-pages.repository.ts'
import { countFailures } from './failure-counts.repository.ts'
import { languageCountsRepository } from './language-counts.repository.ts'
import { messagesRepository } from './messages.repository.ts'
import { SLOT, type SlotName, slotName, unpackRows } from './page.ts'
import { fromPage, NEW_PAGE, type NewPage, type Page, type PageRow, sums, toPage } from './page-rows.ts'

/** Pages with at most this many recipients share their transactions, whatever they are about, and do not wait for larger ones. */
export const SMALL_PAGE = 100

/** The tables of the queue. */
export const PAGE_QUEUE = { units: 'pages', lanes: 'lanes', weight: 'total', light: SMALL_PAGE } as const

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
   * when it began, no zone in use had a later due time. `later`: the run stands for these due times (ms) as well, at which nobody was when
   * they were planned; it is put off to them, one after the other.
   */
  within: (Within & { isLast?: true; later?: readonly number[] }) | null
  /** The time at which its recipients expire (ms); null means when the notification does. */
  expiresAt: number | null
  cursor: Cursor
  /** The time at which it was due (ms) before the rules of its time zone changed; null: they did not. */
  movedFrom: number | null
}

export type NewRun = Pick<Run, 'kind' | 'dueAt' | 'within' | 'expiresAt'>

/** One recipient that was not reached; `reason` is the vendor's own word. */
export interface Failure {
  row: number
  kind: string
  reason: string
}

/** Due runs of pushes, which the background thread asks for whenever somebody has sent something. */
const dueRuns = (which: string) =>
  preparedPlan<{ now: number; limit: number }, { id: number }>(
    `SELECT id FROM runs WHERE state = 'due' AND due_at <= :now AND kind <> 'linked' ${which}
       AND (kind <> 'rest' OR NOT EXISTS (SELECT 1 FROM runs AS other
         WHERE other.notification_id = runs.notification_id AND other.state = 'due' AND other.kind <> 'rest'))
     ORDER BY due_at, id LIMIT :limit`,
  )
const DUE_RUNS = dueRuns('')
const DUE_WHILE_HELD = dueRuns("AND (kind = 'now' OR begun_at IS NOT NULL)")
const NEXT_RUN = prepared<Record<string, never>, { due_at: number }>(
  "SELECT due_at FROM runs WHERE state = 'due' AND kind <> 'linked' ORDER BY due_at LIMIT 1",
)

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

const INSERT_PAGE = preparedInsert<ReturnType<typeof fromPage>>('pages', NEW_PAGE)
/** Up to this many pages are inserted one by one on SQLite. */
const FEW = 8

/** Notifications of a list without an unfinished run or page. */
const OVER = preparedPlan<{ ids: List }, { id: number }>(
  (kind) =>
    `SELECT id FROM notifications AS n WHERE ${among(kind, 'id', 'ids')}
       AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.notification_id = n.id AND runs.state = 'due')
       AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.notification_id = n.id AND pages.state IN ('queued', 'claimed'))`,
)
const COUNTED = ['total', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const
type Counted = Record<(typeof COUNTED)[number], number | null>
const COUNTS_OF = preparedPlan<{ appId: number; ids: List }, Counted & { id: number }>(
  (kind) =>
    `SELECT notification_id AS id, ${COUNTED.map((column) => `CAST(SUM(${column}) AS bigint) AS ${column}`).join(', ')}
     FROM pages WHERE app_id = :appId AND ${among(kind, 'notification_id', 'ids')} GROUP BY notification_id`,
)

/** The outcomes of pages by their own names, where a page has any. */
const REASONS_OF = preparedPlan<{ appId: number; ids: List }, { notification_id: number; reasons: string }>(
  (kind) =>
    `SELECT notification_id, reasons FROM pages
     WHERE app_id = :appId AND ${among(kind, 'notification_id', 'ids')} AND reasons <> '{}'`,
)

function toCounts(row: Counted | undefined): Counts {
  const { total, moved, ...states } = Object.fromEntries(
    COUNTED.map((column) => [column, row?.[column] ?? 0]),
  ) as Record<keyof Counted, number>
  const audience = total - moved
  const settled = Object.values(states).reduce((sum, n) => sum + n, 0)
  return { audience, pending: audience - settled, ...states }
}

export type Ledger = ReturnType<typeof ledgerRepository>

/**
 * Runs and pages: the recipients who still have to get the notification, and every recipient's outcome.
 * Tables: docs/reference/schema.md#lanes, #notifications, #runs, #pages, #delivery_failures. /.
 */
export function ledgerRepository(sql: Sql) {
  const settledAtOnce = new Map<SlotName, number>()
  const messages = messagesRepository(sql)
  const claimed = claimedPagesRepository(sql)
  const { countLanguages } = languageCountsRepository(sql)

  async function insertPages(pages: readonly NewPage[], now: number): Promise<void> {
    // One row is the rule, and Knex would write its long text anew each time.
    if (pages.length === 1 || (!isPostgres(sql) && pages.length <= FEW)) {
      for (const page of pages) await INSERT_PAGE.run(sql, fromPage(page, now))
    } else if (pages.length > 0) await sql('pages').insert(pages.map((page) => fromPage(page, now)))
    for (const { laneId, slot, rows } of pages) {
      if (laneId !== undefined) continue
      const end = slotName(slot ?? SLOT.pending)
      settledAtOnce.set(end, (settledAtOnce.get(end) ?? 0) + rows.length)
    }
  }

  async function countsOf(appId: number, ids: readonly number[]): Promise<Map<number, Counts>> {
    const rows = await COUNTS_OF.all(sql, { appId, ids: listOf(sql, ids) })
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map(ids.map((id) => [id, toCounts(byId.get(id))]))
  }

  async function reasonsOf(
    appId: number,
    ids: readonly number[],
  ): Promise<Map<number, Partial<Record<SlotName, number>>>> {
    const rows = await REASONS_OF.all(sql, { appId, ids: listOf(sql, ids) })
    const sums = new Map<number, Partial<Record<SlotName, number>>>()
    for (const { notification_id: id, reasons } of rows) {
      const sum = sums.get(id) ?? {}
      sums.set(id, sum)
      for (const [name, count] of Object.entries(readObject(reasons) ?? {})) {
        if (typeof count === 'number') sum[name as SlotName] = (sum[name as SlotName] ?? 0) + count
      }
    }
    return sums
  }

  function heldPages(notificationId: number, now: number) {
    const waiting = sql('pages').where({ notification_id: notificationId, state: 'queued' })
    return waiting.where('not_before', '>', now).whereRaw('held')
  }

  return {
    ...messages,
    ...claimed,

    /** Counts recipients by language; see `language-counts.repository.ts`. */
    countLanguages,

    /**
     * Runs that are due, oldest first. A `rest` run comes last, when all others of its notification are finished. While
     * `held`, without scheduled runs that have not begun.
     */
    async dueRuns(now: number, limit: number, held = false): Promise<number[]> {
      return (await (held ? DUE_WHILE_HELD : DUE_RUNS).all(sql, { now, limit })).map(({ id }) => id)
    },

    /** The time at which the next run becomes due (ms). */
    async nextRunAt(): Promise<number | undefined> {
      return (await NEXT_RUN.first(sql, {}))?.due_at
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

    /** Tells whether a run of the notification is not finished: it may find further recipients. */
    async hasDueRun(notificationId: number): Promise<boolean> {
      return (await sql('runs').where({ notification_id: notificationId, state: 'due' }).first('id')) !== undefined
    },

    /** Returns the ids of the notifications that have no unfinished run or page. */
    async over(ids: readonly number[]): Promise<number[]> {
      return (await OVER.all(sql, { ids: listOf(sql, ids) })).map(({ id }) => id)
    },

    /** The counts of notifications, by id. */
    countsOf,

    /** `countsOf` for one. */
    async counts(appId: number, notificationId: number): Promise<Counts> {
      return (await countsOf(appId, [notificationId])).get(notificationId)!
    },

    /** The number of recipients by outcome byte, of the bytes that are reasons, by notification. Those without any are missing. */
    reasonsOf,

    /** `reasonsOf` for one. */
    async reasons(appId: number, notificationId: number): Promise<Partial<Record<SlotName, number>>> {
      return (await reasonsOf(appId, [notificationId])).get(notificationId) ?? {}
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

    /** Pages of some notifications that may hold an install, oldest first. */
    async pagesAmong(
      appId: number,
      notificationIds: readonly number[],
      row: number,
    ): Promise<{ notificationId: number; notBefore: number; rows: number[]; outcomes: Buffer }[]> {
      const found: Pick<PageRow, 'notification_id' | 'not_before' | 'recipients' | 'outcomes'>[] = await whereAmong(
        sql('pages').where({ app_id: appId }),
        sql,
        'notification_id',
        notificationIds,
      )
        .where('first_install', '<=', row)
        .where('last_install', '>=', row)
        .orderByRaw(unindexed('id'))
        .select('notification_id', 'not_before', 'recipients', 'outcomes')
      return found.map((page) => ({
        notificationId: page.notification_id,
        notBefore: page.not_before,
        rows: unpackRows(page.recipients),
        outcomes: page.outcomes,
      }))
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

    /** The notification of a due run; undefined when it is finished. */
    async ownerOf(runId: number): Promise<{ appId: number; notificationId: number } | undefined> {
      const row: { app_id: number; notification_id: number } | undefined = await sql('runs')
        .where({ id: runId, state: 'due' })
        .first('app_id', 'notification_id')
      return row && { appId: row.app_id, notificationId: row.notification_id }
    },
  }
}
