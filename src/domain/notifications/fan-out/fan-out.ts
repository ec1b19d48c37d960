import { isDeepStrictEqual } from 'node:util'
import { chunks } from '../../../platform/chunks.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config.ts'
import type { Audience } from '../../audience/install-walk.ts'
import { mayNeedFences } from '../../audience/narrow.ts'
import type { DueStep, Stepped } from '../../audience/step.ts'
import { ascending } from '../../audience/target.ts'
import type { Target } from '../../audience/types.ts'
import type { Cursor } from '../../audience/walk.ts'
import type { Platform } from '../../gateways/gateway.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { placementOf, stagger } from '../accept/plan.ts'
import type { Ledger, NewPage, Run } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import { type Counts, OPEN, STATUS } from '../types.ts'
import type { RunsRepository } from './runs.repository.ts'
import { destinationOf, type Way, wayTo } from './ways.ts'

export type FanOut = ReturnType<typeof createFanOut>

/** A run before its next step. */
interface Opened extends DueStep {
  /** As it stands in the table. */
  run: Run
  message: Message
}

/** The next step of a run as it was read: what is stored if nobody was faster. */
export interface Ready {
  /** The run as it stood. */
  seen: Run
  /** The same as it will be: begun. */
  run: Begun
  isFirst: boolean
  pages: ReadyPage[]
  cursor: Cursor
  done: boolean
  /** Everybody there is had their instant: later ones are off. */
  isLast: boolean
  /** Recipients of `pages` whom another run of the notification may have met, and how far these runs were when that was looked up. */
  moved: Set<number>
  others: string | null
  perSecond: number | null
}

/** Recipients of one page, ascending, and where they go: to a gateway, or to an end at once. */
type ReadyPage = { rows: number[] } & Way

type Begun = Run & { begunAt: number }

/** Pages of one step: their transaction must be short. */
const PAGES_AT_ONCE = 8
/** A step that finds few recipients is stored after so long: others wait for their step, and these for being sent to. */
const READING_MS = 50

/**
 * Fan-out: a due run becomes pages of recipients, step by step. A step is read without a transaction and stored in a short
 * one that first makes sure that the run is where it was (decisions 9). `stepRun` does both.
 */
