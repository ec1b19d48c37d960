import { stepMessage } from '../../domain/inapp/step.ts'
import { countInto, countingSettled } from '../../domain/notifications/delivery-parts.ts'
import { failpoint } from '../../platform/failpoints.ts'
import { createClockWatch } from '../clock-watch.ts'
import type { JobContext } from '../job.ts'

/** Messages looked at together; they take steps in turn so that a big one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** How long we rely on being woken: another node or the command line may have stored a message without telling us. */
const LOOK_MS = 500
/** When all that is due is being stepped by other processes. */
const LOST_MS = 100

/**
 * Gives due in-app messages to their users until the signal aborts. While the wall clock is not where it should be, no scheduled
 * walk begins: a clock that was set wrong must not send early. Immediate messages and walks that have begun go on.
 */
export async function handOut(context: JobContext): Promise<void> {
  const { app, signal, wake, tick } = context
  const { clock, log } = app.kernel
  // The loop of notifications, which looks at the same clock, tells the operator.
  const watch = createClockWatch()
  while (!signal.aborted) {
    tick()
    try {
      if (await stepDueMessages(context, watch.look(clock.now(), clock.sinceBoot()) !== 0)) continue
      const next = await app.inAppMessages.nextAt()
      await wake.wait(next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, next - clock.now())), signal)
    } catch (error) {
      log.error({ err: error }, 'due in-app messages cannot be read; trying again')
      await clock.sleep(LOOK_MS, signal)
    }
  }
}

/** Takes each due message one step further, unless another process is at it. False when there was none. */
async function stepDueMessages({ app, signal }: JobContext, held: boolean): Promise<boolean> {
  const { clock, log } = app.kernel
  const messages = await app.inAppMessages.due(clock.now(), SIDE_BY_SIDE, held)
  const inTransaction = countingSettled(app.inTransaction, countInto(app.kernel.outcomes))
  let stepped = 0
  for (const message of messages) {
    if (signal.aborted) break
    try {
      if ((await stepMessage({ read: app, inTransaction }, message)) === 'lost') continue
      stepped++
      failpoint('inapp.stored')
      // A linked push may have made pages.
      app.kernel.wake()
    } catch (error) {
      log.error({ err: error, message }, 'a due in-app message could not be taken a step further; trying again')
      await clock.sleep(LOOK_MS, signal)
    }
  }
  if (messages.length > 0 && stepped === 0) await clock.sleep(LOST_MS, signal)
  return messages.length > 0
}
