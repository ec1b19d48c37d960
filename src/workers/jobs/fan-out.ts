import { stepRun } from '../../domain/notifications/fan-out/step.ts'
import type { JobContext } from '../job.ts'
import { takeSteps } from '../stepping.ts'

/**
 * Turns due runs into pages until the signal aborts. While the wall clock is not where it should be, no scheduled run begins:
 * a clock that was set wrong must not send early. Immediate sends and runs that have begun go on.
 */
export async function fanOutDue(context: JobContext): Promise<void> {
  const { ledger, kernel } = context.app
  // Whoever watches the process looks at the same clock, and tells the operator.
  const isTrusted = (now: number) => context.clockWatch.look(now, kernel.clock.sinceBoot()) === 0
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
    isTrusted,
  )
}
