import { createRecords } from '../audience/sends.ts'
import { type AcceptParts, createAccept, createPushMeasure } from './accept/accept.ts'
import type { RunsRepository } from './fan-out/runs.repository.ts'
import type { Ledger } from './record/ledger.repository.ts'
import type { InstallOpen, OpensRepository, UserOpen } from './record/opens.repository.ts'
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

/** Accepts notifications and reports on them. */
export function notificationsService(parts: NotificationsParts) {
  const { repo, opens, ledger, runs } = parts

  const records = createRecords<NotificationRecord>(repo, 'notification')

  return {
    accept: createAccept(parts),

    measure: createPushMeasure(parts),

    get: records.get,

    find: (appId: number, id: number) => repo.find(appId, id),

    /** Newest first, as `createRecords` lists them. */
    async list(appId: number, page: { after?: number | undefined; limit: number }) {
      const { rows: notifications, next } = await records.list(appId, page)
      return { notifications, next }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<NotificationReport> {
      const notification = await records.get(appId, id)
      const outcomes = explainOutcomes(await repo.failures(appId, id), await ledger.reasons(appId, id))
      const dueInstants = await runs.instants(id)
      const unknownZones = countUnknownZones(dueInstants)
      return { notification, dueInstants, unknownZones, counts: await ledger.counts(appId, id), ...outcomes }
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

    /** The installs that opened it, each once. Throws `not_found` before it reads the first one. */
    async installOpens(appId: number, id: number): Promise<AsyncIterable<InstallOpen>> {
      await records.get(appId, id)
      return opens.installOpens(appId, id)
    },

    /** The users who opened it, each once with the first time. Throws `not_found` before it reads the first one. */
    async userOpens(appId: number, id: number): Promise<AsyncIterable<UserOpen>> {
      await records.get(appId, id)
      return opens.userOpens(appId, id)
    },
  }
}
