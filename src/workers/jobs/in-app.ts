import { giveUpMessage, stepMessage } from '../../domain/in-app/fan-out/step.ts'
import type { JobContext } from './job.ts'
import { takeSteps } from './stepping.ts'

/**
 * Gives due in-app messages to their users until the signal aborts. While the clock is in doubt, no scheduled
 * walk begins, because a wrong clock must not send early. Immediate messages and walks that have begun continue.
 */
export async function handOut(context: JobContext): Promise<void> {
  const { inAppWalks } = context.program
  await takeSteps(context, {
    field: 'message',
    name: 'in-app message',
    due: inAppWalks.due,
    nextAt: inAppWalks.nextAt,
    step: stepMessage,
    giveUp: giveUpMessage,
    stored: 'inapp.stored',
  })
}
