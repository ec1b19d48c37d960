import { countInto, countingSettled } from '../../domain/notifications/delivery-parts.ts'
import { stepRun } from '../../domain/notifications/fan-out.ts'
import { failpoint } from '../../platform/failpoints.ts'
import { type ClockWatch, createClockWatch } from '../clock-watch.ts'
import type { JobContext } from '../job.ts'

/** Runs looked at together; they take steps in turn so that a big one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** How long we rely on being woken: another node or the command line may have stored a run without telling us. */
const LOOK_MS = 500
/** When all that is due is being stepped by other processes. */
const LOST_MS = 100
/** How often we complain while the clock cannot be trusted. */
const COMPLAIN_MS = 60_000

/**
 * Turns due runs into pages until the signal aborts. While the wall clock is not where it should be, no scheduled run begins:
 * a clock that was set wrong must not send early. Immediate sends and runs that have begun go on.
 */
export async function dispatchDue(context: JobContext): Promise<void> {
  const { app, signal, wake, tick } = context
  const { clock, log } = app.kernel
  const isTrusted = trustOf(context, createClockWatch())
  while (!signal.aborted) {
    tick()
    try {
      if (await stepDueRuns(context, !isTrusted())) continue
      const next = await app.ledger.nextRunAt()
      await wake.wait(next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, next - clock.now())), signal)
    } catch (error) {
      log.error({ err: error }, 'due runs cannot be read; trying again')
      await clock.sleep(LOOK_MS, signal)
    }
  }
}

/** Takes each due run one step further, unless another process is at it. False when there was none. */
async function stepDueRuns({ app, signal }: JobContext, held: boolean): Promise<boolean> {
  const { clock, log } = app.kernel
  const runs = await app.ledger.dueRuns(clock.now(), SIDE_BY_SIDE, held)
  const inTransaction = countingSettled(app.inTransaction, countInto(app.kernel.outcomes))
  let stepped = 0
  for (const run of runs) {
    if (signal.aborted) break
    try {
      if ((await stepRun({ read: app, inTransaction }, run)) === 'lost') continue
      stepped++
      failpoint('dispatch.stepped')
      app.kernel.wake()
    } catch (error) {
      log.error({ err: error, run }, 'a due run could not be taken a step further; trying again')
      await clock.sleep(LOOK_MS, signal)
    }
  }
  if (runs.length > 0 && stepped === 0) await clock.sleep(LOST_MS, signal)
  return runs.length > 0
}

/** Tells whether the wall clock can be relied on now, and the operator when it cannot. */
function trustOf({ app }: JobContext, watch: ClockWatch): () => boolean {
  const { clock, log } = app.kernel
  let complainedAt: number | undefined
  return () => {
    const off = watch.look(clock.now(), clock.sinceBoot())
    if (off !== 0) {
      if (complainedAt === undefined || clock.monotonic() - complainedAt >= COMPLAIN_MS) {
        complainedAt = clock.monotonic()
        const remedy = 'set the clock right, or restart appsvc when it is right now'
        log.error({ seconds: Math.round(off / 1000) }, `the clock jumped: scheduled sends are held; ${remedy}`)
      }
      return false
    }
    if (complainedAt !== undefined) log.info({}, 'the clock is right again: scheduled sends go on')
    complainedAt = undefined
    return true
  }
}
