import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Counted } from '../../audience/confirmation.ts'
import { type Conditions, conditionsOf } from '../../audience/narrow.ts'
import type { Cursor, InAppTarget } from '../types.ts'
import type { RecipientsRepository } from './recipients.repository.ts'
import { slicesOf } from './slices.ts'

export interface ReachParts {
  recipients: RecipientsRepository
  conditions: Conditions
  clock: Clock
}

export type Reach = ReturnType<typeof reachOf>

/** Users of a preview by name. */
const SHOWN = 5
/** Users of one step: whoever counts may be the thread that answers requests. */
const STEP = 2000

/** Those of these users whom a target does not exclude: none of the installs that it names is theirs. */
export async function withoutExcluded(
  recipients: Pick<RecipientsRepository, 'installsOf'>,
  users: readonly number[],
  { exclude }: InAppTarget,
): Promise<number[]> {
  if (exclude.length === 0 || users.length === 0) return [...users]
  const rows = new Set(exclude)
  const excluded = new Set(
    (await recipients.installsOf(users)).filter(({ row }) => rows.has(row)).map(({ userId }) => userId),
  )
  return users.filter((user) => !excluded.has(user))
}

/** Whom a target means at the moment, without sending anything: for previews, and for sends that must be confirmed. */
export function reachOf({ recipients, conditions, clock }: ReachParts) {
  const slices = slicesOf(recipients)

  /** Each user once, a step at a time; lets others run in between. */
  async function* usersOf(appId: number, target: InAppTarget): AsyncGenerator<number[]> {
    const filter = target.kind === 'filter' ? await conditionsOf(conditions, appId, target.narrowing, clock.now()) : []
    const seen = new Set<number>()
    let cursor: Cursor = {}
    for (let done = false; !done; ) {
      const part = await slices.ofAll(target, { appId, cursor, filter, size: STEP, look: STEP })
      const users = (await withoutExcluded(recipients, part.users, target)).filter((user) => !seen.has(user))
      // Only named installs lead to the same user twice.
      if (target.kind === 'named') for (const user of users) seen.add(user)
      yield users
      cursor = part.next
      done = part.done
      await setImmediate()
    }
  }

  async function count(appId: number, target: InAppTarget, most: number): Promise<Counted> {
    let found = 0
    for await (const users of usersOf(appId, target)) {
      found += users.length
      if (found > most) return { recipients: found, isAll: false }
    }
    return { recipients: found, isAll: true }
  }

  return {
    /** Who would get a message with this target now: how many, some by name, and how many installs its push would go to. */
    async preview(appId: number, target: InAppTarget, { pushes = false } = {}) {
      const found = { recipients: 0, first: [] as string[], pushes: 0 }
      for await (const users of usersOf(appId, target)) {
        if (found.first.length < SHOWN) {
          found.first.push(...(await recipients.identifiers(users.slice(0, SHOWN - found.first.length))))
        }
        if (pushes) found.pushes += (await recipients.pushedInstalls(users)).length
        found.recipients += users.length
      }
      return found
    },

    /**
     * How many users the target means now, counted until they are more than `most`. When all users of the app who can get messages
     * are no more than that, they are not asked whether they are meant, and `recipients` is theirs.
     */
    async countUpTo(appId: number, target: InAppTarget, most: number): Promise<Counted> {
      if (target.kind !== 'filter') return count(appId, target, most)
      const all = await count(appId, { kind: 'broadcast', exclude: target.exclude }, most)
      return all.recipients <= most ? all : count(appId, target, most)
    },
  }
}
