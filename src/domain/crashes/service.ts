import { createHash } from 'node:crypto'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { CrashesRepository, CrashQuota } from './repository.ts'
import { summarize } from './summary.ts'
import type { CrashFilter, CrashGroup, CrashReport, CrashSource, WholeCrashReport } from './types.ts'

/** A report as an install sent it. */
export interface NewCrash {
  installId: string
  report: unknown
  /** For events: the library that wrote it. */
  format?: string | null
  /** Identifies a report without an id of its own; when absent, a digest of its content does. */
  ownId?: string
}

/** A report to store, with its JSON text. */
export type ReadCrash = Omit<CrashReport, 'id' | 'appId' | 'source'> & { text: string }

export type CrashesService = ReturnType<typeof crashesService>

interface Parts {
  repo: CrashesRepository
  clock: Clock
  quota: CrashQuota & {
    /** Maximum size of a report in bytes. */
    largest: number
  }
}

/** Crash reports: stored unchanged with a summary. Only the newest are kept. */
export function crashesService({ repo, clock, quota }: Parts) {
  /** Summarizes a report; undefined when it is larger than `limits.crashBody`. */
  function read(source: CrashSource, { installId, report, format = null, ownId }: NewCrash): ReadCrash | undefined {
    // Well-formed JSON escapes the characters that PostgreSQL refuses.
    const text = JSON.stringify(report) ?? 'null'
    const size = Buffer.byteLength(text)
    if (size > quota.largest) return undefined
    const { reportId, at, ...summary } = summarize(source, report, format)
    const now = clock.now()
    return {
      ...summary,
      installId,
      reportId: reportId ?? ownId ?? createHash('sha256').update(text).digest('hex'),
      happenedAt: at === null ? now : Math.min(Math.max(at, 0), now),
      receivedAt: now,
      size,
      text,
    }
  }

  /**
   * Stores the reports that are new, and deletes the oldest of the same app and source above the quota. Takes a few
   * statements for any number of reports.
   */
  async function keep(appId: number, source: CrashSource, crashes: readonly ReadCrash[]): Promise<void> {
    const byId = new Map<string, ReadCrash>()
    for (const crash of crashes) if (!byId.has(crash.reportId)) byId.set(crash.reportId, crash)
    for (const reportId of await repo.known(appId, source, [...byId.keys()])) byId.delete(reportId)
    if (byId.size === 0) return
    await repo.insert(appId, source, newestWithin(quota, [...byId.values()]))
    await repo.trim(appId, source, quota)
  }

  return {
    read,
    keep,

    /**
     * Reads and stores what an install sent in one request. Returns how many of the reports are stored, by this call or
     * an earlier one. Throws `invalid` for an install id that cannot be stored.
     */
    async accept(
      appId: number,
      { installId, source, reports }: { installId: string; source: CrashSource; reports: readonly unknown[] },
    ): Promise<number> {
      if (!isIdentifier(installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
      const crashes = reports.map((report) => read(source, { installId, report })).filter((one) => one !== undefined)
      await keep(appId, source, crashes)
      return crashes.length
    },

    /** At most `limit` reports, newest first; `before` is the last id of the previous page. */
    list(appId: number, filter: CrashFilter, before: number | undefined, limit: number): Promise<CrashReport[]> {
      return repo.list(appId, filter, before, limit)
    },

    /** At most `limit` faults, the most recently reported first. */
    groups(appId: number, filter: CrashFilter, limit: number): Promise<CrashGroup[]> {
      return repo.groups(appId, filter, limit)
    },

    /** One complete report. Throws `not_found`. */
    async get(appId: number, id: number): Promise<WholeCrashReport> {
      const found = await repo.find(appId, id)
      if (!found)
        throw new AppError('not_found', `there is no crash report ${id}: it may have been deleted because of its age`)
      return found
    },

    /** Deletes at most `limit` reports of all apps that are older than `days`. Returns how many. */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(clock.now() - days * 86_400_000, limit)
    },
  }
}

/** The last reports: as many as are kept, and one more, so that trimming also deletes everything older. */
function newestWithin({ keep, keepBytes }: CrashQuota, crashes: readonly ReadCrash[]): ReadCrash[] {
  let bytes = 0
  const first = crashes.findLastIndex(({ size }, i) => (bytes += size) > keepBytes || crashes.length - i > keep)
  return crashes.slice(Math.max(first, 0))
}
