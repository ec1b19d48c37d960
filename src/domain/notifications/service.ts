import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import { type AcceptParts, createAccept, createMeasure } from './accept/accept.ts'
import type { RunsRepository } from './fan-out/runs.repository.ts'
import type { Ledger } from './record/ledger.repository.ts'
import type { InstallOpen, OpensRepository, UserOpen } from './report/opens.repository.ts'
import {
  countUnknownZones,
  explainOutcomes,
  type NotificationRecord,
  type NotificationReport,
} from './report/report.ts'
import type { NotificationsRepository } from './repository.ts'

export interface NotificationsParts extends AcceptParts {
  repo: NotificationsRepository
  opens: OpensRepository
  ledger: Pick<Ledger, 'counts' | 'reasons'>
  runs: RunsRepository
}

export type NotificationsService = ReturnType<typeof notificationsService>

/** Taking notifications, and telling what became of them. */
export function notificationsService(parts: NotificationsParts) {
  const { repo, opens, ledger, runs } = parts

  async function get(appId: number, id: number): Promise<NotificationRecord> {
    const found = await repo.find(appId, id)
    if (!found) throw new AppError('not_found', `there is no notification ${id}`)
    return found
  }

  return {
    accept: createAccept(parts),

    measure: createMeasure(parts),

    /** Throws `not_found`, also for a notification of another app. */
    get,

    find: (appId: number, id: number) => repo.find(appId, id),

    /** Newest first, `limit` at a time; `next` is the `after` of the page behind, null when there is none. */
    async list(appId: number, { after, limit }: { after?: number | undefined; limit: number }) {
      const { rows: notifications, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { notifications, next }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<NotificationReport> {
      const notification = await get(appId, id)
      const outcomes = explainOutcomes(await repo.failures(appId, id), await ledger.reasons(appId, id))
      const dueInstants = await runs.instants(id)
      const unknownZones = countUnknownZones(dueInstants)
      return { notification, dueInstants, unknownZones, counts: await ledger.counts(appId, id), ...outcomes }
    },

    /**
     * Scheduled ones that are not through, by their next instant, at most `limit`. One at a time is read: each has its whole targeting.
     */
    async *upcoming(appId: number, limit: number) {
      for (const { id, nextAt } of await runs.upcoming(appId, limit)) {
        const notification = await repo.find(appId, id)
        if (notification) yield { notification, nextAt }
      }
    },

    /** Which installs opened it, each once. Throws `not_found` before the first one is read. */
    async installOpens(appId: number, id: number): Promise<AsyncIterable<InstallOpen>> {
      await get(appId, id)
      return opens.installOpens(appId, id)
    },

    /** Which users opened it, each once with the first time. Throws `not_found` before the first one is read. */
    async userOpens(appId: number, id: number): Promise<AsyncIterable<UserOpen>> {
      await get(appId, id)
      return opens.userOpens(appId, id)
    },
  }
}
