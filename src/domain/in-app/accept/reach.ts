import { setImmediate } from 'node:timers/promises'
import type { Counted } from '../../audience/confirmation.ts'
import type { UserTarget } from '../../audience/types.ts'
import type { UserWalk } from '../../audience/walk/user-walk.ts'
import type { UserCursor } from '../../audience/walk/walk.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'

export interface ReachParts {
  recipients: Pick<RecipientsRepository, 'identifiers' | 'pushedInstalls'>
  users: Pick<UserWalk, 'walk'>
}

/** Users that a preview names. */
const SHOWN = 5
/** Users per step: the count may run in the thread that answers requests. */
const STEP = 2000

/**
 * Finds the users that a target means now, without sending anything: for previews, and for sends that must be
 * confirmed.
 */
export function createReach({ recipients, users: audience }: ReachParts) {
  /** Each user once, in batches; other work can run in between. */
  async function* usersOf(appId: number, target: UserTarget): AsyncGenerator<number[]> {
    const walk = await audience.walk(appId, target)
    const seen = new Set<number>()
    let cursor: UserCursor = {}
    for (let done = false; !done; ) {
      const batch = await walk.next(cursor, STEP, STEP)
      const users = batch.users.filter((user) => !seen.has(user))
      // Only named installs lead to the same user twice.
      if (target.kind === 'named') for (const user of users) seen.add(user)
      yield users
      cursor = batch.next
      done = batch.done
      await setImmediate()
    }
  }

  async function count(appId: number, target: UserTarget, max: number): Promise<Counted> {
    let found = 0
    for await (const users of usersOf(appId, target)) {
      found += users.length
      if (found > max) return { recipients: found, isAll: false }
    }
    return { recipients: found, isAll: true }
  }

  return {
    /** Who would get a message with this target now: how many users, the names of some, and the number of pushes. */
    async preview(appId: number, target: UserTarget, { pushes = false } = {}) {
      const found = { recipients: 0, first: [] as string[], pushes: 0 }
      const excluded = new Set(target.exclude)
      for await (const users of usersOf(appId, target)) {
        if (found.first.length < SHOWN) {
          found.first.push(...(await recipients.identifiers(users.slice(0, SHOWN - found.first.length))))
        }
        if (pushes) {
          const theirs = await recipients.pushedInstalls(users)
          found.pushes += theirs.filter(({ row }) => !excluded.has(row)).length
        }
        found.recipients += users.length
      }
      return found
    },

    /**
     * Counts the users that the target means now; stops above `max`. When the app has no more than `max` users who want
     * in-app messages, the filter is not evaluated and `recipients` is the number of all of them.
     */
    async countUpTo(appId: number, target: UserTarget, max: number): Promise<Counted> {
      if (target.kind !== 'filter') return count(appId, target, max)
      const all = await count(appId, { kind: 'broadcast', exclude: target.exclude }, max)
      return all.recipients <= max ? all : count(appId, target, max)
    },
  }
}
