import type { Claim } from '../../../platform/queue/queue.ts'
import type { DeliveryAreas, DeliveryParts } from '../deliver/delivery-parts.ts'
import { crashVerdict } from '../deliver/verdict.ts'
import { STATUS } from '../types.ts'
import type { Failure, Page } from './ledger.repository.ts'
import { endedBetween, SLOT } from './page.ts'

export type RecoveryParts = Pick<DeliveryParts, 'inTransaction' | 'clock' | 'random' | 'log' | 'count'>

/** Pages taken back in one transaction. */
const AT_ONCE = 20

/**
 * Takes back the pages that a dead worker had: whoever was begun may or may not have got the message and is sent again with
 * the same replacement key (at most twice), at the lane's pace: no budget of retries is asked. Everybody else just goes on waiting. `claim` is one page whose work failed here,
 * which then rests for `restMs`. Returns how many pages.
 */
export async function recoverPages(
  parts: RecoveryParts,
  whose?: { all: true } | { name: string } | { claim: Claim; restMs: number },
): Promise<number> {
  if (whose && 'claim' in whose) return recoverSome(parts, async () => [whose.claim], whose.restMs)
  let recovered = 0
  for (;;) {
    const count = await recoverSome(parts, ({ queue }) => queue.orphans(AT_ONCE, whose))
    recovered += count
    if (count === 0) break
  }
  if (recovered > 0) parts.log.info({ pages: recovered }, 'took back the pages of a worker that ended')
  return recovered
}

/**
 * Settles a claimed page whose work fails again and again, so that nobody on it disappears: who was begun may have got the
 * message and ends `unknown`, the others fail with `internal_error`. The page is left `buried`, for people to look at.
 */
export async function giveUpPage(parts: RecoveryParts, claim: Claim): Promise<void> {
  const { inTransaction, clock, log, count } = parts
  const given = await inTransaction(async ({ ledger, queue, fanOut }) => {
    const page = await ledger.claimedPage(claim)
    if (!page) return undefined
    const now = clock.now()
    const status = await ledger.statusOf(page.notificationId, true)
    const message = await ledger.message(page.notificationId)
    const before = Buffer.from(page.outcomes)
    const isLate = now >= (page.expiresAt ?? message?.expiresAt ?? Number.POSITIVE_INFINITY)
    const rest = status === STATUS.cancelled ? SLOT.cancelled : isLate ? SLOT.expired : SLOT.internal_error
    const failures = endWithReasons(page, rest, `its page failed ${claim.failures} times: see the log`)
    if (!(await ledger.writeOutcomes(claim, before, page.outcomes, now))) return undefined
    await ledger.insertFailures(page, failures, now)
    await queue.bury(claim)
    await fanOut.finishIfDone(page.appId, page.notificationId)
    return { page, before }
  })
  if (!given) return
  const { page, before } = given
  const ended = endedBetween(before, page.outcomes)
  for (const [outcome, recipients] of ended) count?.(outcome, recipients)
  log.error(
    { page: page.id, notification: page.notificationId, failures: claim.failures, ended: Object.fromEntries(ended) },
    'a page failed again and again and was given up: the errors before this one say why',
  )
}

/** Ends everybody of a page who is not through; returns what to tell of those who did not fail by the clock or a cancel. */
function endWithReasons(page: Page, rest: number, reason: string): Failure[] {
  return page.rows.flatMap((row, slot): Failure[] => {
    const was = page.outcomes[slot]
    if (was !== SLOT.pending && was !== SLOT.begun) return []
    page.outcomes[slot] = was === SLOT.begun ? SLOT.unknown : rest
    if (was === SLOT.begun) return [{ row, kind: 'unknown', reason }]
    return rest === SLOT.internal_error ? [{ row, kind: 'internal_error', reason }] : []
  })
}

async function recoverSome(
  parts: RecoveryParts,
  find: (areas: DeliveryAreas) => Promise<Claim[]>,
  restMs = 0,
): Promise<number> {
  const { claims, ended } = await parts.inTransaction(async (areas) => {
    const claims = await find(areas)
    const ended: ReturnType<typeof endedBetween>[] = []
    for (const claim of claims) ended.push(await recoverPage(parts, areas, claim, restMs))
    return { claims, ended }
  })
  for (const one of ended) for (const [outcome, recipients] of one) parts.count?.(outcome, recipients)
  return claims.length
}

/** Returns who came to an end by it. */
async function recoverPage(
  { clock, random }: RecoveryParts,
  { queue, ledger, fanOut }: DeliveryAreas,
  claim: Claim,
  restMs: number,
): Promise<ReturnType<typeof endedBetween>> {
  const page = await ledger.claimedPage(claim)
  if (!page) return new Map()
  const now = clock.now()
  await ledger.statusOf(page.notificationId, true)
  const before = Buffer.from(page.outcomes)
  const verdict = crashVerdict(page, random())
  const begun = page.rows.filter((_, slot) => before[slot] === SLOT.begun)
  before.forEach((byte, slot) => byte === SLOT.begun && page.outcomes.writeUInt8(verdict.slot, slot))
  // Somebody else was faster: another node that looks for orphans, or the owner, who lives after all.
  if (!(await ledger.writeOutcomes(claim, before, page.outcomes, now))) return new Map()
  if ('retry' in verdict && begun.length > 0) {
    const { afterMs, ...tries } = verdict.retry
    const { appId, notificationId, laneId, expiresAt } = page
    const notBefore = now + afterMs
    const again = { appId, notificationId, laneId: laneId!, rows: begun, notBefore, expiresAt, afterCrash: true }
    await ledger.insertPage({ ...again, ...tries }, now)
  } else {
    const reason = 'a worker ended while it was sending'
    await ledger.insertFailures(
      page,
      begun.map((row) => ({ row, kind: 'unknown', reason })),
      now,
    )
  }
  if (page.outcomes.includes(SLOT.pending)) await queue.retry(claim, now + restMs, true)
  else {
    await queue.complete(claim)
    await fanOut.finishIfDone(page.appId, page.notificationId)
  }
  return endedBetween(before, page.outcomes)
}
