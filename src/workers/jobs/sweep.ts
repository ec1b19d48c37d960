import { erasuresFile } from '../../domain/erasures/list-file.ts'
import { restoreErasures, runErasures } from '../../domain/erasures/run.ts'
import { tendPartitions } from '../../domain/events/partitions/tend.ts'
import { expiryFinding } from '../../domain/gateways/configure/expiry.ts'
import type { ForgetPlace } from '../../domain/in-app/record/retention.ts'
import { countInto } from '../../domain/notifications/deliver/delivery-parts.ts'
import { recoverPages } from '../../domain/notifications/deliver/recover.ts'
import { inSlices, type SliceOptions } from '../../platform/concurrency/slices.ts'
import { isoOffset, isTimeUncertain } from '../../platform/time/clock.ts'
import type { Areas } from '../../program.ts'
import { complain, type JobContext } from './job.ts'

/** Interval of looking for lost pages, which must not wait long. The other work is not urgent. */
const EVERY_MS = 5000
const HOUSEKEEPING_MS = 60_000
const CLEARING_MS = 2000
/** Rows of the first slice of users: each may have installs, which are in several indexes. */
const FIRST_USERS = 20
/** Rows of the first slice of crash reports, which may be long. */
const FIRST_REPORTS = 20
/** Imports of one slice: each may have a thousand stored lines that matched no subscriber. */
const IMPORTS = 5

type Tidying = Pick<JobContext, 'program' | 'signal' | 'tick'> & {
  /** Called between slices: looks for lost pages when that is due. */
  look(): Promise<void>
}

/** Cleans up until the signal aborts: pages whose owner is gone, notifications that a crash left open, expired data. */
export async function sweep({ program, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, db } = program.kernel
  await checkSoundness(program)
  let housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
  let lookAt = 0
  const look = async () => {
    tick()
    // Real time, as for the pauses between slices.
    if (performance.now() < lookAt) return
    await recoverLost(program)
    lookAt = performance.now() + EVERY_MS
  }
  const tidying = { program, signal, tick, look }
  await eraseAgain(program)
  while (!signal.aborted) {
    if (db.soundness.damaged) {
      tick()
      await wake.wait(EVERY_MS, signal)
      continue
    }
    try {
      lookAt = 0
      await look()
      while (!signal.aborted && (await program.inTransaction((tx) => tx.geofences.settle()))) tick()
      await clear(tidying, (tx, limit) => tx.userMessages.settleTallies(limit))
      await erase(tidying)
      const hasMore = await clearChannels({ program, signal, tick })
      if (clock.monotonic() >= housekeepingAt) {
        await keepHouse(tidying)
        housekeepingAt = clock.monotonic() + HOUSEKEEPING_MS
      }
      if (hasMore) continue
    } catch (error) {
      complain(log, error, {}, 'housekeeping failed; trying again')
    }
    await wake.wait(EVERY_MS, signal)
  }
}

/**
 * Checks the database file for damage at each start, while nobody waits for this thread. Large databases are not
 * checked, because that would block the other loops of this thread for too long; their damage is found when damaged
 * pages are read.
 */
async function checkSoundness({ vitals, kernel: { db, log } }: JobContext['program']): Promise<void> {
  if (db.kind === 'postgres') return
  try {
    if ((await vitals.isSound()) === false) db.soundness.condemn()
  } catch (error) {
    complain(log, error, {}, 'the database could not be checked')
  }
}

/** Puts the people who were erased since the backup back on the erasure list, after a restore. */
async function eraseAgain(program: JobContext['program']): Promise<void> {
  const { config, log } = program.kernel
  try {
    const { inTransaction } = program
    const restored = await restoreErasures({ program, inTransaction, file: erasuresFile(config.dataDir) })
    if (restored > 0) log.warn({ erasures: restored }, 'the database has forgotten erasures: erasing again')
  } catch (error) {
    complain(log, error, {}, 'the erasure list could not be read')
  }
}

/** Erases everybody who is on the erasure list. */
async function erase({ program, signal, look }: Tidying): Promise<void> {
  const { clock, db, config } = program.kernel
  const { inTransaction } = program
  await runErasures({ program, inTransaction, clock, db, file: erasuresFile(config.dataDir), signal, look })
}

/** Releases pages whose owner is gone. */
async function recoverLost(program: JobContext['program']): Promise<void> {
  const { clock, db, log, outcomes } = program.kernel
  // A PostgreSQL of this machine has its clock, and calls all leases over when that jumps: what is being sent would be sent twice.
  if (db.kind === 'postgres' && isTimeUncertain(clock)) return
  const recovered = await recoverPages({
    inTransaction: (work) => program.inTransaction(work),
    clock,
    log,
    random: Math.random,
    count: countInto(outcomes),
  })
  if (recovered > 0) program.kernel.wake()
}

/**
 * Deletes the rows that deleted channels left behind, for at most `CLEARING_MS`, so that lost pages need not wait. False when
 * nothing is left.
 */
async function clearChannels({
  program,
  signal,
  tick,
}: Pick<JobContext, 'program' | 'signal' | 'tick'>): Promise<boolean> {
  const until = performance.now() + CLEARING_MS
  while (!signal.aborted && performance.now() < until) {
    tick()
    if (!(await program.inTransaction((tx) => tx.channels.clearAway()))) return false
  }
  return true
}

