import { stepRun } from '../../domain/notifications/fan-out.ts'
import type { JobContext } from '../job.ts'
import { takeSteps } from '../stepping.ts'

/** How often we complain while the clock cannot be trusted. */
const COMPLAIN_MS = 60_000

/**
 * Turns due runs into pages until the signal aborts. While the wall clock is not where it should be, no scheduled run begins:
 * a clock that was set wrong must not send early. Immediate sends and runs that have begun go on.
 */
export async function dispatchDue(context: JobContext): Promise<void> {
  const { ledger } = context.app
  await takeSteps(
    context,
    {
      field: 'run',
      name: 'run',
      due: ledger.dueRuns,
      nextAt: ledger.nextRunAt,
      step: stepRun,
      stored: 'dispatch.stepped',
    },
    trustOf(context),
  )
}

/** Tells whether the wall clock can be relied on now, and the operator when it cannot. */
function trustOf({ app, clockWatch }: JobContext): (now: number) => boolean {
  const { clock, log } = app.kernel
  let complainedAt: number | undefined
  return (now) => {
    const off = clockWatch.look(now, clock.sinceBoot())
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
