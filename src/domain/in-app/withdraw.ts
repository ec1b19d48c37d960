import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { LinkedPushes } from './fan-out/linked-push.ts'
import type { InAppRepository } from './repository.ts'

interface WithdrawAreas {
  inAppMessages: Pick<InAppRepository, 'lock' | 'withdraw'>
  linkedPushes: Pick<LinkedPushes, 'callOff' | 'untilNoneInFlight'>
}

export interface WithdrawParts {
  read: WithdrawAreas
  inTransaction<T>(work: (areas: WithdrawAreas) => Promise<T>): Promise<T>
  clock: Clock
}

/**
 * Withdraws a message: nobody gets it any more, devices that have it drop it at their next sync, and the unsent part of
 * its linked push is cancelled. Withdrawing twice changes nothing. Waits for requests in flight, so that no push is
 * sent once this resolves; it must therefore not run in a transaction. Throws `not_found`, and `unavailable` when the
 * message is withdrawn but a request of its push is still in flight after a timeout.
 */
export async function withdrawMessage(
  { read, inTransaction, clock }: WithdrawParts,
  appId: number,
  id: number,
): Promise<void> {
  const pushId = await inTransaction(async ({ inAppMessages, linkedPushes }) => {
    // While this lock is held, no step of the message can be stored.
    const message = await inAppMessages.lock(appId, id)
    if (!message) throw new AppError('not_found', `there is no in-app message ${id}`)
    if (message.withdrawnAt !== null) return message.notificationId
    await inAppMessages.withdraw(id, clock.now())
    if (message.notificationId !== null) await linkedPushes.callOff(message.notificationId)
    return message.notificationId
  })
  if (pushId !== null && !(await read.linkedPushes.untilNoneInFlight(pushId))) {
    throw new AppError('unavailable', `in-app message ${id} is withdrawn, but a push for it is still on its way`)
  }
}
