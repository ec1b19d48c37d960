import { chunks } from '../../../platform/concurrency/chunks.ts'
import { keyOf, lockUntilCommit } from '../../../platform/db/advisory-lock.ts'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, unindexed } from '../../../platform/db/dialect.ts'
import { preparedPlan, preparedRows } from '../../../platform/db/prepared.ts'
import type { Row } from '../../../platform/db/table.ts'
import { isOpenSql, STATUS, type Status } from '../types.ts'
import { type NewRun, RUNS, type Run, type RunKind } from './ledger.repository.ts'
import { SLOT, unpackRows } from './page.ts'

/** A due time as reports show it. */
export interface DueInstant {
  at: number
  kind: RunKind
  /** Its time zones, as far as they are known now; null means all. */
  zones: (string | null)[] | null
  state: 'due' | 'sending' | 'done' | 'cancelled'
  /** The time at which it was due before the rules of its time zone changed; null: they did not. */
  movedFrom: number | null
}

const INSTANT = RUNS.pick('dueAt', 'kind', 'state', 'begunAt', 'within', 'movedFrom')
const INSTANTS = preparedPlan<{ notificationId: number }, Row<typeof INSTANT>>(
  `SELECT ${INSTANT.names.join(', ')} FROM runs
   WHERE notification_id = :notificationId AND kind IN ('send', 'skip') ORDER BY due_at, id`,
)

const BEGUN = RUNS.pick('kind', 'state', 'dueAt', 'begunAt', 'within')
const NEW_RUN = RUNS.pick('kind', 'dueAt', 'within', 'expiresAt')
const INSERT = preparedRows<{ app_id: number; notification_id: number; state: string; cursor: string }>(
  'runs',
  NEW_RUN,
  {
    app_id: 'bigint',
    notification_id: 'bigint',
    state: 'text',
    cursor: 'text',
  },
)
/** Pages decoded at once when searching for installs. */
const PAGES = 50

export type RunsRepository = ReturnType<typeof runsRepository>