export function createFanOut(parts: {
  ledger: Ledger
  runs: RunsRepository
  audience: Audience
  gateways: GatewaysService
  config: Config
  clock: Clock
}) {
  const { ledger, runs, audience, gateways, config, clock } = parts
  const pageSize = config['delivery.pageSize']
  const maxLatenessMs = config['schedule.maxLateness'] * 1000

  /** Closes a notification when nothing of it is left to do. Safe to call at any time. */
  async function finishIfDone(appId: number, notificationId: number): Promise<void> {
    if (await ledger.isOpen(notificationId)) return
    const counts = await ledger.counts(appId, notificationId)
    const now = clock.now()
    if (counts.accepted > 0) await ledger.setStatus(notificationId, OPEN, STATUS.sent, null, now)
    else {
      const reason = await describeNobody(appId, notificationId, counts)
      await ledger.setStatus(notificationId, OPEN, STATUS.failed, reason, now)
    }
  }

  async function describeNobody(appId: number, notificationId: number, counts: Counts): Promise<string> {
    const { past_time: past = 0, missed = 0 } = await ledger.reasons(appId, notificationId)
    if (past > 0 && past === counts.audience) return 'the scheduled time had passed everywhere (pastTimes is ignore)'
    if (missed > 0 && past + missed === counts.audience) {
      return 'missed: nobody could send when it was due (setting schedule.maxLateness)'
    }
    return counts.audience === 0 ? 'nobody is subscribed' : 'nobody could be reached'
  }

  /** Who belongs to a run is decided at its first step, by where everybody is then. */
  async function begun(run: Run, message: Message, now: number): Promise<Begun> {
    if (run.begunAt !== null) return run as Begun
    const begun = { ...run, begunAt: now }
    if (run.kind === 'rest') begun.begunAt = (await runs.span(run.notificationId)).lastBegun ?? now
    else if (run.within && message.schedule) {
      const zones = await audience.zones(run.appId, message.target)
      const { places, isLast } = placementOf(run, message.schedule, zones, message.createdAt, config.timezone)
      begun.within = { ...run.within, places: places ?? [], ...(isLast && { isLast }) }
    }
    return begun
  }

  /** Somebody may have moved to where the time is yet to come while the run was walked. */
  async function isStillLast(run: Run, { schedule, target, createdAt }: Message): Promise<boolean> {
    if (!schedule) return true
    const zones = await audience.zones(run.appId, target)
    return placementOf(run, schedule, zones, createdAt, config.timezone).isLast
  }

  /** What the recipients of a run end as without being sent to; undefined when they are sent to. */
  function fateOf({ kind, dueAt, begunAt }: Begun): number | undefined {
    if (kind === 'skip') return SLOT.past_time
    // The rest is as late as the run before it, which stands in its `begunAt`.
    if (kind !== 'now' && begunAt - dueAt > maxLatenessMs) return SLOT.missed
    return undefined
  }

  /** The next recipients by platform: enough for some pages, at the first step those who are found at once. */
  async function walk(run: Begun, target: Target, isFirst: boolean) {
    const found = new Map<Platform | undefined, number[]>()
    const moved: number[] = []
    const until = clock.monotonic() + READING_MS
    let { cursor } = run
    let count = 0
    for (;;) {
      const step = await audience.step(run.appId, target, cursor, pageSize, run.within ?? undefined)
      for (const { platform, rows, moved: changed = [] } of step.steps) {
        const before = found.get(platform)
        found.set(platform, before ? before.concat(rows) : rows)
        moved.push(...changed)
        count += rows.length
      }
      const { done } = step
      cursor = step.cursor
      if (done || (isFirst && count > 0) || count >= PAGES_AT_ONCE * pageSize || clock.monotonic() >= until) {
        return { found, moved: new Set(moved), cursor, done }
      }
    }
  }

  /** What the page table gets, in the order in which it is sent. */
  async function pagesOf({ run, pages, perSecond }: Ready, now: number): Promise<NewPage[]> {
    const { appId, notificationId, expiresAt } = run
    const made: NewPage[] = []
    for (const { rows, ...way } of pages) {
      const destination = await destinationOf(gateways, appId, way, now)
      made.push({ appId, notificationId, expiresAt, rows, notBefore: now, ...destination })
    }
    const sent = made.filter(({ laneId }) => laneId !== undefined)
    if (perSecond === null || sent.length === 0) return made
    const sizes = sent.map(({ rows }) => rows.length)
    const times = stagger(sizes, await runs.waiting(notificationId), perSecond, now)
    for (const [i, page] of sent.entries()) page.notBefore = times[i]!
    return made
  }

  return {
    finishIfDone,

    /** Looks at a due run; undefined when it is through. */
    async open(runId: number): Promise<Opened | undefined> {
      const run = await ledger.dueRun(runId)
      const message: Message | undefined = run && (await ledger.message(run.notificationId))
      if (!run || !message) return undefined
      const beginsWithFences = run.begunAt === null && mayNeedFences(message.target)
      return { appId: run.appId, run, message, beginsWithFences }
    },

    /** Reads the next step of a run, at any length: for a handle that is in no transaction. */
    async read({ run: seen, message }: Opened): Promise<Ready> {
      const { notificationId, begunAt } = seen
      const run = await begun(seen, message, clock.now())
      const { within } = run
      const isEmpty = within !== null && !within.changedOnly && within.places.length === 0
      const isFirst = begunAt === null
      const others = within && (await runs.othersOf(run.id, notificationId))
      const { found, moved, cursor, done } = isEmpty
        ? { found: new Map<Platform | undefined, number[]>(), moved: new Set<number>(), cursor: run.cursor, done: true }
        : await walk(run, message.target, isFirst)
      const met = await runs.met(run.appId, notificationId, [...moved])
      const pages: ReadyPage[] = []
      const fate = fateOf(run)
      for (const [platform, all] of found) {
        // Zone by zone they come in no order, and one that moves meanwhile comes twice.
        const rows = within ? ascending(new Set(all).difference(met)) : all
        const way = fate === undefined ? await wayTo(gateways, run.appId, platform) : { slot: fate }
        for (const some of chunks(rows, pageSize)) pages.push({ ...way, rows: some })
      }
      const isLast = done && within?.isLast === true && (await isStillLast(run, message))
      const perSecond = await runs.rateOf(notificationId)
      return { seen, run, isFirst, pages, cursor, done, isLast, moved: moved.difference(met), others, perSecond }
    },

    /**
     * Stores a step in the caller's transaction: its pages and the run's cursor together, so that a kill at any time loses and
     * repeats nobody. Stores nothing when the run is not where it was.
     */
    async store(ready: Ready): Promise<Stepped> {
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
      // Another run of the notification may have met them since they were read.
      const isStale = moved.size > 0 && (await runs.othersOf(run.id, notificationId)) !== others
      const met = isStale ? await runs.met(appId, notificationId, [...moved]) : new Set<number>()
      const pages = ready.pages
        .map((page) => (met.size === 0 ? page : { ...page, rows: page.rows.filter((row) => !met.has(row)) }))
        .filter(({ rows }) => rows.length > 0)
      await ledger.insertPages(await pagesOf({ ...ready, pages }, now), now)
      await ledger.moveCursor(run.id, cursor, done)
      if (!done) return 'more'
      if (ready.isLast) await runs.closeEmpty(notificationId, now)
      await ledger.statusOf(notificationId, true)
      await finishIfDone(appId, notificationId)
      return 'done'
    },
  }
}

function isSame(one: Run, other: Run): boolean {
  return one.begunAt === other.begunAt && isDeepStrictEqual(one.cursor, other.cursor)
}

/** What is read of a notification here. */
interface Message {
  target: Target
  schedule: Schedule | null
  createdAt: number
}
