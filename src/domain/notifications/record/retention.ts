import type { Clock } from '../../../platform/time/clock.ts'
import type { Ledger } from './ledger.repository.ts'
import type { RetentionRepository } from './retention.repository.ts'

const DAY_MS = 86_400_000

/** Targeting fields that name installs or users. */
const NAMING = new Set(['installIds', 'userIds', 'excludeInstallIds'])

export interface RetentionParts {
  repo: RetentionRepository
  ledger: Pick<Ledger, 'counts' | 'reasons'>
  clock: Clock
}

/** Forgets who got old notifications; the notifications and the counts of their reports stay. */
export function notificationRetention({ repo, ledger, clock }: RetentionParts) {
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
        const over = await repo.nextOver(now - days * DAY_MS)
        if (!over) break
        const { id, appId, filters, hasCounts } = over
        if (!hasCounts) {
          const kept = { counts: await ledger.counts(appId, id), reasons: await ledger.reasons(appId, id) }
          await repo.keepCounts(appId, id, kept)
        }
        left -= await repo.deleteRows(appId, id, left)
        if (left <= 0) break
        await repo.markForgotten(appId, id, withoutNames(filters), now)
        left--
      }
      return limit - left
    },
  }
}

function withoutNames(filters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filters).map(([field, value]) => [field, NAMING.has(field) ? [] : value]))
}
