import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Audience } from '../audience/resolve.ts'
import type { Target } from '../audience/types.ts'
import type { GatewaysService } from '../gateways/service.ts'
import type { Ledger, Run } from './ledger.repository.ts'
import { SLOT } from './page.ts'
import { placementOf } from './plan.ts'
import type { RunsRepository } from './runs.repository.ts'
import type { Schedule } from './schedule.ts'
import { type Counts, STATUS } from './types.ts'

export type Dispatch = ReturnType<typeof dispatchOf>

/** Fan-out: a due run becomes pages of recipients, one step a transaction. */
export function dispatchOf(parts: {
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
    const from = [STATUS.scheduled, STATUS.queued, STATUS.sending]
    if (counts.accepted > 0) await ledger.setStatus(notificationId, from, STATUS.sent, null, now)
    else {
      const reason = await describeNobody(appId, notificationId, counts)
      await ledger.setStatus(notificationId, from, STATUS.failed, reason, now)
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

  /** The first step of a run: who belongs to it is decided now, by where everybody is. */
  async function begin(run: Run, message: Message, now: number): Promise<Run> {
    const begun = { ...run, begunAt: now }
    if (run.kind === 'rest') begun.begunAt = (await runs.span(run.notificationId)).lastBegun ?? now
    else if (run.within && message.schedule) {
      const zones = await audience.zones(run.appId, message.target)
      const { places, isLast } = placementOf(run, message.schedule, zones, message.createdAt, config.timezone)
      begun.within = { ...run.within, places: places ?? [], ...(isLast && { isLast }) }
    }
    await runs.begin(run.id, begun.begunAt, begun.within)
    return begun
  }

  /** Somebody may have moved to where the time is yet to come while the run was walked. */
  async function isStillLast(run: Run, { schedule, target, createdAt }: Message): Promise<boolean> {
    if (!schedule) return true
    const zones = await audience.zones(run.appId, target)
    return placementOf(run, schedule, zones, createdAt, config.timezone).isLast
  }

  /** What the recipients of a run end as without being sent to; undefined when they are sent to. */
  function fateOf({ kind, dueAt, begunAt }: Run): number | undefined {
    if (kind === 'skip') return SLOT.past_time
    // The rest is as late as the run before it, which stands in its `begunAt`.
    if (kind !== 'now' && begunAt! - dueAt > maxLatenessMs) return SLOT.missed
    return undefined
  }

  return {
    finishIfDone,

    /**
     * Takes one run a step further, in the caller's transaction: its next pages, its cursor. Returns true when more is to
     * come. A kill between two steps loses and repeats nobody, because cursor and pages are committed together.
     */
    async step(runId: number): Promise<boolean> {
      const found = await ledger.lockRun(runId)
      if (!found) return false
      const { appId, notificationId } = found
      const now = clock.now()
      const message = await ledger.message(notificationId)
      if (!message || message.status === STATUS.cancelled) {
        await ledger.moveCursor(found.id, found.cursor, true)
        return false
      }
      if (found.within) await runs.lockWalk(notificationId)
      const run = found.begunAt === null ? await begin(found, message, now) : found
      const { within } = run
      const fate = fateOf(run)
      const isEmpty = within !== null && !within.changedOnly && within.places.length === 0
      if (run.kind !== 'skip' && !isEmpty) {
        await ledger.setStatus(notificationId, [STATUS.scheduled, STATUS.queued], STATUS.sending, null, now)
      }
      const { steps, cursor, done } = isEmpty
        ? { steps: [], cursor: run.cursor, done: true }
        : await audience.step(appId, message.target, run.cursor, pageSize, within ?? undefined)
      for (const { platform, rows: all, moved = [] } of steps) {
        const met = await runs.met(appId, notificationId, moved)
        const rows = met.size === 0 ? all : all.filter((row) => !met.has(row))
        if (rows.length === 0) continue
        const page = { appId, notificationId, notBefore: now, expiresAt: run.expiresAt }
        const credential = platform && (await gateways.find(appId, platform))
        const way =
          fate !== undefined
            ? { slot: fate }
            : platform === undefined
              ? { slot: SLOT.skipped }
              : credential?.sendable
                ? { laneId: (await gateways.lanes.ensure(appId, platform, now)).id }
                : { slot: SLOT.no_gateway }
        for (let from = 0; from < rows.length; from += pageSize) {
          await ledger.insertPage({ ...page, ...way, rows: rows.slice(from, from + pageSize) }, now)
        }
      }
      await ledger.moveCursor(run.id, cursor, done)
      if (done) {
        // Once everybody there is had their instant, nothing is gained by waiting for the others.
        if (within?.isLast && (await isStillLast(run, message))) await runs.closeEmpty(notificationId, now)
        await finishIfDone(appId, notificationId)
      }
      return !done
    },
  }
}

/** What is read of a notification here. */
interface Message {
  target: Target
  schedule: Schedule | null
  createdAt: number
}
