import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { LinkedPushes } from './fan-out/linked-push.ts'
import type { InAppRepository } from './repository.ts'

export interface WithdrawAreas {
  inAppMessages: Pick<InAppRepository, 'lock' | 'withdraw'>
  linkedPushes: Pick<LinkedPushes, 'callOff' | 'untilNoneIsOnItsWay'>
}

export interface WithdrawParts {
  read: WithdrawAreas
  inTransaction<T>(work: (areas: WithdrawAreas) => Promise<T>): Promise<T>
  clock: Clock
}

/**
 * Takes a message back: nobody gets it any more, devices that have it drop it at their next sync, and what was not sent of its
 * linked push is called off. A second time changes nothing. When this resolves no push of it is sent any more: requests that were
 * on their way are waited for, which is why it must not run inside a transaction. Throws `not_found`, and `unavailable` when it
 * is withdrawn but a push is still on its way after a while.
 */
export async function withdrawMessage(
  { read, inTransaction, clock }: WithdrawParts,
  appId: number,
  id: number,
): Promise<void> {
  const pushId = await inTransaction(async ({ inAppMessages, linkedPushes }) => {
    // From here on no step of it is under way.
    const message = await inAppMessages.lock(appId, id)
    if (!message) throw new AppError('not_found', `there is no in-app message ${id}`)
    if (message.withdrawnAt !== null) return message.notificationId
    await inAppMessages.withdraw(id, clock.now())
    if (message.notificationId !== null) await linkedPushes.callOff(message.notificationId)
    return message.notificationId
  })
  if (pushId !== null && !(await read.linkedPushes.untilNoneIsOnItsWay(pushId))) {
    throw new AppError('unavailable', `in-app message ${id} is withdrawn, but a push for it is still on its way`)
  }
}
