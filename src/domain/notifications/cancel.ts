import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Ledger } from './record/ledger.repository.ts'
import type { RunsRepository } from './record/runs.repository.ts'
import type { NotificationsRepository } from './repository.ts'
import { OPEN, STATUS } from './types.ts'

interface CancelAreas {
  ledger: Pick<Ledger, 'setStatus' | 'isHeld' | 'releaseHeld' | 'releaseWaiting'>
  runs: Pick<RunsRepository, 'lockDue' | 'cancelDue' | 'isAnyBegun'>
  sent: Pick<NotificationsRepository, 'find'>
}

export interface CancelParts {
  read: CancelAreas
  inTransaction<T>(work: (areas: CancelAreas) => Promise<T>): Promise<T>
  clock: Clock
}

const POLL_MS = 20
/** A request ends within 15 s; the page of a dead worker is recovered within a lease and a sweep. */
const MAX_WAIT_MS = 45_000

/**
 * Cancels the part of a notification that has not been sent. Possible until its last due time begins, and while
 * recipients wait for the end of quiet hours. Waits for
 * requests in flight, so that nothing is sent once this resolves; it must therefore not run in a transaction. Throws
 * `not_found`; `bad_request` when the notification was sent, its last due time has begun, or it was cancelled before;
 * and `unavailable` when it is cancelled but a request is still in flight after `waitMs`.
 */
export async function cancelNotification(
  { read, inTransaction, clock }: CancelParts,
  appId: number,
  id: number,
  waitMs?: number,
): Promise<void> {
  await inTransaction((areas) => callOff(areas, appId, id, clock.now()))
  await untilQuiet(read.runs, clock, id, waitMs)
}

/**
 * Stops a notification at any time, also while it is being sent: recipients who have not got it by then do not get it.
 * Otherwise like `cancelNotification`. Throws `not_found`; `bad_request` when it is finished; and `unavailable` when it
 * is stopped but a request is still in flight after `waitMs`.
 */
export async function stopNotification(
  { read, inTransaction, clock }: CancelParts,
  appId: number,
  id: number,
  waitMs?: number,
): Promise<void> {
  await inTransaction(async (areas) => {
    await callOff(areas, appId, id, clock.now(), true)
    // Retries and pages behind a rate limit would otherwise stay open until their time.
    await areas.ledger.releaseWaiting(id, clock.now())
  })
  await untilQuiet(read.runs, clock, id, waitMs)
}

async function untilQuiet(...given: Parameters<typeof untilNoneInFlight>): Promise<void> {
  if (await untilNoneInFlight(...given)) return
  throw new AppError('unavailable', `notification ${given[2]} is cancelled, but a request for it is still on its way`)
}

/**
 * Waits until no request of a notification is in flight; false when one still is after `waitMs`. Must not run in a
 * transaction.
 */
export async function untilNoneInFlight(
  runs: Pick<RunsRepository, 'isAnyBegun'>,
  clock: Clock,
  id: number,
  waitMs = MAX_WAIT_MS,
): Promise<boolean> {
  const deadline = clock.monotonic() + waitMs
  while (await runs.isAnyBegun(id)) {
    if (clock.monotonic() >= deadline) return false
    await clock.sleep(POLL_MS)
  }
  return true
}

/** Cancels the open part of a notification. `begun`: also a part that has begun for everybody. */
async function callOff(
  { ledger, runs, sent }: CancelAreas,
  appId: number,
  id: number,
  now: number,
  begun = false,
): Promise<void> {
  const notification = await sent.find(appId, id)
  if (!notification) throw new AppError('not_found', `there is no notification ${id}`)
  // While these locks are held no step can be stored, so what is read here stays true until the commit.
  const isPending = (await runs.lockDue(id)) || begun || (await ledger.isHeld(id, now))
  // Otherwise it can be called off as long as no worker has begun its pages.
  const from = isPending ? OPEN : [STATUS.queued]
  if (!(await ledger.setStatus(id, from, STATUS.cancelled, 'cancelled on request', now))) {
    const { status } = (await sent.find(appId, id)) ?? notification
    throw new AppError('bad_request', whyNot(id, status))
  }
  await runs.cancelDue(id)
  await ledger.releaseHeld(id, now)
}

function whyNot(id: number, status: number): string {
  if (status === STATUS.cancelled) return `notification ${id} was already cancelled`
  if (status === STATUS.failed) return `notification ${id} is already finished: nobody could be reached`
  if (status === STATUS.sent) return `notification ${id} was already sent`
  return `notification ${id} is already being sent`
}
