import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Guard } from '../../audience/confirmation.ts'
import type { Catalogue } from '../../audience/target.ts'
import type { UserTarget } from '../../audience/types.ts'
import type { UserWalk } from '../../audience/walk/user-walk.ts'
import type { UserCursor } from '../../audience/walk/walk.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { Refusal } from '../../consent/types.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import type { InAppEstimateInput } from '../request/request.ts'
import { lookupTarget } from './target.ts'

/** Why somebody who is meant, or was named, gets nothing. */
type InAppLeftOut =
  | 'unknown_install'
  | 'unsubscribed_install'
  | 'unknown_user'
  | 'unsubscribed_user'
  | 'excluded'
  | Refusal

/** Who would get an in-app message now. Counts are of users, but for those of named installs. */
export interface InAppEstimate {
  /** Everybody who is meant and agreed to in-app messages: what a confirmation counts. */
  audience: number
  /** Those of them who would get it. */
  recipients: number
  /** False when the time to count was over: there are more. */
  isComplete: boolean
  /** Messages to a larger audience must be confirmed; null for no limit. */
  confirmAbove: number | null
  leftOut: { reason: InAppLeftOut; count: number }[]
  /** Identifiers of some who would get it. */
  sample: string[]
}

interface InAppEstimateParts {
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers' | 'identifiers'>
  catalogue: Catalogue
  users: Pick<UserWalk, 'walk'>
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'users'>
  guard: Pick<Guard<UserTarget>, 'confirmAbove'>
}

/** Users per step. */
const STEP = 2000
/** Recipients that are shown as examples. */
const SAMPLES = 10

/** Makes the function that estimates a message which is still being written. Throws `invalid` as a send does. */
export function createInAppEstimate({ recipients, catalogue, users, refusals, guard }: InAppEstimateParts) {
  return async function estimate(
    appId: number,
    { targeting, consent = { purpose: null, transactional: false } }: InAppEstimateInput,
    pace: Pace = unhurried,
  ): Promise<InAppEstimate> {
    const { target, errors } = await lookupTarget(recipients, catalogue, appId, targeting, 'target.')
    const rules = await refusals.rulesOf(appId, consent)
    const refused: Record<Refusal, number> = { not_wanted: 0, on_suppression_list: 0 }
    const seen = new Set<number>()
    const shown: number[] = []
    let [audience, left, excluded] = [0, 0, 0]
    let isComplete = true
    const walk = await users.walk(appId, target)
    for (let cursor: UserCursor = {}, done = false; !done; ) {
      if (!(await pace.turn())) {
        isComplete = false
        break
      }
      const batch = await walk.next(cursor, STEP, STEP)
      const meant = batch.users.filter((user) => !seen.has(user))
      // Only named installs lead to the same user twice.
      if (target.kind === 'named') for (const user of meant) seen.add(user)
      const without = rules ? await refusals.users(appId, rules, meant) : new Map<number, Refusal>()
      for (const why of without.values()) refused[why]++
      audience += meant.length
      left += without.size
      excluded += batch.excluded.length
      if (shown.length < SAMPLES)
        shown.push(...meant.filter((user) => !without.has(user)).slice(0, SAMPLES - shown.length))
      cursor = batch.next
      done = batch.done
    }
    const leftOut: InAppEstimate['leftOut'] = [
      { reason: 'unknown_install', count: errors.unknownInstallIds?.length ?? 0 },
      { reason: 'unsubscribed_install', count: errors.unsubscribedInstallIds?.length ?? 0 },
      { reason: 'unknown_user', count: errors.unknownUserIds?.length ?? 0 },
      { reason: 'unsubscribed_user', count: errors.unsubscribedUserIds?.length ?? 0 },
      { reason: 'excluded', count: excluded },
      { reason: 'not_wanted', count: refused.not_wanted },
      { reason: 'on_suppression_list', count: refused.on_suppression_list },
    ]
    return {
      audience,
      recipients: audience - left,
      isComplete,
      confirmAbove: await guard.confirmAbove(appId),
      leftOut: leftOut.filter(({ count }) => count > 0),
      sample: shown.length === 0 ? [] : await recipients.identifiers(shown),
    }
  }
}
