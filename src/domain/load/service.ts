import type { Clock } from '../../platform/time/clock.ts'
import { fold } from './fold.ts'
import { HOUR_MS, type LoadRepository, MINUTE_MS } from './repository.ts'
import { LOAD_PERIODS, type LoadCounts, type LoadCourse, type LoadPeriod, type LoadSizes } from './types.ts'

/** The time for which rows of minutes and of hours are kept (ms). The periods that are shown are shorter. */
const KEPT_MINUTES_MS = 2 * 24 * HOUR_MS
const KEPT_HOURS_MS = 31 * 24 * HOUR_MS

/** Reports of the processes that serve the database, each once a minute, and what they add up to. */
export function loadService({ repo, clock }: { repo: LoadRepository; clock: Clock }) {
  return {
    /** Adds the report of a process about the minute that ends now. */
    report: (report: LoadCounts & LoadSizes): Promise<void> => repo.add(clock.now() - MINUTE_MS, report),

    /** The load of a period that ends now. The last span goes on. */
    async course(period: LoadPeriod): Promise<LoadCourse> {
      const { back, span } = LOAD_PERIODS[period]
      const now = clock.now()
      const to = now - (now % span) + span
      const from = to - back
      const rows = await repo.read(span < HOUR_MS ? MINUTE_MS : HOUR_MS, from, to)
      return { from, to, span, points: fold(rows, span) }
    },

    /** Deletes at most `limit` rows that are too old; returns how many. */
    async forget(limit: number): Promise<number> {
      const now = clock.now()
      const gone = await repo.forget(MINUTE_MS, now - KEPT_MINUTES_MS, limit)
      if (gone >= limit) return gone
      return gone + (await repo.forget(HOUR_MS, now - KEPT_HOURS_MS, limit - gone))
    },
  }
}
