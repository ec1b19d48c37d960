import type { Clock } from '../../../platform/clock.ts'
import { readObject } from '../../../platform/json.ts'
import type { KeptMessage, UserMessagesRepository } from './user-messages.repository.ts'

const DAY_MS = 86_400_000

/** A place in the round through the messages; undefined when the round is over. */
export interface ForgetPlace {
  after: number
}

export interface RetentionParts {
  repo: Pick<UserMessagesRepository, 'kept' | 'forget' | 'markForgotten'>
  clock: Clock
}

/** Forgets who had the messages that are over; their counts stay with them. */
export function retentionService({ repo, clock }: RetentionParts) {
  return {
    /**
     * One small step for all apps: deletes at most `limit` rows of one message that has been over for `days`. Where to go on;
     * undefined when the round is over. Begins at `{ after: 0 }`.
     */
    async forget(days: number, { after }: ForgetPlace, limit: number): Promise<ForgetPlace | undefined> {
      const now = clock.now()
      const cutoff = now - days * DAY_MS
      const some = await repo.kept(cutoff, after, SOME)
      for (const message of some) {
        const sentBefore = forgettable(message, cutoff)
        if (sentBefore === undefined) continue
        if ((await repo.forget(message.id, sentBefore, limit)) === limit) return { after: message.id - 1 }
        await repo.markForgotten(message.id, now)
        return { after: message.id }
      }
      return some.length === SOME ? { after: some.at(-1)!.id } : undefined
    },
  }
}

/** Messages that one step looks at. */
const SOME = 100

/** Users who got the message before this moment (ms) had it over at `cutoff`; undefined when nobody had. */
export function forgettable(
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
