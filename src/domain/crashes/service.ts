import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { CrashesRepository, CrashQuota } from './repository.ts'
import { summarize } from './summary.ts'
import type { CrashFilter, CrashGroup, CrashReport, CrashSource, WholeCrashReport } from './types.ts'

/** Reports that one install sent in one go. */
export interface NewCrashes {
  installId: string
  source: CrashSource
  reports: readonly unknown[]
  /** Of events: which library wrote it. */
  format?: string | null
  /** What makes a report the same one when it has no id of its own; else its content does. */
  ownId?: string
}

export type CrashesService = ReturnType<typeof crashesService>

interface Parts {
  repo: CrashesRepository
  clock: Clock
  quota: CrashQuota & {
    /** Bytes of the largest report. */
    largest: number
  }
}

/** Crash reports: taken as they are, summed up, the newest kept. */
export function crashesService({ repo, clock, quota }: Parts) {
  return {
    /**
     * Stores those of the reports that are new and not larger than `limits.crashBody`, and forgets the oldest of the app by the same
     * door when there are more than are kept. How many are known now, from this call or an earlier one. Throws `invalid` for an
     * install id that cannot be stored.
     */
    async accept(appId: number, { installId, source, reports, format = null, ownId }: NewCrashes): Promise<number> {
      if (!isIdentifier(installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
      const now = clock.now()
      let known = 0
      let added = 0
      for (const report of reports) {
        // Well-formed JSON writes what databases refuse as escapes.
        const text = JSON.stringify(report) ?? 'null'
        const size = Buffer.byteLength(text)
        if (size > quota.largest) continue
        const { reportId, at, ...summary } = summarize(source, report, format)
        const stored = {
          ...summary,
          appId,
          installId,
          source,
          reportId: reportId ?? ownId ?? createHash('sha256').update(text).digest('hex'),
          happenedAt: at === null ? now : Math.min(Math.max(at, 0), now),
          receivedAt: now,
          size,
        }
        known++
        if (await repo.insert(stored, text)) added++
      }
      if (added > 0) await repo.trim(appId, source, quota)
      return known
    },

    /** At most `limit` reports, newest first; `before` is the last id of the page before. */
    list(appId: number, filter: CrashFilter, before: number | undefined, limit: number): Promise<CrashReport[]> {
      return repo.list(appId, filter, before, limit)
    },

    /** At most `limit` faults, those that were reported last first. */
    groups(appId: number, filter: CrashFilter, limit: number): Promise<CrashGroup[]> {
      return repo.groups(appId, filter, limit)
    },

    /** One report with all that it says. Throws `not_found`. */
    async get(appId: number, id: number): Promise<WholeCrashReport> {
      const found = await repo.find(appId, id)
      if (!found) throw new AppError('not_found', `there is no crash report ${id}: it may be over its time`)
      return found
    },

    /** Deletes at most `limit` reports, of all apps, that are older than `days`; returns how many. */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(clock.now() - days * 86_400_000, limit)
    },
  }
}
