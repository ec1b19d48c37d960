import type { Areas } from '../../app.ts'
import { expiryFinding } from '../../domain/gateways/expiry.ts'
import type { ForgetPlace } from '../../domain/inapp/retention.ts'
import { countInto } from '../../domain/notifications/delivery-parts.ts'
import { recoverPages } from '../../domain/notifications/recover.ts'
import { isoOffset } from '../../platform/clock.ts'
import { complain, type JobContext } from '../job.ts'

/** Lost pages must not wait long; everything else here has time. */
const EVERY_MS = 5000
const HOUSEKEEPING_MS = 60_000
const CLEARING_MS = 2000
const BATCH = 500
/** Each may have kept a thousand lines that named nobody. */
const IMPORTS = 5

/** Tidies up until the signal aborts: pages whose owner is gone, notifications that a crash left open, data over its time. */
export async function sweep({ app, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, db } = app.kernel
  await checkSoundness(app)
  let housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
  while (!signal.aborted) {
    tick()
    if (db.soundness.damaged) {
      await wake.wait(EVERY_MS, signal)
      continue
    }
    try {
      const recovered = await recoverPages({
        inTransaction: (work) => app.inTransaction(work),
        clock,
        log,
        random: Math.random,
        count: countInto(app.kernel.outcomes),
      })
      if (recovered > 0) app.kernel.wake()
      while (!signal.aborted && (await app.inTransaction((tx) => tx.geofences.settle()))) tick()
      await inBatches({ app, signal, tick }, BATCH, (tx) => tx.userMessages.settleTallies(BATCH))
      const hasMore = await clearChannels({ app, signal, tick })
      if (clock.monotonic() >= housekeepingAt) {
        await keepHouse({ app, signal, tick })
        housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
      }
      if (hasMore) continue
    } catch (error) {
      complain(log, error, {}, 'housekeeping failed; trying again')
    }
    await wake.wait(EVERY_MS, signal)
  }
}

/** A database up to this size is read through in less than a second. */
const MOST_CHECKED_BYTES = 128 * 1024 * 1024

/**
 * Looks for damaged pages at every start, while nobody waits for this thread. A larger database would stop the loops beside this one
 * for too long: there what is damaged is found when it is read.
 */
async function checkSoundness({ vitals, kernel: { db, log } }: JobContext['app']): Promise<void> {
  if (db.kind === 'postgres') return
  try {
    if ((await vitals.databaseBytes()) > MOST_CHECKED_BYTES) return
    if (!(await vitals.isSound())) db.soundness.condemn()
  } catch (error) {
    complain(log, error, {}, 'the database could not be checked')
  }
}

/** Clears away what deleted channels left behind, as much as can be done while lost pages wait. False when nothing is left. */
async function clearChannels({ app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>): Promise<boolean> {
  const until = performance.now() + CLEARING_MS
  while (!signal.aborted && performance.now() < until) {
    tick()
    if (!(await app.inTransaction((tx) => tx.channels.clearAway()))) return false
  }
  return true
}

/** Takes batch after batch, each in a transaction, until one is not full. */
async function inBatches(
  { app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>,
  size: number,
  take: (tx: Areas) => Promise<number>,
): Promise<void> {
  while (!signal.aborted && (await app.inTransaction(take)) === size) tick()
}

/** One round, in small transactions so that nobody waits for it. */
async function keepHouse({ app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    const open = await app.ledger.unfinished(after, 100)
    for (const { id, appId } of open) {
      tick()
      await app.inTransaction((tx) => tx.dispatch.finishIfDone(appId, id))
    }
    if (open.length < 100) break
    after = open.at(-1)!.id
  }
  const { config } = app.kernel
  const clear = (take: (tx: Areas) => Promise<number>) => inBatches({ app, signal, tick }, BATCH, take)
  await clear((tx) => tx.idempotency.sweep(BATCH))
  await clear((tx) => tx.crm.forgetActivity(BATCH))
  await clear((tx) => tx.events.forget(config['events.retentionDays'], BATCH))
  await clear((tx) => tx.crashes.forget(config['crashes.retentionDays'], BATCH))
  await clear((tx) => tx.checkins.forget(config['checkins.retentionDays'], BATCH))
  await clear((tx) => tx.geofences.forget(BATCH))
  await clear((tx) => tx.taps.forget(BATCH))
  await forgetMessages({ app, signal, tick })
  await inBatches({ app, signal, tick }, IMPORTS, (tx) =>
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
async function forgetMessages({ app, signal, tick }: Pick<JobContext, 'app' | 'signal' | 'tick'>): Promise<void> {
  const days = app.kernel.config['inApp.retentionDays']
  for (let place: ForgetPlace | undefined = { after: 0 }; place && !signal.aborted; ) {
    const from: ForgetPlace = place
    tick()
    place = await app.inTransaction((tx) => tx.inAppRetention.forget(days, from, BATCH))
  }
}
