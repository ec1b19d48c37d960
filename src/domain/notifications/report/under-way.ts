import type { StatisticsService } from '../../statistics/service.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { RetentionRepository } from '../record/retention.repository.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import type { NotificationsRepository } from '../repository.ts'
import type { Counts, NotificationRecord } from '../types.ts'

/** A notification with its results so far. `counts` leaves out recipients who are not on a page yet. */
export interface CountedNotification {
  notification: NotificationRecord
  counts: Counts
}

/** Notifications of an app that are in progress, that are next, and that have just ended. */
export interface UnderWay {
  /** Notifications that are being sent now, oldest first. */
  running: CountedNotification[]
  /** Notifications in the order of their next due time (ms). */
  scheduled: { notification: NotificationRecord; nextAt: number }[]
  /** Ended notifications, newest first. */
  ended: CountedNotification[]
}

/** The number of each that are shown. */
const SHOWN = 10
/** The newest notifications among which ended ones are looked for; the others are still open. */
const LOOKED_AT = 100

export interface UnderWayParts {
  repo: Pick<NotificationsRepository, 'byIds' | 'sending' | 'overAmong'>
  runs: Pick<RunsRepository, 'upcoming'>
  ledger: Pick<Ledger, 'counts'>
  retention: Pick<RetentionRepository, 'keptCounts'>
  statistics: Pick<StatisticsService, 'pushCourse'>
}

/** Counts the recipients of a notification that is over. */
export function createEndedCounts({
  ledger,
  retention,
  statistics,
}: Pick<UnderWayParts, 'ledger' | 'retention' | 'statistics'>) {
  /** Sums of a few rows: the pages of a notification to a million recipients are a thousand. */
  return async function countsOfEnded(appId: number, id: number): Promise<Counts> {
    const { platforms } = await statistics.pushCourse(appId, id)
    if (platforms.length === 0) {
      return (await retention.keptCounts(appId, id))?.counts ?? ledger.counts(appId, id)
    }
    const sum = (name: 'accepted' | 'failed' | 'expired' | 'cancelled' | 'skipped' | 'unknown') =>
      platforms.reduce((all, one) => all + one[name], 0)
    const [accepted, failed, expired] = [sum('accepted'), sum('failed'), sum('expired')]
    const [cancelled, skipped, unknown] = [sum('cancelled'), sum('skipped'), sum('unknown')]
    const audience = accepted + failed + expired + cancelled + skipped + unknown
    return { audience, pending: 0, accepted, failed, expired, cancelled, skipped, unknown }
  }
}

/** Reads notifications under way in an app, at most ten of each kind. */
export function createUnderWay({ repo, runs, ledger, retention, statistics }: UnderWayParts) {
  const countsOfEnded = createEndedCounts({ ledger, retention, statistics })

  const byId = async (appId: number, ids: readonly number[]) =>
    new Map((await repo.byIds(appId, ids)).map((one) => [one.id, one]))

  return async (appId: number): Promise<UnderWay> => {
    const running: CountedNotification[] = []
    for (const notification of await repo.sending(appId, SHOWN)) {
      running.push({ notification, counts: await ledger.counts(appId, notification.id) })
    }
    const next = await runs.upcoming(appId, SHOWN)
    const known = await byId(
      appId,
      next.map(({ id }) => id),
    )
    const scheduled = next.flatMap(({ id, nextAt }) => {
      const notification = known.get(id)
      return notification ? [{ notification, nextAt }] : []
    })
    const over = await repo.overAmong(appId, LOOKED_AT, SHOWN)
    const found = await byId(appId, over)
    const ended: CountedNotification[] = []
    for (const id of over) {
      const notification = found.get(id)
      if (notification) ended.push({ notification, counts: await countsOfEnded(appId, id) })
    }
    return { running, scheduled, ended }
  }
}
