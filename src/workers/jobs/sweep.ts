import type { Areas } from '../../app.ts'
import { expiryFinding } from '../../domain/gateways/expiry.ts'
import type { ForgetPlace } from '../../domain/inapp/retention.ts'
import { countInto } from '../../domain/notifications/delivery-parts.ts'
import { recoverPages } from '../../domain/notifications/recover.ts'
import { isoOffset } from '../../platform/clock.ts'
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
      await inBatches({ app, signal }, BATCH, (tx) => tx.userMessages.settleTallies(BATCH))
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

/** Takes batch after batch, each in a transaction, until one is not full. */
async function inBatches(
  { app, signal }: Pick<JobContext, 'app' | 'signal'>,
  size: number,
  take: (tx: Areas) => Promise<number>,
): Promise<void> {
  while (!signal.aborted && (await app.inTransaction(take)) === size);
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
  const { config } = app.kernel
  const clear = (take: (tx: Areas) => Promise<number>) => inBatches({ app, signal }, BATCH, take)
  await clear((tx) => tx.idempotency.sweep(BATCH))
  await clear((tx) => tx.crm.forgetActivity(BATCH))
  await clear((tx) => tx.events.forget(config['events.retentionDays'], BATCH))
  await clear((tx) => tx.crashes.forget(config['crashes.retentionDays'], BATCH))
  await clear((tx) => tx.checkins.forget(config['checkins.retentionDays'], BATCH))
  await clear((tx) => tx.geofences.forget(BATCH))
  await clear((tx) => tx.taps.forget(BATCH))
  await forgetMessages({ app, signal })
  await inBatches({ app, signal }, IMPORTS, (tx) =>
    tx.channelImports.forget(config['channels.importRetentionDays'], IMPORTS),
  )
  await warnOfExpiry({ app, signal })
  if (app.kernel.db.kind === 'sqlite') await app.kernel.db.checkpoint()
}

/** Says once for each term that a credential is about to end. Remembered first: a restart must not say it again. */
export async function warnOfExpiry({ app, signal }: Pick<JobContext, 'app' | 'signal'>): Promise<void> {
  const { clock, log } = app.kernel
  for (const expiry of await app.gateways.dueNotices()) {
    if (signal.aborted) return
    if (!(await app.inTransaction((tx) => tx.gateways.takeNotice(expiry)))) continue
    const { appId, platform, notAfter } = expiry
    const remedy = `get a new one and set it with appsvc gateways set ${appId} ${platform}`
    const { level, what } = expiryFinding(`the ${platform} credential of app ${appId}`, notAfter, clock.now(), remedy)
    const fields = { app: appId, platform, notAfter: isoOffset(notAfter), remedy }
    if (level === 'error') log.error(fields, what)
    else log.warn(fields, what)
  }
}

/** Forgets who had the in-app messages that are over long enough. */
async function forgetMessages({ app, signal }: Pick<JobContext, 'app' | 'signal'>): Promise<void> {
  const days = app.kernel.config['inApp.retentionDays']
  for (let place: ForgetPlace | undefined = { after: 0 }; place && !signal.aborted; ) {
    const from: ForgetPlace = place
    place = await app.inTransaction((tx) => tx.inAppRetention.forget(days, from, BATCH))
  }
}
