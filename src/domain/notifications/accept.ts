import type { Clock } from '../../platform/clock.ts'
import { invalid } from '../../platform/errors.ts'
import { type AddressBook, lookupTarget, withoutEmpty } from '../audience/target.ts'
import type { TargetErrors } from '../audience/types.ts'
import { judgeSize, type Previewer } from './content-size.ts'
import type { NotificationsRepository } from './repository.ts'
import type { NotificationRequest } from './request.ts'
import { type Notification, SOURCE, type Source, STATUS } from './types.ts'

export interface Accepted {
  /** Null when nobody that was named can be reached: then nothing is stored. */
  notification: Notification | null
  errors: TargetErrors
}

export interface AcceptParts {
  repo: Pick<NotificationsRepository, 'insert' | 'insertUserMeta' | 'insertRun'>
  book: AddressBook
  /** The gateways whose size limits every notification must keep. */
  previewers: readonly Previewer[]
  clock: Clock
  /** Seconds, for requests that say nothing. */
  defaultTtl: number
}

/**
 * Takes a checked request: looks its targets up, stores it and makes it due now. Everything in the caller's transaction.
 * Throws `invalid` when the content is too large for a gateway.
 */
export function createAccept({ repo, book, previewers, clock, defaultTtl }: AcceptParts) {
  return async function accept(appId: number, source: Source, request: NotificationRequest): Promise<Accepted> {
    const { targeting, content, contentPath, userMeta = {}, reportingMeta = null } = request
    const now = clock.now()
    const expiresAt = now + (request.ttl ?? defaultTtl) * 1000
    const tooLarge = judgeSize(content, previewers, expiresAt)
    if (tooLarge.length > 0) throw invalid({ [contentPath]: tooLarge })

    const { target, errors, reachable } = await lookupTarget(book, appId, targeting)
    // The legacy answer has no place for errors: its notification is stored, and its report tells what went wrong.
    if (!reachable && source !== SOURCE.legacy) return { notification: null, errors }

    const hasUserMeta = Object.keys(userMeta).length > 0
    const notification = await repo.insert({
      appId,
      source,
      status: reachable ? STATUS.queued : STATUS.failed,
      statusReason: reachable ? null : describeUnreachable(errors),
      filters: withoutEmpty(targeting) as Record<string, unknown>,
      target,
      content,
      reportingMeta,
      hasUserMeta,
      expiresAt,
      createdAt: now,
      updatedAt: now,
    })
    if (hasUserMeta) await repo.insertUserMeta(appId, notification.id, userMeta)
    if (reachable) await repo.insertRun(appId, notification.id, now)
    return { notification, errors }
  }
}

function describeUnreachable(errors: TargetErrors): string {
  const parts = [
    [errors.unknownInstallIds, 'unknown installs'],
    [errors.unsubscribedInstallIds, 'unsubscribed installs'],
    [errors.unknownUserIds, 'unknown users'],
    [errors.unsubscribedUserIds, 'unsubscribed users'],
  ] as const
  const found = parts.flatMap(([ids, what]) => (ids ? [`${what}: ${ids.length}`] : []))
  return `nobody who was named can be reached (${found.join(', ')})`
}
