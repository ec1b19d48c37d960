import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../../platform/config/settings.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Target } from '../../audience/types.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import { mayNeedFences } from '../../audience/walk/narrow.ts'
import type { DueStep, Stepped } from '../../audience/walk/step.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import { OWN_EVENTS } from '../../events/event-types.ts'
import type { EventsService, OwnEvent } from '../../events/service.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import { mostLateness, type Schedule } from '../../schedules/schedule.ts'
import type { Ledger, Run } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import type { NewPage } from '../record/page-rows.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import { TURN_MS } from '../record/verdict.ts'
import { type Counts, OPEN, STATUS } from '../types.ts'
import { createGathering, type ReadyPage } from './gather.ts'
import { placementOf } from './plan.ts'
import { createShared, isShared, type SharedStep } from './shared-run.ts'
import { stagger } from './stagger.ts'
import { destinationOf, wayTo } from './ways.ts'

export type FanOut = ReturnType<typeof createFanOut>

/** A run before its next step. */
interface Opened extends DueStep {
  /** The run as it is in the table. */
  run: Run
  message: Message
}

/** The next step of a run as it was read; stored unless another process stores it first. */
export interface Ready {
  /** The run as it was when opened. */
  seen: Run
  /** The same run, begun. */
  run: Begun
  isFirst: boolean
  pages: ReadyPage[]
  cursor: Cursor
  done: boolean
  /** No zone in use has a later due time: later runs are closed. */
  isLast: boolean
  /** Recipients of `pages` that another run of the notification may have reached since they were read. */
  moved: Set<number>
  /** The value of `othersOf` when that was checked; null when the run is for everybody. */
  others: string | null
  perSecond: number | null
  /** Each recipient is tried once. */
  oneTry: boolean
}

type Begun = Run & { begunAt: number }

/** Pages per step: the transaction that stores them must be short. */
const PAGES_AT_ONCE = 8
/** A step that finds few recipients is stored after this time (ms), because other runs are waiting. */
const READING_MS = 50

/**
 * Fan-out: turns a due run into pages of recipients, step by step. A step is read outside of any transaction and stored
 * in a short one that first checks that the run has not changed (docs/decisions/0009-fan-out-reads-first.md). `stepRun`
 * does both.
 */