/** The runs of notifications: planning, beginning and cancelling them. Tables: docs/reference/schema.md#notifications, #runs, #pages. */
export function runsRepository(sql: Sql) {
  const runsOf = (notificationId: number) => RUNS.in(sql).where({ notification_id: notificationId })

  /** Lets nobody else edit or cancel the runs of a notification until the commit, and waits for whoever does. Locked before any run. */
  async function lockPlan(notificationId: number): Promise<void> {
    await lockUntilCommit(sql, PLAN_LOCK, keyOf(notificationId))
  }

  return {
    async insert(appId: number, notificationId: number, runs: readonly NewRun[]): Promise<void> {
      // A send by local time has some forty: as one bound text they take a third of the time.
      const lines = JSON.stringify(runs.map(NEW_RUN.toLine))
      await INSERT.run(sql, { app_id: appId, notification_id: notificationId, state: 'due', cursor: '{}', lines })
    },

    /**
     * Allows only one step of a notification at a time, until the commit: two concurrent walks would not see each
     * other's pages. An advisory lock, because deliveries would wait for a lock of the notification's row as well.
     * SQLite has only one writer.
     */
    async lockWalk(notificationId: number): Promise<void> {
      await lockUntilCommit(sql, WALK_LOCK, keyOf(notificationId))
    },

    async begin(runId: number, begunAt: number, within: Run['within']): Promise<void> {
      await sql('runs').where({ id: runId }).update(RUNS.toRow({ begunAt, within }))
    },

    /** Puts a due run off that has not begun. */
    async putOff(runId: number, { dueAt, within, expiresAt }: Pick<Run, 'dueAt' | 'within' | 'expiresAt'>) {
      await sql('runs').where({ id: runId }).update(RUNS.toRow({ dueAt, within, expiresAt }))
    },

    /** Tells whether the `rest` run is due before a due time of others (ms): their runs were closed. */
    async isRestBefore(notificationId: number, dueAt: number): Promise<boolean> {
      const row = await runsOf(notificationId).where({ kind: 'rest' }).where('due_at', '<', dueAt).first('id')
      return row !== undefined
    },

    /** The last due time, and the time at which the run that began last began. */
    async span(notificationId: number): Promise<{ lastDue: number; lastBegun: number | null }> {
      const row = await runsOf(notificationId)
        .whereNot({ kind: 'rest' })
        .max({ lastDue: 'due_at', lastBegun: 'begun_at' })
        .first()
      return row as unknown as { lastDue: number; lastBegun: number | null }
    },

    /**
     * State and cursor of every other run of the notification that has begun, as JSON text. As long as the text is the
     * same, no other run has stored a step.
     */
    async othersOf(runId: number, notificationId: number): Promise<string> {
      const rows = await runsOf(notificationId)
        .whereNot({ id: runId })
        .whereNotNull('begun_at')
        .orderBy('id')
        .select('id', 'state', 'cursor')
      return JSON.stringify(rows)
    },

    /** The notification's rate limit in recipients per second; null means none. */
    async rateOf(notificationId: number): Promise<number | null> {
      const row = await sql('notifications').where({ id: notificationId }).first('rate_limit')
      return row?.rate_limit ?? null
    },

    /** Number of recipients without a final outcome on the notification's pages. */
    async waiting(notificationId: number): Promise<number> {
      const columns = ['total', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved']
      const row: unknown = await sql('pages')
        .where({ notification_id: notificationId })
        .whereIn('state', ['queued', 'claimed'])
        // Those who wait for the end of quiet hours keep nobody waiting.
        .whereRaw('NOT held')
        .sum({ waiting: sql.raw(columns.join(' - ')) })
        .first()
      return (row as { waiting: number | null }).waiting ?? 0
    },

    /** Installs among `rows` that are on a page of the notification already. `rows` in any order. */
    async alreadyOnPages(appId: number, notificationId: number, rows: readonly number[]): Promise<Set<number>> {
      const found = new Set<number>()
      if (rows.length === 0) return found
      const wanted = new Set(rows)
      const pages: { id: number }[] = await sql('pages')
        .where({ notification_id: notificationId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('first_install', '<=', Math.max(...rows))
        .where('last_install', '>=', Math.min(...rows))
        .select('id')
      for (const some of chunks(pages, PAGES)) {
        const ids = some.map(({ id }) => id)
        const packed: { recipients: Buffer }[] = await sql('pages').whereIn('id', ids).select('recipients')
        const rowsOnPages = packed.flatMap(({ recipients }) => unpackRows(recipients))
        for (const row of rowsOnPages) if (wanted.has(row)) found.add(row)
      }
      return found
    },

    /** Closes the runs that are due later, and makes the `rest` run due now. Call it when all zones in use have been due. */
    async closeLaterRuns(notificationId: number, now: number): Promise<void> {
      await runsOf(notificationId)
        .where({ kind: 'send', state: 'due', begun_at: null })
        .where('due_at', '>', now)
        .update({ state: 'done' })
      await runsOf(notificationId)
        .where({ kind: 'rest', state: 'due' })
        .where('due_at', '>', now)
        .update({ due_at: now })
    },

    /** Tells whether the run of a linked push is open; if so, it is locked until the commit. */
    async lockLinked(notificationId: number): Promise<boolean> {
      const row = await runsOf(notificationId)
        .where({ kind: 'linked', state: 'due' })
        .modify((q) => {
          if (isPostgres(sql)) void q.forUpdate()
        })
        .first('id')
      return row !== undefined
    },

    /** Records that a walk of the message begins. `begunAt` is set for the last walk, else null; `dueAt` is the time of the next walk. */
    async beginLinked(notificationId: number, begunAt: number | null, dueAt: number): Promise<void> {
      await runsOf(notificationId).where({ kind: 'linked', state: 'due' }).update({ begun_at: begunAt, due_at: dueAt })
    },

    async closeLinked(notificationId: number): Promise<void> {
      await runsOf(notificationId).where({ kind: 'linked', state: 'due' }).update({ state: 'done' })
    },

    lockPlan,

    /**
     * Locks the due runs, in the order of their due times, in which a step closes later ones, so that no step can deadlock. Returns whether
     * a run other than the `rest` run has not begun. Whoever calls it for the same notification waits for the commit, and then finds the
     * runs that an edit has made: a statement that waited for the rows would miss them.
     */
    async lockDue(notificationId: number): Promise<boolean> {
      await lockPlan(notificationId)
      const rows: Pick<Row<typeof RUNS>, 'kind' | 'begun_at'>[] = await runsOf(notificationId)
        .where({ state: 'due' })
        .orderBy(['due_at', 'id'])
        .modify((q) => {
          if (isPostgres(sql)) void q.forUpdate()
        })
        .select('kind', 'begun_at')
      return rows.some(({ kind, begun_at: begunAt }) => kind !== 'rest' && begunAt === null)
    },

    /**
     * The first run of a notification by which somebody was decided on, or is to be at `now`: one that found recipients, that is under
     * way, or that is due where installs were when it was planned. Undefined: everything is still to come. Runs for time zones
     * in which nobody is come and go without effect. Its due runs must be locked.
     */
    async firstBegun(notificationId: number, now: number): Promise<Pick<Run, 'kind' | 'dueAt'> | undefined> {
      const rows = await runsOf(notificationId)
        .where((q) => q.whereNotNull('begun_at').orWhere('due_at', '<=', now))
        .orderBy(['due_at', 'id'])
        .select(...BEGUN.names)
      const runs = rows.map(BEGUN.fromRow)
      const isPopulated = ({ within }: (typeof runs)[number]) => within?.places.length !== 0
      const open = runs.find((run) => run.state === 'due' && (run.begunAt !== null || isPopulated(run)))
      if (open) return open
      const page = await sql('pages').where({ notification_id: notificationId }).first('id')
      return page && (runs.find(isPopulated) ?? runs[0])
    },

    /** Deletes the runs of a notification of which nothing has begun; those that are due must be locked. */
    async deleteAll(appId: number, notificationId: number): Promise<void> {
      await sql('runs')
        .where({ notification_id: notificationId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .delete()
    },

    async cancelDue(notificationId: number): Promise<void> {
      await runsOf(notificationId).where({ state: 'due' }).update({ state: 'cancelled' })
    },

    /**
     * Plans the one run of a schedule in a time zone for another time, unless it has begun, and with it the expiry of
     * its recipients and of the notification. Its due runs must be locked. Returns whether it did.
     */
    async moveDue(appId: number, notificationId: number, dueAt: number): Promise<boolean> {
      const run: { id: number; due_at: number; moved_from: number | null } | undefined = await runsOf(notificationId)
        .where({ kind: 'send', state: 'due', begun_at: null })
        .first('id', 'due_at', 'moved_from')
      if (!run || run.due_at === dueAt) return false
      const by = dueAt - run.due_at
      await sql('runs')
        .where({ id: run.id })
        .update({
          due_at: dueAt,
          expires_at: sql.raw('expires_at + ?', [by]),
          moved_from: run.moved_from ?? run.due_at,
        })
      await sql('notifications')
        .where({ id: notificationId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .update({ expires_at: sql.raw('expires_at + ?', [by]), due_at: dueAt })
      return true
    },

    /** Cancels every open notification of an app. */
    async cancelOpen(appId: number, reason: string, now: number): Promise<void> {
      // Through the partial index of open notifications, which are few.
      const open = () => sql('notifications').whereRaw(`${isOpenSql()} AND ${unindexed('app_id')} = ?`, [appId])
      const due = () => sql('runs').where({ state: 'due' }).whereIn('notification_id', open().select('id'))
      // Runs before notifications, and those of one in the order in which steps lock them. Who was waited for may have inserted others: a
      // statement that waited does not find them, and the next one does.
      do {
        if (isPostgres(sql)) await due().orderBy(['notification_id', 'due_at', 'id']).forUpdate().select('id')
      } while ((await due().update({ state: 'cancelled' })) > 0)
      await open().update({ status: STATUS.cancelled, status_reason: reason, updated_at: now })
    },

    /** Tells whether a request of the notification may still be in flight. */
    async isAnyBegun(notificationId: number): Promise<boolean> {
      const pages: { outcomes: Buffer }[] = await sql('pages')
        .where({ notification_id: notificationId, state: 'claimed' })
        .select('outcomes')
      return pages.some(({ outcomes }) => outcomes.includes(SLOT.begun))
    },

    /** The due times of a notification in order; without `all`, only those of zones that have installs. */
    async instants(notificationId: number, { all = false } = {}): Promise<DueInstant[]> {
      const rows = await INSTANTS.all(sql, { notificationId })
      const instants = all ? rows.flatMap(toInstants).sort((a, b) => a.at - b.at) : rows.map(toInstant)
      return instants.filter(({ zones }) => all || zones === null || zones.length > 0)
    },

    /** Scheduled notifications of an app that are not finished, by their next due time: of zones that have installs, if any has. */
    async upcoming(appId: number, limit: number): Promise<{ id: number; nextAt: number; status: Status }[]> {
      const rows: { id: number; next_at: number; status: Status }[] = await sql('notifications')
        .join('runs', 'runs.notification_id', 'notifications.id')
        .where({ 'runs.state': 'due' })
        .whereNotNull('notifications.schedule')
        // Through the partial index of open notifications, which are few.
        .whereRaw(`${isOpenSql('notifications.status')} AND ${unindexed('notifications.app_id')} = ?`, [appId])
        .groupBy('notifications.id', 'notifications.status')
        .orderBy(['next_at', 'notifications.id'])
        .limit(limit)
        .select('notifications.id', 'notifications.status', sql.raw(`${NEXT_DUE} AS next_at`))
      return rows.map((row) => ({ id: row.id, nextAt: row.next_at, status: row.status }))
    },
  }
}

/** The earliest due time among runs that have a place; of all of them, when none has. */
const NEXT_DUE = `COALESCE(MIN(CASE WHEN runs.within LIKE '{"places":[]%' THEN NULL ELSE runs.due_at END), MIN(runs.due_at))`

/** Locks of `lockUntilCommit`, by notification. */
const WALK_LOCK = 7_310_009
const PLAN_LOCK = 7_310_010

/** The due time of a run, and the later ones that it stands for until it begins. */
function toInstants(row: Row<typeof INSTANT>): DueInstant[] {
  const { state, begunAt, within } = INSTANT.fromRow(row)
  const first = toInstant(row)
  const later = state === 'due' && begunAt === null ? (within?.later ?? []) : []
  return [first, ...later.map((at) => ({ ...first, at }))]
}

function toInstant(row: Row<typeof INSTANT>): DueInstant {
  const { dueAt: at, kind, state, begunAt, within, movedFrom } = INSTANT.fromRow(row)
  const zones = within && [...new Set(within.places.map(({ zone }) => zone))]
  return { at, kind, zones, state: state === 'due' && begunAt !== null ? 'sending' : state, movedFrom }
}
