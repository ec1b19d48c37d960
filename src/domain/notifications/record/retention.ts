import type { Clock } from '../../../platform/time/clock.ts'
import type { Ledger } from './ledger.repository.ts'
import type { Over, RetentionRepository } from './retention.repository.ts'

const DAY_MS = 86_400_000
/** Notifications that are forgotten with the same statements. */
const AT_ONCE = 200

/** Targeting fields that name installs or users. */
const NAMING = new Set(['installIds', 'userIds', 'excludeInstallIds'])

export interface RetentionParts {
  repo: RetentionRepository
  ledger: Pick<Ledger, 'countsOf' | 'reasonsOf'>
  clock: Clock
}

/** Forgets the recipients of old notifications; the notifications and the counts of their reports stay. */
export function notificationRetention({ repo, ledger, clock }: RetentionParts) {
  /** Deletes at most `limit` rows of these notifications of an app. They are forgotten when that deletes all. */
  async function forgetSome(appId: number, over: readonly Over[], limit: number): Promise<number> {
    if (limit <= 0) return 0
    const ids = over.map(({ id }) => id)
    const uncounted = over.flatMap(({ id, hasCounts }) => (hasCounts ? [] : [id]))
    if (uncounted.length > 0) {
      const [counts, reasons] = [await ledger.countsOf(appId, uncounted), await ledger.reasonsOf(appId, uncounted)]
      const kept = uncounted.map((id) => [id, { counts: counts.get(id)!, reasons: reasons.get(id) ?? {} }] as const)
      await repo.keepCounts(appId, new Map(kept))
    }
    const gone = await repo.deleteRows(appId, ids, limit)
    if (gone + over.length > limit) return limit
    const filters = over.map((one) => [one.id, withoutNames(one.filters)] as const)
    await repo.markForgotten(appId, new Map(filters), clock.now())
    return gone + over.length
  }

  return {
    /**
     * Deletes at most `limit` rows (pages, failures, opens, metadata for users) of notifications of all apps that expired
     * at least `days` ago, and takes the names out of their targeting. Returns how many, counting each notification as
     * one more; fewer than the limit when none is left. With 0 days, nothing is forgotten.
     */
    async forget(days: number, limit: number): Promise<number> {
      if (days === 0) return 0
      const now = clock.now()
      let left = limit
      while (left > 0) {
        const some = await repo.over(now - days * DAY_MS, Math.min(left, AT_ONCE))
        if (some.length === 0) break
        for (const [appId, over] of Map.groupBy(some, (one) => one.appId)) left -= await forgetSome(appId, over, left)
      }
      return limit - left
    },
  }
}

function withoutNames(filters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filters).map(([field, value]) => [field, NAMING.has(field) ? [] : value]))
}