export function createFanOut(parts: {
  ledger: Ledger
  runs: RunsRepository
  audience: Audience
  gateways: GatewaysService
  /** Writes into the event log. */
  record: EventsService['recordAll']
  config: Config
  clock: Clock
}) {
  const { ledger, runs, audience, gateways, record, config, clock } = parts
  const pageSize = config['delivery.pageSize']
  const maxLatenessMs = mostLateness(config['schedule.maxLateness'])

  /**
   * Sets the final status of those of an app's notifications (at least one) of which all runs and pages are finished. Can be called
   * at any time.
   */
  async function finish(appId: number, notificationIds: readonly number[]): Promise<void> {
    const over = await ledger.over(notificationIds)
    if (over.length === 0) return
    const countsOf = await ledger.countsOf(appId, over)
    const now = clock.now()
    const isSent = (id: number) => countsOf.get(id)!.accepted > 0
    const sent = await ledger.setStatuses(over.filter(isSent), STATUS.sent, now)
    const ended: OwnEvent[] = []
    const note = (type: string, notificationId: number, reason: string | null) =>
      void ended.push({ type, data: { notificationId, reason, counts: countsOf.get(notificationId)! } })
    for (const id of over) {
      if (sent.has(id)) note(OWN_EVENTS.notificationSent, id, null)
      if (isSent(id)) continue
      const reason = await describeNobody(appId, id, countsOf.get(id)!)
      if (await ledger.setStatus(id, OPEN, STATUS.failed, reason, now)) note(OWN_EVENTS.notificationFailed, id, reason)
    }
    if (ended.length > 0) await record(appId, ended)
  }

  async function describeNobody(appId: number, notificationId: number, counts: Counts): Promise<string> {
    const { past_time: past = 0, missed = 0 } = await ledger.reasons(appId, notificationId)
    if (past > 0 && past === counts.audience) return 'the scheduled time had passed everywhere (pastTimes is ignore)'
    if (missed > 0 && past + missed === counts.audience) {
      return 'missed: nobody could send when it was due (setting schedule.maxLateness)'
    }
    return counts.audience === 0 ? 'nobody is subscribed' : 'nobody could be reached'
  }

  /** The run as it begins. Its first step decides on the installs, from the time zones that have installs then. */
  async function begun(run: Run, message: Message, now: number): Promise<Begun> {
    if (run.begunAt !== null) return run as Begun
    const begun = { ...run, begunAt: now }
    if (run.kind === 'rest') begun.begunAt = (await runs.span(run.notificationId)).lastBegun ?? now
    else if (run.within && message.schedule) {
      const zones = await audience.zones(run.appId, message.target)
      const { places, isLast } = placementOf(run, message.schedule, zones, message.plannedAt, config.timezone)
      begun.within = { ...run.within, places: places ?? [], ...(isLast && { isLast }) }
    }
    return begun
  }

  /** Tells whether no later due time is left: an install may have moved to a zone with one while the run was walked. */
  async function isStillLast(run: Run, { schedule, target, plannedAt }: Message): Promise<boolean> {
    if (!schedule) return true
    const zones = await audience.zones(run.appId, target)
    return placementOf(run, schedule, zones, plannedAt, config.timezone).isLast
  }

  /** The outcome of a run's recipients when they are not sent to; undefined when they are. */
  function outcomeOf({ kind, dueAt, begunAt }: Begun, oneTry: boolean): number | undefined {
    if (kind === 'skip') return SLOT.past_time
    if (oneTry && begunAt - dueAt > TURN_MS) return SLOT.expired
    // A `rest` run has the `begunAt` of the run before it, and is as late as that one.
    if (kind !== 'now' && begunAt - dueAt > maxLatenessMs) return SLOT.missed
    return undefined
  }

  /**
   * The next recipients by platform: enough for some pages. The first step stops at the first it finds, so that sending
   * begins.
   */
  async function walk(run: Begun, target: Target, isFirst: boolean) {
    const gathering = createGathering()
    const until = clock.monotonic() + READING_MS
    let { cursor } = run
    for (;;) {
      const step = await audience.step(run.appId, target, cursor, pageSize, run.within ?? undefined)
      gathering.add(step.steps)
      const { done } = step
      cursor = step.cursor
      const { count } = gathering
      if (done || (isFirst && count > 0) || count >= PAGES_AT_ONCE * pageSize || clock.monotonic() >= until) {
        return { gathering, cursor, done }
      }
    }
  }

  /** The rows of the page table, in the order in which they are sent. */
  async function pagesOf({ run, pages, perSecond, oneTry }: Ready, now: number): Promise<NewPage[]> {
    const { appId, notificationId } = run
    const expiresAt = oneTry ? now + TURN_MS : run.expiresAt
    const made: NewPage[] = []
    for (const { rows, byUser = false, ...way } of pages) {
      const destination = await destinationOf(gateways, appId, way, now)
      made.push({ appId, notificationId, expiresAt, rows, byUser, notBefore: now, ...destination })
    }
    const sent = made.filter(({ laneId }) => laneId !== undefined)
    if (perSecond === null || sent.length === 0) return made
    const sizes = sent.map(({ rows }) => rows.length)
    const times = stagger(sizes, await runs.waiting(notificationId), perSecond, now)
    for (const [i, page] of sent.entries()) {
      page.notBefore = times[i]!
      // At this rate the last one of the page has its turn so much later.
      if (oneTry) page.expiresAt = page.notBefore + Math.ceil((sizes[i]! * 1000) / perSecond) + TURN_MS
    }
    return made
  }

  const shared = createShared({ ledger, runs, audience, finish, config, clock })

  return {
    finish,

    /**
     * Ends a notification of which a due run cannot be read, in the caller's transaction: no run of it begins any more,
     * and `reason` says why. Recipients that are on pages already are still sent to.
     */
    async giveUp(runId: number, reason: string): Promise<void> {
      const owner = await ledger.ownerOf(runId)
      if (!owner) return
      const { appId, notificationId } = owner
      await runs.lockDue(notificationId)
      await runs.cancelDue(notificationId)
      if (!(await ledger.setStatus(notificationId, OPEN, STATUS.failed, reason, clock.now()))) return
      const counts = await ledger.counts(appId, notificationId)
      await record(appId, [{ type: OWN_EVENTS.notificationFailed, data: { notificationId, reason, counts } }])
    },

    /** Reads a due run; undefined when it is finished. */
    async open(runId: number): Promise<Opened | undefined> {
      const run = await ledger.dueRun(runId)
      const message: Message | undefined = run && (await ledger.walked(run.appId, run.notificationId))
      if (!run || !message) return undefined
      const beginsWithFences = run.begunAt === null && mayNeedFences(message.target)
      return { appId: run.appId, run, message, beginsWithFences }
    },

    /** Reads the next step of a run, which may take long. Use a handle that is in no transaction. */
    async read({ run: seen, message }: Opened): Promise<Ready | SharedStep> {
      const { schedule } = message
      if (schedule && isShared(seen)) return shared.read(seen, { ...message, schedule })
      const { notificationId, begunAt } = seen
      const run = await begun(seen, message, clock.now())
      const { within } = run
      const isEmpty = within !== null && !within.changedOnly && within.places.length === 0
      const isFirst = begunAt === null
      const others = within && (await runs.othersOf(run.id, notificationId))
      const { gathering, cursor, done } = isEmpty
        ? { gathering: createGathering(), cursor: run.cursor, done: true }
        : await walk(run, message.target, isFirst)
      const moved = gathering.moved()
      const reached = await runs.alreadyOnPages(run.appId, notificationId, [...moved])
      const outcome = outcomeOf(run, message.oneTry)
      const isUnion = message.target.kind === 'filter' && message.target.also !== undefined
      // A walk through time zones, through users or a union finds installs in no order, and one that moves meanwhile twice.
      const pages = await gathering.pages(reached, !within && !isUnion, pageSize, (platform) =>
        outcome === undefined ? wayTo(gateways, run.appId, platform) : Promise.resolve({ slot: outcome }),
      )
      const isLast = done && within?.isLast === true && (await isStillLast(run, message))
      const perSecond = await runs.rateOf(notificationId)
      const { oneTry } = message
      const left = moved.difference(reached)
      return { seen, run, isFirst, pages, cursor, done, isLast, moved: left, others, perSecond, oneTry }
    },

    /**
     * Stores a step in the caller's transaction: its pages and the run's cursor together, so that a crash at any time
     * neither loses nor repeats anybody. Stores nothing when the run has changed since it was opened.
     */
    async store(ready: Ready | SharedStep): Promise<Stepped> {
      if ('shared' in ready) return shared.store(ready)
      const { seen, run, isFirst, cursor, done, moved, others } = ready
      const { appId, notificationId } = run
      const found = await ledger.lockRun(run.id)
      if (!found || !isSame(found, seen)) return 'lost'
      const now = clock.now()
      if (run.within) await runs.lockWalk(notificationId)
      if (isFirst) {
        await runs.begin(run.id, run.begunAt, run.within)
        const isEmpty = done && ready.pages.length === 0 && run.within !== null
        if (run.kind !== 'skip' && !isEmpty) {
          await ledger.setStatus(notificationId, [STATUS.scheduled, STATUS.queued], STATUS.sending, null, now)
        }
      }
      // Another run of the notification may have reached them since they were read.
      const isStale = moved.size > 0 && (await runs.othersOf(run.id, notificationId)) !== others
      const reached = isStale ? await runs.alreadyOnPages(appId, notificationId, [...moved]) : new Set<number>()
      const pages = ready.pages
        .map((page) => (reached.size === 0 ? page : { ...page, rows: page.rows.filter((row) => !reached.has(row)) }))
        .filter(({ rows }) => rows.length > 0)
      await ledger.insertPages(await pagesOf({ ...ready, pages }, now), now)
      await ledger.moveCursor(run.id, cursor, done)
      if (!done) return 'more'
      if (ready.isLast) await runs.closeLaterRuns(notificationId, now)
      await ledger.statusOf(notificationId, true)
      await finish(appId, [notificationId])
      return 'done'
    },
  }
}

function isSame(one: Run, other: Run): boolean {
  return one.begunAt === other.begunAt && isDeepStrictEqual(one.cursor, other.cursor)
}

/** The part of a notification that its fan-out reads. */
interface Message {
  target: Target
  schedule: Schedule | null
  plannedAt: number
  oneTry: boolean
}
