import type { Config } from '../../../platform/config/settings.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Target } from '../../audience/types.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { Stepped } from '../../audience/walk/step.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import type { Ledger, Run } from '../record/ledger.repository.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import { placementOf } from './plan.ts'

/** A run that stands for later due times as well, none of which has begun. */
type SharedRun = Run & { begunAt: null; within: NonNullable<Run['within']> & { later: readonly number[] } }

/** The due time of a shared run, as it was read. */
export interface SharedStep {
  shared: SharedRun
  /** Installs have come to a zone that is due then. */
  isPopulated: boolean
  /** No zone in use is due later. */
  isLast: boolean
}

/** Tells whether a run stands for later due times as well. */
export const isShared = (run: Run): run is SharedRun => run.begunAt === null && run.within?.later !== undefined

/**
 * Due times at which nobody was when they were planned. One run stands for all of them (docs/decisions/0138-due-times-of-nobody-share-a-run.md): as
 * each one comes, it gets a run of its own if somebody is there by then, and the shared run is put off to the next one.
 */
export function createShared(parts: {
  ledger: Pick<Ledger, 'lockRun' | 'moveCursor' | 'statusOf'>
  runs: Pick<
    RunsRepository,
    'insert' | 'begin' | 'putOff' | 'lockPlan' | 'lockWalk' | 'closeLaterRuns' | 'isRestBefore'
  >
  audience: Pick<Audience, 'zones'>
  finish(appId: number, notificationIds: readonly number[]): Promise<void>
  config: Pick<Config, 'timezone'>
  clock: Clock
}) {
  const { ledger, runs, audience, finish, config, clock } = parts

  return {
    async read(
      shared: SharedRun,
      { target, schedule, plannedAt }: { target: Target; schedule: Schedule; plannedAt: number },
    ): Promise<SharedStep> {
      const zones = await audience.zones(shared.appId, target)
      const { places, isLast } = placementOf(shared, schedule, zones, plannedAt, config.timezone)
      return { shared, isPopulated: places?.length !== 0, isLast }
    },

    /** Stores the step in the caller's transaction, unless the run has changed since it was read. */
    async store({ shared, isPopulated, isLast }: SharedStep): Promise<Stepped> {
      const { id, appId, notificationId, kind, dueAt, expiresAt } = shared
      // Whoever edits or cancels the send must find the run that is inserted.
      if (isPopulated) await runs.lockPlan(notificationId)
      const found = await ledger.lockRun(id)
      if (!found || found.begunAt !== null || found.dueAt !== dueAt) return 'lost'
      const now = clock.now()
      await runs.lockWalk(notificationId)
      const { later, ...within } = shared.within
      if (isPopulated) await runs.insert(appId, notificationId, [{ kind, dueAt, within, expiresAt }])
      const next = later[0]!
      const isOver = !isPopulated && (isLast || (await runs.isRestBefore(notificationId, next)))
      if (!isOver) {
        const further = later.slice(1)
        await runs.putOff(id, {
          dueAt: next,
          within: further.length > 0 ? { ...within, later: further } : within,
          expiresAt: expiresAt && expiresAt + next - dueAt,
        })
        return next <= now ? 'more' : 'done'
      }
      await runs.begin(id, now, within)
      await ledger.moveCursor(id, found.cursor, true)
      if (isLast) await runs.closeLaterRuns(notificationId, now)
      await ledger.statusOf(notificationId, true)
      await finish(appId, [notificationId])
      return 'done'
    },
  }
}
