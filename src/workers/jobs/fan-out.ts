import { giveUpRun, stepRun } from '../../domain/notifications/fan-out/step.ts'
import type { JobContext } from '../job.ts'
import { takeSteps } from '../stepping.ts'

/**
 * Turns due runs into pages until the signal aborts. While the wall clock is not trusted, no scheduled run begins,
 * because a wrong clock must not send early. Immediate sends and runs that have begun continue.
 */
export async function fanOutDue(context: JobContext): Promise<void> {
  const { ledger, kernel } = context.app
  // watch.ts checks the same clock and reports the fault.
  const isTrusted = (now: number) => context.clockWatch.look(now, kernel.clock.sinceBoot()) === 0
  await takeSteps(
    context,
    {
      field: 'run',
      name: 'run',
      due: ledger.dueRuns,
      nextAt: ledger.nextRunAt,
      step: stepRun,
      giveUp: giveUpRun,
      stored: 'dispatch.stepped',
    },
    isTrusted,
  )
}
