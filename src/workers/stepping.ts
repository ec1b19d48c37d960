import type { Areas } from '../app.ts'
import type { StepParts, Stepped } from '../domain/audience/step.ts'
import { countInto, countingSettled } from '../domain/notifications/deliver/delivery-parts.ts'
import { type Failpoint, failpoint } from '../platform/failpoints.ts'
import { complain, type JobContext } from './job.ts'

/** What goes to an audience step by step. */
export interface Stepping {
  /** For the log: the field with the id, and what people call it. */
  field: string
  name: string
  /** What is due (`now` in ms), at most `limit`. While `held`, nothing scheduled is there to begin. */
  due(now: number, limit: number, held: boolean): Promise<number[]>
  /** When the next of them is due (ms). */
  nextAt(): Promise<number | undefined>
  step(parts: StepParts<Areas>, id: number): Promise<Stepped>
  /** One step is committed. */
  stored: Failpoint
}

/** Looked at together; they take steps in turn so that a big one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** How long we rely on being woken: another node or the command line may have stored something without telling us. */
const LOOK_MS = 500
/** When all that is due is being stepped by other processes. */
const LOST_MS = 100

/**
 * Takes whatever is due step by step until the signal aborts. What is scheduled does not begin at a time (ms) that is not trusted: the
 * very reading of the clock that is judged is the one that is used.
 */
export async function takeSteps(
  context: JobContext,
  stepping: Stepping,
  isTrusted: (now: number) => boolean,
): Promise<void> {
  const { app, signal, wake, tick } = context
  const { clock, log, outcomes, disk, db } = app.kernel
  const { field, name, stored } = stepping
  const parts = { read: app, inTransaction: countingSettled(app.inTransaction, countInto(outcomes)) }

  /** Takes each a step further, unless another process is at it. False when there was none. */
  async function stepDue(): Promise<boolean> {
    const now = clock.now()
    const ids = await stepping.due(now, SIDE_BY_SIDE, !isTrusted(now))
    let stepped = 0
    for (const id of ids) {
      if (signal.aborted) break
      tick()
      try {
        if ((await stepping.step(parts, id)) === 'lost') continue
        stepped++
        failpoint(stored)
        // It may have made pages.
        app.kernel.wake()
      } catch (error) {
        complain(log, error, { [field]: id }, `a due ${name} could not be taken a step further; trying again`)
        await clock.sleep(LOOK_MS, signal)
      }
    }
    if (ids.length > 0 && stepped === 0) await clock.sleep(LOST_MS, signal)
    return ids.length > 0
  }

  /** Nothing may begin while the database is held or damaged, nor what takes space while there is little. */
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