/** Runs `take` in slices until one is not full, so that other writers never wait long. */
async function clear(
  { program, signal, look }: Tidying,
  take: (tx: Areas, limit: number) => Promise<number>,
  options: Pick<SliceOptions, 'first' | 'most'> = {},
): Promise<void> {
  const { inTransaction, kernel } = program
  await inSlices<Areas>({ inTransaction, clock: kernel.clock, signal }, take, { ...options, onSlice: look })
}

/** One round of the cleaning that is done once a minute. */
async function keepHouse(tidying: Tidying): Promise<void> {
  const { program, signal, tick, look } = tidying
  let after = 0
  while (!signal.aborted) {
    const open = await program.ledger.unfinished(after, 100)
    for (const { id, appId } of open) {
      tick()
      await program.inTransaction((tx) => tx.fanOut.finish(appId, [id]))
    }
    if (open.length < 100) break
    after = open.at(-1)!.id
    await look()
  }
  const { clock, config } = program.kernel
  // What follows deletes for its age, or says that something is over.
  if (isTimeUncertain(clock)) return
  await clear(tidying, (tx, limit) => tx.idempotency.sweep(limit))
  await clear(tidying, (tx, limit) => tx.adminUpkeep.forget(limit))
  await clear(tidying, (tx, limit) => tx.audit.forget(config['audit.retentionDays'], limit))
  await clear(tidying, (tx, limit) => tx.crm.forgetActivity(limit), { first: FIRST_USERS })
  await tendEvents(tidying)
  await clear(tidying, (tx, limit) => tx.events.forget(config['events.retentionDays'], limit))
  await clear(tidying, (tx, limit) => tx.erasures.forgetEvents(limit))
  await clear(tidying, (tx, limit) => tx.crashes.forget(config['crashes.retentionDays'], limit), {
    first: FIRST_REPORTS,
  })
  await clear(tidying, (tx, limit) => tx.checkins.forget(config['checkins.retentionDays'], limit))
  await clear(tidying, (tx, limit) => tx.geofences.forget(limit))
  await clear(tidying, (tx, limit) => tx.taps.forget(limit))
  await clear(tidying, (tx, limit) => tx.purposes.forget(limit))
  await clear(tidying, (tx, limit) => tx.approvals.forget(limit))
  await clear(tidying, (tx, limit) => tx.series.forget(config['notifications.retentionDays'], limit))
  await clear(tidying, (tx, limit) => tx.metrics.forget(limit))
  await clear(tidying, (tx, limit) => tx.statistics.forget(limit))
  await clear(tidying, (tx, limit) => tx.load.forget(limit))
  await clear(tidying, (tx, limit) => tx.webhookDeliveries.forget(limit))
  await clear(tidying, (tx, limit) => tx.taps.clearDeleted(limit))
  await forgetMessages(tidying)
  await clear(tidying, (tx, limit) => tx.notificationRetention.forget(config['notifications.retentionDays'], limit))
  const imports = { first: IMPORTS, most: IMPORTS }
  await clear(tidying, (tx, limit) => tx.channelImports.forget(config['channels.importRetentionDays'], limit), imports)
  await warnOfExpiry({ program, signal })
  if (program.kernel.db.kind === 'sqlite') await program.kernel.db.checkpoint()
  else await clear(tidying, (tx, limit) => tx.capUses.forget(limit))
}

/** Tends the partitions of events on PostgreSQL. A look over all rows of one may take minutes: lost pages do not wait for it. */
async function tendEvents({ program, signal, look }: Tidying): Promise<void> {
  const { clock, config, db, log } = program.kernel
  const over = new AbortController()
  const done = tendPartitions({
    db,
    log,
    signal,
    now: clock.now(),
    retentionMs: config['events.retentionDays'] * 86_400_000,
    sleep: (ms) => clock.sleep(ms, signal),
  }).finally(() => over.abort())
  // It is thrown below.
  done.catch(() => {})
  while (!over.signal.aborted) {
    await clock.sleep(1000, over.signal)
    await look()
  }
  await done
}

/**
 * Logs each expiry warning of a credential once. The warning is stored before it is logged: a restart must not repeat
 * it.
 */
export async function warnOfExpiry({
  program,
  signal,
}: {
  program: Pick<JobContext['program'], 'gateways' | 'inTransaction' | 'kernel'>
  signal: AbortSignal
}): Promise<void> {
  const { clock, log } = program.kernel
  for (const expiry of await program.gateways.dueNotices()) {
    if (signal.aborted) return
    if (!(await program.inTransaction((tx) => tx.gateways.takeNotice(expiry)))) continue
    const { appId, platform, notAfter } = expiry
    const remedy = `get a new one and set it with appsvc gateways set --app ${appId} ${platform}`
    const { level, what } = expiryFinding(`the ${platform} credential of app ${appId}`, notAfter, clock.now(), remedy)
    const fields = { app: appId, platform, notAfter: isoOffset(notAfter), remedy }
    if (level === 'error') log.error(fields, what)
    else log.warn(fields, what)
  }
}

/** Deletes the recipients of in-app messages that have been over for `inApp.retentionDays`. */
async function forgetMessages(tidying: Tidying): Promise<void> {
  const days = tidying.program.kernel.config['inApp.retentionDays']
  for (let place: ForgetPlace | undefined = { after: 0 }; place && !tidying.signal.aborted; ) {
    const from: ForgetPlace = place
    let next: ForgetPlace | undefined
    await clear(tidying, async (tx, limit) => {
      next = await tx.inAppRetention.forget(days, from, limit)
      // The same place means that the same message has more rows.
      return next?.after === from.after ? limit : 0
    })
    place = next
  }
}
