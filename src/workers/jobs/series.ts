import { planDue } from '../../domain/series/plan-due.ts'
import type { Series } from '../../domain/series/types.ts'
import { isDatabaseFault } from '../../platform/db/unavailable.ts'
import { isTimeUncertain } from '../../platform/time/clock.ts'
import { complain, isShortage, type JobContext } from './job.ts'

/** Interval of looking without being woken: another node or the command line may have made a series. */
const LOOK_MS = 500
/** The pause of a series that failed: it keeps no other one waiting and does not fill the log. */
const REST_MS = 60_000

/**
 * Plans the next occurrence of each series whose planned one begins, until the signal aborts. Nothing is planned while the clock is
 * in doubt, because a wrong clock would count times as missed that are still to come, and nothing in a held database.
 */
export async function planSeries({ program, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, disk, db } = program.kernel
  const parts = { read: program, inTransaction: program.inTransaction, clock }
  /** Series that failed, and until when they rest (monotonic ms). */
  const resting = new Map<number, number>()

  const failed = ({ id, appId }: Series, error: unknown) => {
    if (!isDatabaseFault(error) && !isShortage(error)) resting.set(id, clock.monotonic() + REST_MS)
    complain(log, error, { series: id, app: appId }, 'the next time of a series could not be planned; trying again')
  }

  async function isStopped(): Promise<boolean> {
    if (db.soundness.damaged || disk.isLow() || isTimeUncertain(clock)) return true
    return (await program.instance.hold()) !== undefined
  }

  while (!signal.aborted) {
    tick()
    try {
      for (const [id, until] of resting) if (until <= clock.monotonic()) resting.delete(id)
      if (!(await isStopped())) {
        const failures = resting.size
        const count = await planDue(parts, { resting: new Set(resting.keys()), failed })
        if (count > 0 && resting.size === failures) {
          program.kernel.wake()
          continue
        }
      }
      const next = await program.seriesRows.nextAt()
      const ahead = next === undefined ? LOOK_MS : next - clock.now()
      await wake.wait(ahead > 0 ? Math.min(LOOK_MS, ahead) : LOOK_MS, signal)
    } catch (error) {
      complain(log, error, {}, 'due series cannot be read; trying again')
      await clock.sleep(LOOK_MS, signal)
    }
  }
}
