import type { PushPreview } from '../../gateways/gateway.ts'
import { type Platform, platformOf, platforms } from '../../gateways/registry.ts'
import type { StatisticsService } from '../../statistics/service.ts'
import type { PlatformCounts, PushCourse } from '../../statistics/types.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { RetentionRepository } from '../record/retention.repository.ts'
import type { Previewer } from '../request/content-size.ts'
import type { NotificationFilter } from '../types.ts'
import { type Counts, STATUS, type Status } from '../types.ts'
import type { OpenerGroups, OpenersRepository } from './openers.ts'
import type { ProgressRepository } from './progress.repository.ts'
import { wordsOf } from './reason-words.ts'
import type { NotificationReport } from './report.ts'
import type { NotificationsService } from './service.ts'
import { type CountedNotification, createEndedCounts } from './under-way.ts'
import { createUsual, type Usual, type UsualParts } from './usual.ts'

/** The progress of a notification. */
export interface Progress {
  status: Status
  counts: Counts
  /** Counts by platform, in display order; null: recipients for whom the app has no gateway. */
  platforms: (Counts & { platform: Platform | null })[]
  /** True when a part of its audience is still to be found: `counts.audience` grows. */
  isFinding: boolean
  /**
   * The number of recipients that it will have, as far as that is known: a broadcast goes to all who can be reached
   * now. Null while nobody knows.
   */
  expected: number | null
  opened: number
}

/** Recipients with the same fate, and its meaning. */
export interface ExplainedReason {
  outcome: 'failed' | 'skipped' | 'expired' | 'cancelled' | 'unknown'
  /** Our name for the kind. */
  kind: string
  /** The vendor's own word for failures; else the kind. */
  reason: string
  count: number
  /** A sentence; null for a reason that only the vendor explains. */
  sentence: string | null
  remedy: string | null
}

/** Everything that a page about one notification shows. */
export interface DeliveryReport {
  report: NotificationReport
  course: PushCourse
  platforms: (PlatformCounts & { audience: number })[]
  reasons: ExplainedReason[]
  /** The usual figures of sends like it; null while there are few. */
  usual: Usual | null
  /** The requests that each gateway got, one for each platform with recipients. */
  sent: { platform: Platform; request: PushPreview }[]
}

interface DeliveriesParts {
  notifications: Pick<NotificationsService, 'get' | 'list' | 'report'>
  progress: ProgressRepository
  ledger: Pick<Ledger, 'counts'>
  retention: Pick<RetentionRepository, 'keptCounts'>
  repo: UsualParts['repo']
  openers: Pick<OpenersRepository, 'page' | 'groups'>
  statistics: Pick<StatisticsService, 'pushCourse' | 'installs'>
  previewers: readonly Previewer[]
}

/** Follows notifications while they are sent, and explains them afterwards. */
export function createDeliveries(parts: DeliveriesParts) {
  const { notifications, progress, ledger, openers, statistics, previewers } = parts
  const countsOfEnded = createEndedCounts(parts)
  const usualFor = createUsual({ repo: parts.repo, countsOf: countsOfEnded })

  async function byPlatform(appId: number, id: number): Promise<Progress['platforms']> {
    const rows = await progress.byPlatform(appId, id)
    const found = rows.map(({ platform, ...counts }) => ({ platform: platformOf(platform) ?? null, ...counts }))
    const place = (platform: Platform | null) => (platform === null ? platforms.length : platforms.indexOf(platform))
    return found.sort((a, b) => place(a.platform) - place(b.platform))
  }

  return {
    /** Notifications, newest first, each with its counts. Throws as the list of notifications. */
    async list(
      appId: number,
      page: { after?: number | undefined; limit: number; filter?: NotificationFilter | undefined },
    ): Promise<{ items: CountedNotification[]; next: number | null }> {
      const { notifications: found, next } = await notifications.list(appId, page)
      const items: CountedNotification[] = []
      for (const notification of found) {
        const isOver = notification.status >= STATUS.sent
        const counts = await (isOver ? countsOfEnded : ledger.counts)(appId, notification.id)
        items.push({ notification, counts })
      }
      return { items, next }
    },

    /** Throws `not_found`. */
    async progress(appId: number, id: number): Promise<Progress> {
      const notification = await notifications.get(appId, id)
      const { status, filters, opened } = notification
      const found = await byPlatform(appId, id)
      const counts = sumOf(found)
      const isFinding = status < STATUS.sent && (await progress.isFinding(appId, id))
      if (!isFinding) return { status, counts, platforms: found, isFinding, expected: counts.audience, opened }
      const isToAll = filters['broadcast'] === true
      const expected = isToAll ? Math.max(counts.audience, (await statistics.installs(appId)).reachable) : null
      return { status, counts, platforms: found, isFinding, expected, opened }
    },

    /** A page of those who opened it. Throws `not_found`. */
    async openers(appId: number, id: number, page: { after?: number | undefined; limit: number }) {
      await notifications.get(appId, id)
      return openers.page(appId, id, page)
    },

    /** Counts those who opened it by version and language. Throws `not_found`. */
    async openerGroups(appId: number, id: number): Promise<OpenerGroups> {
      await notifications.get(appId, id)
      return openers.groups(appId, id)
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<DeliveryReport> {
      const report = await notifications.report(appId, id)
      const course = await statistics.pushCourse(appId, id)
      const { notification } = report
      const total = ({ accepted, failed, expired, cancelled, skipped, unknown }: PlatformCounts) =>
        accepted + failed + expired + cancelled + skipped + unknown
      const message = {
        content: { ...notification.content, notificationId: id },
        expiresAt: notification.expiresAt,
        replacementKey: `n${id}`,
      }
      // Times to live are counted from when the first of them was sent to.
      const sentAt = Math.max(notification.createdAt, course.hours[0]?.at ?? 0)
      const reached = course.platforms.filter((one) => one.accepted + one.failed + one.unknown > 0)
      return {
        report,
        course,
        platforms: course.platforms.map((one) => ({ ...one, audience: total(one) })),
        reasons: explain(report),
        usual: await usualFor(appId, notification),
        sent: previewers.flatMap(({ platform, preview }) =>
          reached.some((one) => one.platform === platform) ? [{ platform, request: preview(message, sentAt) }] : [],
        ),
      }
    },
  }
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Counts = {
    audience: 0,
    pending: 0,
    accepted: 0,
    failed: 0,
    expired: 0,
    cancelled: 0,
    skipped: 0,
    unknown: 0,
  }
  for (const one of all) for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += one[name]
  return sum
}

/** Reasons for which recipients did not get it, in words, most frequent first. Pure. */
function explain({ counts, failures, skips, expiries }: NotificationReport): ExplainedReason[] {
  const named = (outcome: ExplainedReason['outcome'], kind: string, reason: string, count: number): ExplainedReason => {
    const { sentence = null, remedy = null } = wordsOf(kind) ?? {}
    return { outcome, kind, reason, count, sentence, remedy }
  }
  const late = expiries.reduce((sum, { count }) => sum + count, 0)
  return [
    ...failures.map(({ kind, reason, count }) => named('failed', kind, reason, count)),
    ...skips.map(({ reason, count }) => named('skipped', reason, reason, count)),
    ...expiries.map(({ reason, count }) => named('expired', reason, reason, count)),
    named('expired', 'expired', 'expired', counts.expired - late),
    named('cancelled', 'cancelled', 'cancelled', counts.cancelled),
    named('unknown', 'unknown', 'unknown', counts.unknown),
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
}
