import { giveUpRun, stepRun } from '../../domain/notifications/fan-out/step.ts'
import type { JobContext } from './job.ts'
import { takeSteps } from './stepping.ts'

/**
 * Turns due runs into pages until the signal aborts. While the clock is in doubt, no scheduled run begins,
 * because a wrong clock must not send early. Immediate sends and runs that have begun continue.
 */
export async function fanOutDue(context: JobContext): Promise<void> {
  const { ledger } = context.program
  await takeSteps(context, {
    field: 'run',
    name: 'run',
    due: ledger.dueRuns,
    nextAt: ledger.nextRunAt,
    step: stepRun,
    giveUp: giveUpRun,
    stored: 'dispatch.stepped',
  })
}
