import type { Clock } from '../../platform/time/clock.ts'
import type { LogRepository } from './log/repository.ts'
import { readCursor, START } from './position.ts'
import type { FollowersRepository, Hold, StoredFollower } from './repository.ts'

export type FollowersService = ReturnType<typeof followersService>

/** The lag of a follower. */
export interface FollowerState {
  name: string
  /** The time since the first event that it has not done was received (s); 0 when it is at the end. */
  lagSeconds: number
  /** The time at which it was last found to have missed events, which were forgotten before (ms). */
  missedAt: number | null
}

/** The cursors of followers, their leases and their lags. */
export function followersService({
  repo,
  log,
  clock,
  isIdle,
}: {
  repo: FollowersRepository
  log: LogRepository
  clock: Clock
  /** Tells whether a follower does not lag: it is switched off, or reads what is old. */
  isIdle(name: string): boolean
}) {
  return {
    find: (name: string): Promise<StoredFollower | undefined> => repo.find(name),
    add: (follower: Parameters<FollowersRepository['add']>[0]): Promise<void> => repo.add(follower),
    claim: (name: string, owner: string, leaseMs: number) => repo.claim(name, owner, leaseMs),
    move: (hold: Hold, cursor: string): Promise<boolean> => repo.move(hold, cursor),
    release: (hold: Hold): Promise<void> => repo.release(hold),
    /** Makes a follower look again at what lies behind its stored cursor, because it has to look for more from this commit on. */
    recall: (name: string): Promise<void> => repo.recall(name),
    noteMissed: (hold: Hold, at: number): Promise<void> => repo.noteMissed(hold, at),
    /** Deletes the cursor of a follower that is no longer wanted. A worker that is running it stores nothing any more. */
    remove: (name: string): Promise<void> => repo.remove(name),

    /** The followers whose names begin with `prefix`, and the app that each follows. */
    async namesOf(prefix: string): Promise<Pick<StoredFollower, 'name' | 'appId'>[]> {
      return (await repo.list()).filter(({ name }) => name.startsWith(prefix))
    },

    /** Every follower that is not switched off, with its lag. */
    async states(): Promise<FollowerState[]> {
      const states: FollowerState[] = []
      for (const { name, appId, cursor, missedAt } of await repo.list()) {
        if (isIdle(name)) continue
        const waiting = await log.receivedAfter(appId ?? undefined, readCursor(cursor) ?? START)
        const lagSeconds = waiting === undefined ? 0 : Math.max(0, (clock.now() - waiting) / 1000)
        states.push({ name, lagSeconds, missedAt })
      }
      return states
    },
  }
}
