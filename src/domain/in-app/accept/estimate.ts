import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import { firstPartOf, type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createSample, type Sample } from '../../../platform/values/sample.ts'
import type { Guard } from '../../audience/confirmation.ts'
import type { Catalogue } from '../../audience/target.ts'
import type { TargetErrors, UserTarget } from '../../audience/types.ts'
import type { UserWalk } from '../../audience/walk/user-walk.ts'
import type { UserCursor } from '../../audience/walk/walk.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { ConsentRules, Refusal } from '../../consent/types.ts'
import { type ReadersCoverage, unknownInWords } from '../../personalization/people/coverage.ts'
import type { LinkedPushes } from '../fan-out/linked-push.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import { coverageOf } from '../personal/coverage.ts'
import type { InAppReads } from '../personal/give-users.ts'
import type { InAppEstimateInput } from '../request/request.ts'
import { preparePush } from './prepare-push.ts'
import { createShown, gather, isPersonal, type ShownParts, warningsOf } from './shown.ts'
import { lookupTarget } from './target.ts'

/** Reasons for which a meant or named user gets nothing. */
type InAppLeftOut =
  | 'unknown_install'
  | 'unsubscribed_install'
  | 'unknown_user'
  | 'unsubscribed_user'
  | 'excluded'
  | Refusal

/** The present reach of an in-app message. Counts are of users, but for those of named installs. */
export interface InAppEstimate {
  /** Users who are meant and agreed to in-app messages: the number that a confirmation counts. */
  audience: number
  /** Users among them who would get it. */
  recipients: number
  /** False when the time to count was over: there are more. */
  isComplete: boolean
  /** Messages to a larger audience must be confirmed; null for no limit. */
  confirmAbove: number | null
  leftOut: { reason: InAppLeftOut; count: number }[]
  /** Identifiers of some recipients. */
  sample: string[]
  /** The results for a sample of the recipients; absent where no content was given, and where all get the same. */
  coverage?: ReadersCoverage
  /** Remarks on the content; absent where none was given. */
  warnings?: string[]
}

interface InAppEstimateParts extends ShownParts {
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers' | 'identifiers'>
  catalogue: Catalogue
  users: Pick<UserWalk, 'walk'>
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'users'>
  guard: Pick<Guard<UserTarget>, 'confirmAbove'>
  reads: InAppReads
  pushes: Pick<LinkedPushes, 'prepare'>
  clock: Clock
}

/** Users per step. */
const STEP = 2000
/** Recipients that are shown as examples. */
const SAMPLES = 10

/** Counts of one walk. */
interface Tally {
  audience: number
  refused: Record<Refusal, number>
  excluded: number
  /** The first recipients. */
  shown: number[]
  /** Recipients for whom the content is rendered; undefined where all get the same. */
  covered: Sample<number> | undefined
}

/** Makes the function that estimates a message which is still being written. Throws `invalid` as a send does. */
export function createInAppEstimate(parts: InAppEstimateParts) {
  const { recipients, catalogue, users, refusals, guard, reads, pushes, clock } = parts
  const shownBy = createShown(parts)

  /** Walks an audience and adds to the tally. Returns whether the time sufficed. */
  async function walk(
    { appId, target, rules }: { appId: number; target: UserTarget; rules: ConsentRules | undefined },
    tally: Tally,
    pace: Pace,
  ): Promise<boolean> {
    const seen = new Set<number>()
    const steps = await users.walk(appId, target)
    for (let cursor: UserCursor = {}, done = false; !done; ) {
      if (!(await pace.turn())) return false
      const batch = await steps.next(cursor, STEP, STEP)
      const meant = batch.users.filter((user) => !seen.has(user))
      // Only named installs lead to the same user twice.
      if (target.kind === 'named') for (const user of meant) seen.add(user)
      const without = rules ? await refusals.users(appId, rules, meant) : new Map<number, Refusal>()
      for (const why of without.values()) tally.refused[why]++
      tally.audience += meant.length
      tally.excluded += batch.excluded.length
      const reached = without.size === 0 ? meant : meant.filter((user) => !without.has(user))
      if (tally.shown.length < SAMPLES) tally.shown.push(...reached.slice(0, SAMPLES - tally.shown.length))
      if (tally.covered) for (const user of reached) tally.covered.offer(user)
      cursor = batch.next
      done = batch.done
    }
    return true
  }

  /** The content, judged with the target, so that one response names everything that is wrong. */
  async function judged(appId: number, { targeting, saying }: InAppEstimateInput) {
    const wrong: FieldErrors = {}
    const shown = saying && (await shownBy(appId, saying.request, wrong))
    const push = saying && (await preparePush(pushes, appId, saying.request, wrong, clock.now()))
    const found = await gather(wrong, () => lookupTarget(recipients, catalogue, appId, targeting, 'target.'))
    if (!found || Object.keys(wrong).length > 0) throw invalid(wrong)
    return { ...found, shown, push }
  }

  return async function estimate(
    appId: number,
    input: InAppEstimateInput,
    pace: Pace = unhurried,
  ): Promise<InAppEstimate> {
    const { consent = { purpose: null, transactional: false }, saying } = input
    const { target, errors, shown, push } = await judged(appId, input)
    const rules = await refusals.rulesOf(appId, consent)
    const content = shown && isPersonal(shown) ? shown : undefined
    const tally: Tally = {
      audience: 0,
      refused: { not_wanted: 0, on_suppression_list: 0 },
      excluded: 0,
      shown: [],
      covered: content && createSample<number>(saying!.sample),
    }
    const isComplete = await walk({ appId, target, rules }, tally, content ? firstPartOf(pace) : pace)
    const coverage = content && (await coverageOf(reads, { appId, content }, tally.covered!.items(), clock.now(), pace))
    const { audience, refused } = tally
    return {
      audience,
      recipients: audience - refused.not_wanted - refused.on_suppression_list,
      isComplete,
      confirmAbove: await guard.confirmAbove(appId),
      leftOut: leftOutOf(errors, tally),
      sample: tally.shown.length === 0 ? [] : await recipients.identifiers(tally.shown),
      ...(coverage && { coverage }),
      ...(shown && { warnings: [...warningsOf(shown, push), ...(coverage ? unknownInWords(coverage) : [])] }),
    }
  }
}

function leftOutOf(errors: TargetErrors, { excluded, refused }: Tally): InAppEstimate['leftOut'] {
  const leftOut: InAppEstimate['leftOut'] = [
    { reason: 'unknown_install', count: errors.unknownInstallIds?.length ?? 0 },
    { reason: 'unsubscribed_install', count: errors.unsubscribedInstallIds?.length ?? 0 },
    { reason: 'unknown_user', count: errors.unknownUserIds?.length ?? 0 },
    { reason: 'unsubscribed_user', count: errors.unsubscribedUserIds?.length ?? 0 },
    { reason: 'excluded', count: excluded },
    { reason: 'not_wanted', count: refused.not_wanted },
    { reason: 'on_suppression_list', count: refused.on_suppression_list },
  ]
  return leftOut.filter(({ count }) => count > 0)
}
