import type { JobContext } from '../job.ts'

/** Runs looked at together; they take steps in turn so that a big one does not hold up a small one. */
const SIDE_BY_SIDE = 16
/** How long we rely on being woken: another node or the command line may have stored a run without telling us. */
const LOOK_MS = 500

/** Turns due runs into pages until the signal aborts. */
export async function dispatchDue({ app, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log } = app.kernel
  while (!signal.aborted) {
    tick()
    const runs = await app.ledger.dueRuns(clock.now(), SIDE_BY_SIDE)
    for (const run of runs) {
      if (signal.aborted) return
      try {
        await app.inTransaction((tx) => tx.dispatch.step(run))
        app.kernel.wake()
      } catch (error) {
        log.error({ err: error, run }, 'a due run could not be taken a step further; trying again')
        await clock.sleep(LOOK_MS, signal)
      }
    }
    if (runs.length > 0) continue
    const next = await app.ledger.nextRunAt()
    await wake.wait(next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, next - clock.now())), signal)
  }
}
