import { readObject } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { KeptMessage, UserMessagesRepository } from './user-messages.repository.ts'

const DAY_MS = 86_400_000

/** Position of the deletion in the list of messages. */
export interface ForgetPlace {
  after: number
}

export interface RetentionParts {
  repo: Pick<UserMessagesRepository, 'kept' | 'forget' | 'markForgotten'>
  clock: Clock
}

/** Deletes the recipients of messages that have ended; the messages and their counts stay. */
export function retentionService({ repo, clock }: RetentionParts) {
  return {
    /**
     * One small step for all apps: deletes at most `limit` rows of one message that ended at least `days` ago. Begins
     * at `{ after: 0 }`; returns the position to continue from, undefined after the last message.
     */
    async forget(days: number, { after }: ForgetPlace, limit: number): Promise<ForgetPlace | undefined> {
      const now = clock.now()
      const cutoff = now - days * DAY_MS
      const some = await repo.kept(cutoff, after, EXAMINED)
      for (const message of some) {
        const sentBefore = endedForSentBefore(message, cutoff)
        if (sentBefore === undefined) continue
        if ((await repo.forget(message.id, sentBefore, limit)) === limit) return { after: message.id - 1 }
        await repo.markForgotten(message.id, now)
        return { after: message.id }
      }
      return some.length === EXAMINED ? { after: some.at(-1)!.id } : undefined
    },
  }
}

/** Messages that one step examines. */
const EXAMINED = 100

/**
 * Returns a time (ms): for users who got the message before it, the message had ended by `cutoff`. Undefined when it
 * had ended for nobody.
 */
function endedForSentBefore(
  { inbox, ttlMs, withdrawnAt }: Omit<KeptMessage, 'id'>,
  cutoff: number,
): number | undefined {
  if (withdrawnAt !== null) return withdrawnAt < cutoff ? Number.MAX_SAFE_INTEGER : undefined
  if (ttlMs === null) return undefined
  if (inbox !== null) {
    const to = readObject(inbox)?.['to']
    if (typeof to !== 'number' || to >= cutoff) return undefined
  }
  return cutoff - ttlMs
}
