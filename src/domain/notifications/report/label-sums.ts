import type { PushSums } from '../../labels/types.ts'
import type { StatisticsService } from '../../statistics/service.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { KeptCounts } from '../record/retention.repository.ts'
import type { NotificationsRepository } from '../repository.ts'

interface LabelSumsParts {
  repo: Pick<NotificationsRepository, 'figures'>
  ledger: Pick<Ledger, 'countsOf'>
  statistics: Pick<StatisticsService, 'acceptedOf'>
}

/**
 * Adds up notifications, tests apart: few statements for all of them. The accepted recipients of one are read from the counts that are
 * kept, else added up by hours, and of one that has no hours by pages.
 */
export function createLabelSums({ repo, ledger, statistics }: LabelSumsParts) {
  return async (appId: number, ids: readonly number[]): Promise<PushSums> => {
    const sums: PushSums = { sends: 0, accepted: 0, opened: 0 }
    if (ids.length === 0) return sums
    const rows = await repo.figures(appId, ids)
    const open = rows.flatMap(({ id, counts }) => (counts === null ? [id] : []))
    const byHours = open.length > 0 ? await statistics.acceptedOf(appId, open) : new Map<number, number>()
    const uncounted = open.filter((id) => !byHours.has(id))
    const byPages = uncounted.length > 0 ? await ledger.countsOf(appId, uncounted) : undefined
    for (const { id, opened, counts } of rows) {
      sums.sends++
      sums.opened += opened
      sums.accepted += counts === null ? (byHours.get(id) ?? byPages?.get(id)?.accepted ?? 0) : acceptedIn(counts)
    }
    return sums
  }
}

const acceptedIn = (counts: string): number => (JSON.parse(counts) as KeptCounts).counts.accepted
