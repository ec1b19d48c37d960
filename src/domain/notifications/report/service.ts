import { readFittingPage, readWeighedPage } from '../../../platform/db/pages.ts'
import { invalid } from '../../../platform/errors.ts'
import { createGet } from '../../audience/sends.ts'
import type { LanguageCounts } from '../record/language-counts.repository.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { InstallOpen, OpensRepository, UserOpen } from '../record/opens.repository.ts'
import type { RecipientState } from '../record/page.ts'
import type { RetentionRepository } from '../record/retention.repository.ts'
import type { RunsRepository } from '../record/runs.repository.ts'
import { type NotificationsRepository, timeIn } from '../repository.ts'
import { sendAgain } from '../request/again.ts'
import { type NotificationFilter, type NotificationRecord, plannedAtOf } from '../types.ts'
import { isFitting, isLookedThrough } from './fitting.ts'
import type { RecipientsRepository } from './recipients.repository.ts'
import { type RecipientResult, recipientsOf } from './recipients.ts'
import { countUnknownZones, explainOutcomes, type NotificationReport } from './report.ts'

export interface NotificationsParts {
  repo: NotificationsRepository
  opens: OpensRepository
  ledger: Pick<Ledger, 'counts' | 'reasons'>
  runs: RunsRepository
  recipients: RecipientsRepository
  retention: Pick<RetentionRepository, 'keptCounts'>
  languages: Pick<LanguageCounts, 'languages'>
  /** Time to live in seconds of requests without `ttl`. */
  defaultTtl: number
}

export type NotificationsService = ReturnType<typeof notificationsService>

/** Lists notifications and reports on them. */
export function notificationsService(parts: NotificationsParts) {
  const { repo, opens, ledger, runs, recipients, retention, defaultTtl } = parts

  const get = createGet<NotificationRecord>(repo, 'notification')

  /** In the order that the filter names, else of their creation. Without a filter the list also goes on behind a notification that is gone: by its number. */
  async function list(
    appId: number,
    filter: NotificationFilter | undefined,
    { after, limit }: { after?: number | undefined; limit: number },
  ) {
    const read = (ids: readonly number[]) => repo.byIds(appId, ids)
    const last = after === undefined ? undefined : await repo.find(appId, after)
    const order = filter?.order
    const isPlaced = last !== undefined && (order === undefined || timeIn(order, last) !== null)
    if (after !== undefined && !isPlaced) {
      if (filter === undefined) return readWeighedPage(limit, (most) => repo.list(appId, after, most), read)
      throw invalid({ after: [`notification ${after} is not there any more: begin the list again without after`] })
    }
    const look = (most: number) =>
      order === undefined
        ? repo.listFiltered(appId, filter ?? {}, last, most)
        : repo.listByTime(appId, order, { q: filter?.q, after: last, limit: most })
    if (!filter || !isLookedThrough(filter)) return readWeighedPage(limit, look, read)
    return readFittingPage(limit, look, { fits: (row) => isFitting(row, filter), read })
  }

  return {
    get,

    find: (appId: number, id: number) => repo.find(appId, id),

    /** The body that sends it once more, without its time. Throws `not_found`. */
    async again(appId: number, id: number) {
      const notification = await get(appId, id)
      const { expiresAt, hasUserMeta } = notification
      const { lastDue } = await runs.span(id)
      const ttl = Math.round((expiresAt - Math.max(plannedAtOf(notification), lastDue ?? 0)) / 1000)
      return sendAgain(notification, {
        ttl: ttl === defaultTtl ? undefined : ttl,
        userMeta: hasUserMeta ? await repo.userMeta(appId, id) : undefined,
      })
    },

    /**
     * Notifications, newest first by the time of their creation; with a filter those that it lets through. Throws
     * `invalid` when a filtered list cannot go on after `after`, because that notification is gone.
     */
    async list(
      appId: number,
      { filter, ...page }: { after?: number | undefined; limit: number; filter?: NotificationFilter | undefined },
    ) {
      const { rows: notifications, next } = await list(appId, filter, page)
      return { notifications, next }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<NotificationReport> {
      const notification = await get(appId, id)
      const kept = await retention.keptCounts(appId, id)
      const reasons = kept?.reasons ?? (await ledger.reasons(appId, id))
      const outcomes = explainOutcomes(await repo.failures(appId, id), reasons)
      const counts = kept?.counts ?? (await ledger.counts(appId, id))
      const dueInstants = await runs.instants(id)
      const unknownZones = countUnknownZones(dueInstants)
      const languages = notification.content.languages ? await parts.languages.languages(appId, id) : []
      return { notification, dueInstants, unknownZones, counts, ...outcomes, languages }
    },

    /**
     * Scheduled notifications that are not finished, by next due time. Reads one at a time: each holds its whole
     * targeting.
     */
    async *upcoming(appId: number, limit: number) {
      for (const { id, nextAt } of await runs.upcoming(appId, limit)) {
        const notification = await repo.find(appId, id)
        if (notification) yield { notification, nextAt }
      }
    },

    /** Outcomes of the recipients, with `outcome` of those only. Throws `not_found` before it reads the first one. */
    async recipients(appId: number, id: number, outcome?: RecipientState): Promise<AsyncIterable<RecipientResult>> {
      await get(appId, id)
      return recipientsOf(recipients, appId, id, outcome)
    },

    /** The installs that opened it, each once. Throws `not_found` before it reads the first one. */
    async installOpens(appId: number, id: number): Promise<AsyncIterable<InstallOpen>> {
      await get(appId, id)
      return opens.installOpens(appId, id)
    },

    /** The users who opened it, each once with the first time. Throws `not_found` before it reads the first one. */
    async userOpens(appId: number, id: number): Promise<AsyncIterable<UserOpen>> {
      await get(appId, id)
      return opens.userOpens(appId, id)
    },
  }
}
