import type { Claim } from '../../../platform/queue/queue.ts'
import { ascending } from '../../audience/target.ts'
import { SLOT } from '../record/page.ts'
import type { DeliveryAreas } from './delivery-parts.ts'
import { PageRecord } from './page-record.ts'
import type { PageTurn } from './turn.ts'

/**
 * Finds the pages among these claims that can begin in the transaction that claims them, which saves a transaction of their own: first
 * tries without rules that have to be asked. `take` is given the recipients of a page, and returns how many of them may begin. Returns
 * their turns.
 */
export async function beginClaimed(
  { ledger, restraint }: DeliveryAreas,
  claims: readonly Claim[],
  take: (recipients: number) => number,
): Promise<PageTurn[]> {
  if (claims.length === 0) return []
  const pages = await ledger.claimedPages(claims)
  const fresh = claims.flatMap((claim) => {
    const page = pages.get(claim.id)
    const isFresh = page && page.attempt === 0 && page.resends === 0 && !page.afterCrash
    return isFresh && page.outcomes.every((byte) => byte === SLOT.pending) ? [{ claim, page }] : []
  })
  if (fresh.length === 0) return []
  const ids = ascending(fresh.map(({ page }) => page.notificationId))
  const rules = await restraint.rulesOf(fresh[0]!.page.appId, ids)
  const turns: PageTurn[] = []
  for (const { claim, page } of fresh) {
    if (rules.has(page.notificationId)) continue
    if (take(page.rows.length) < page.rows.length) break
    const record = new PageRecord(claim, page, undefined, { isQueued: true })
    turns.push({ record, answered: [], answers: [], toBegin: page.rows.map((_, slot) => slot), isFree: true })
  }
  return turns
}
