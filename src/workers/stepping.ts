import type { Areas } from '../app.ts'
import type { StepParts, Stepped } from '../domain/audience/step.ts'
import { countInto, countingSettled } from '../domain/notifications/deliver/delivery-parts.ts'
import { isTimeUncertain } from '../platform/clock.ts'
import { type Failpoint, failpoint } from '../platform/failpoints.ts'
import { complain, type JobContext } from './job.ts'

/** Work that goes through an audience step by step: runs of notifications, in-app messages. */
export interface Stepping {
  /** For the log: the field with the id, and the name for people. */
  field: string
  name: string
  /** Ids of what is due (`now` in ms), at most `limit`. While `held`, without scheduled work that has not begun. */
  due(now: number, limit: number, held: boolean): Promise<number[]>
  /** When the next one is due (ms). */
  nextAt(): Promise<number | undefined>
  step(parts: StepParts<Areas>, id: number): Promise<Stepped>
  /** Reached when a step is committed. */
  stored: Failpoint
}

/** How many are processed side by side. They take steps in turn, so that a large one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** Interval of looking without being woken: another node or the command line may have stored work without a signal. */
const LOOK_MS = 500
/** Pause when other processes are taking all the due steps. */
const LOST_MS = 100

/**
 * Processes what is due, step by step, until the signal aborts. Scheduled work does not begin while the clock is in doubt, unless the
 * database knows the time.
 */
export async function takeSteps(context: JobContext, stepping: Stepping): Promise<void> {
  const { app, signal, wake, tick } = context
  const { clock, log, outcomes, disk, db } = app.kernel
  const { field, name, stored } = stepping
  const parts = { read: app, inTransaction: countingSettled(app.inTransaction, countInto(outcomes)) }

  /** Takes one step of each, unless another process is taking it. False when nothing is due. */
  async function stepDue(): Promise<boolean> {
    const ids = await stepping.due(clock.now(), SIDE_BY_SIDE, isTimeUncertain(clock))
    let stepped = 0
    for (const id of ids) {
      if (signal.aborted) break
      tick()
      try {
        if ((await stepping.step(parts, id)) === 'lost') continue
        stepped++
        failpoint(stored)
        // The step may have created pages.
        app.kernel.wake()
      } catch (error) {
        complain(log, error, { [field]: id }, `a step of a due ${name} failed; trying again`)
        await clock.sleep(LOOK_MS, signal)
      }
    }
    if (ids.length > 0 && stepped === 0) await clock.sleep(LOST_MS, signal)
    return ids.length > 0
  }

  /** No step is taken while the database is held or damaged, or while disk space is low. */
  async function isStopped(): Promise<boolean> {
    return db.soundness.damaged || disk.isLow() || (await app.instance.hold()) !== undefined
  }

  while (!signal.aborted) {
    tick()
    try {
      if (await isStopped()) {
        await wake.wait(LOOK_MS, signal)
        continue
      }
      if (await stepDue()) continue
      const next = await stepping.nextAt()
      await wake.wait(next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, next - clock.now())), signal)
    } catch (error) {
      complain(log, error, {}, `due ${name}s cannot be read; trying again`)
      await clock.sleep(LOOK_MS, signal)
    }
  }
}
