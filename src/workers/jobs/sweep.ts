import { countInto } from '../../domain/notifications/delivery-parts.ts'
import { recoverPages } from '../../domain/notifications/recover.ts'
import type { JobContext } from '../job.ts'

/** Lost pages must not wait long; everything else here has time. */
const EVERY_MS = 5000
const HOUSEKEEPING_MS = 60_000
const CLEARING_MS = 2000
const BATCH = 500
/** Each may have kept a thousand lines that named nobody. */
const IMPORTS = 5

/** Tidies up until the signal aborts: pages whose owner is gone, notifications that a crash left open, data over its time. */
export async function sweep({ app, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log } = app.kernel
  let housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
  while (!signal.aborted) {
    tick()
    try {
      const recovered = await recoverPages({
        inTransaction: (work) => app.inTransaction(work),
        clock,
        log,
        random: Math.random,
        count: countInto(app.kernel.outcomes),
      })
      if (recovered > 0) app.kernel.wake()
      while (!signal.aborted && (await app.inTransaction((tx) => tx.geofences.settle())));
      const hasMore = await clearChannels({ app, signal })
      if (clock.monotonic() >= housekeepingAt) {
        await keepHouse({ app, signal })
        housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
      }
      if (hasMore) continue
    } catch (error) {
      log.error({ err: error }, 'housekeeping failed; trying again')
    }
    await wake.wait(EVERY_MS, signal)
  }
}

/** Clears away what deleted channels left behind, as much as can be done while lost pages wait. False when nothing is left. */
async function clearChannels({ app, signal }: Pick<JobContext, 'app' | 'signal'>): Promise<boolean> {
  const until = performance.now() + CLEARING_MS
  while (!signal.aborted && performance.now() < until) {
    if (!(await app.inTransaction((tx) => tx.channels.clearAway()))) return false
  }
  return true
}

/** One round, in small transactions so that nobody waits for it. */
async function keepHouse({ app, signal }: Pick<JobContext, 'app' | 'signal'>): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    const open = await app.ledger.unfinished(after, 100)
    for (const { id, appId } of open) await app.inTransaction((tx) => tx.dispatch.finishIfDone(appId, id))
    if (open.length < 100) break
    after = open.at(-1)!.id
  }
  while (!signal.aborted && (await app.inTransaction((tx) => tx.idempotency.sweep(BATCH))) === BATCH);
  while (!signal.aborted && (await app.inTransaction((tx) => tx.crm.forgetActivity(BATCH))) === BATCH);
  const days = app.kernel.config['events.retentionDays']
  while (!signal.aborted && (await app.inTransaction((tx) => tx.events.forget(days, BATCH))) === BATCH);
  while (!signal.aborted && (await app.inTransaction((tx) => tx.geofences.forget(BATCH))) === BATCH);
  while (!signal.aborted && (await app.inTransaction((tx) => tx.taps.forget(BATCH))) === BATCH);
  const importDays = app.kernel.config['channels.importRetentionDays']
  while (
    !signal.aborted &&
    (await app.inTransaction((tx) => tx.channelImports.forget(importDays, IMPORTS))) === IMPORTS
  );
  if (app.kernel.db.kind === 'sqlite') await app.kernel.db.checkpoint()
}
