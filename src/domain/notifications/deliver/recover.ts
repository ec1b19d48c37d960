import type { Claim } from '../../../platform/queue/queue.ts'
import type { Failure } from '../record/ledger.repository.ts'
import { endedBetween, SLOT } from '../record/page.ts'
import type { Page } from '../record/page-rows.ts'
import { crashVerdict } from '../record/verdict.ts'
import { STATUS } from '../types.ts'
import type { DeliveryAreas, DeliveryParts } from './delivery-parts.ts'

export type RecoveryParts = Pick<DeliveryParts, 'inTransaction' | 'clock' | 'random' | 'log' | 'count'>

/** Pages recovered in one transaction. */
const AT_ONCE = 20

/**
 * Returns the pages of dead workers to the queue. A begun recipient may or may not have got the message: it is sent to
 * again with the same replacement key, at most twice, at the lane's rate and outside of the retry budget. Pending
 * recipients stay pending. With `claim`, recovers one page whose delivery failed in this process; it is due again after
 * `restMs`. Returns the number of pages.
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
  if (recovered > 0) parts.log.info({ pages: recovered }, 'recovered the pages of a worker that died')
  return recovered
}

/**
 * Gives up a claimed page whose delivery fails repeatedly, so that every recipient on it still gets an outcome: begun
 * ones may have got the message and become `unknown`, the others fail with `internal_error`. The page stays in the
 * state `buried` for inspection.
 */
export async function giveUpPage(parts: RecoveryParts, claim: Claim): Promise<void> {
  const { inTransaction, clock, log, count } = parts
  const given = await inTransaction(async ({ ledger, queue, fanOut }) => {
    const page = await ledger.claimedPage(claim)
    if (!page) return undefined
    const now = clock.now()
    const status = await ledger.statusOf(page.notificationId, true)
    const expiresAt = page.expiresAt ?? (await ledger.expiryOf(page.notificationId))
    const before = Buffer.from(page.outcomes)
    const isLate = now >= (expiresAt ?? Number.POSITIVE_INFINITY)
    const rest = restOf(status, isLate)
    const failures = endWithReasons(page, rest, `its page failed ${claim.failures} times: see the log`)
    if (!(await ledger.writeOutcomes(claim, before, page.outcomes, now))) return undefined
    await ledger.insertFailures(page, failures, now)
    await queue.bury(claim)
    await fanOut.finish(page.appId, [page.notificationId])
    return { page, before }
  })
  if (!given) return
  const { page, before } = given
  const ended = endedBetween(before, page.outcomes)
  for (const [outcome, recipients] of ended) count?.(outcome, recipients)
  log.error(
    { page: page.id, notification: page.notificationId, failures: claim.failures, ended: Object.fromEntries(ended) },
    'gave up a page that failed repeatedly: the errors logged before this one say why',
  )
}

/** The outcome of recipients that were never begun. */
function restOf(status: number | undefined, isLate: boolean): number {
  if (status === STATUS.cancelled) return SLOT.cancelled
  return isLate ? SLOT.expired : SLOT.internal_error
}

/**
 * Gives every unfinished recipient of a page an outcome. Returns the failures to report: not those that expired or were
 * cancelled.
 */
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

/** Returns how many recipients got which final outcome. */
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
  const isOver = (await ledger.message(page.notificationId))?.oneTry === true
  const verdict = isOver ? { slot: SLOT.unknown } : crashVerdict(page, random())
  const begun = page.rows.filter((_, slot) => before[slot] === SLOT.begun)
  before.forEach((byte, slot) => byte === SLOT.begun && page.outcomes.writeUInt8(verdict.slot, slot))
  // Another process was faster: a node that also recovers pages, or the owner, which is alive after all.
  if (!(await ledger.writeOutcomes(claim, before, page.outcomes, now))) return new Map()
  if ('retry' in verdict && begun.length > 0) {
    const { afterMs, ...tries } = verdict.retry
    const { appId, notificationId, laneId, expiresAt, byUser } = page
    const notBefore = now + afterMs
    const again = {
      appId,
      notificationId,
      laneId: laneId!,
      rows: begun,
      notBefore,
      expiresAt,
      byUser,
      afterCrash: true,
    }
    await ledger.insertPage({ ...again, ...tries }, now)
  } else {
    const reason = 'a worker ended while it was sending'
    await ledger.insertFailures(
      page,
      begun.map((row) => ({ row, kind: 'unknown', reason })),
      now,
    )
  }
  if (page.outcomes.includes(SLOT.pending)) await queue.retry(claim, restMs > 0 ? now + restMs : undefined, true)
  else {
    await queue.complete(claim)
    await fanOut.finish(page.appId, [page.notificationId])
  }
  return endedBetween(before, page.outcomes)
}
