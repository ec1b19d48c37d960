import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import { type AcceptParts, createAccept, createMeasure } from './accept/accept.ts'
import type { LinkedPushReport } from './fan-out/linked-push.ts'
import type { ReactionCounts, UserMessagesRepository } from './record/user-messages.repository.ts'
import type { InAppRepository } from './repository.ts'
import type { InAppMessage } from './types.ts'

/** A message with what became of it: counts are in its record. */
export interface InAppReport {
  message: InAppMessage
  /** Of the linked push; null when the message has none. */
  push: LinkedPushReport | null
}

export interface InAppParts extends AcceptParts {
  repo: InAppRepository
  reactions: Pick<UserMessagesRepository, 'pending'>
}

/** Taking in-app messages, and telling what became of them. */
export function inAppService(parts: InAppParts) {
  const { repo, reactions, pushes } = parts

  async function get(appId: number, id: number): Promise<InAppMessage> {
    const found = await repo.find(appId, id)
    if (!found) throw new AppError('not_found', `there is no in-app message ${id}`)
    return found
  }

  return {
    accept: createAccept(parts),

    measure: createMeasure(parts),

    /** Throws `not_found`, also for a message of another app. */
    get,

    /** Newest first, `limit` at a time; `next` is the `after` of the page behind, null when there is none. */
    async list(appId: number, { after, limit }: { after?: number | undefined; limit: number }) {
      const { rows: messages, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { messages, next }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<InAppReport> {
      const message = await get(appId, id)
      // What could not be added at once, because somebody else was writing the message, is no less true.
      for (const [kind, count] of Object.entries(await reactions.pending(appId, id))) {
        message[kind as keyof ReactionCounts] += count
      }
      const { notificationId } = message
      return { message, push: notificationId === null ? null : await pushes.report(appId, notificationId) }
    },
  }
}
