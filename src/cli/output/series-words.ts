import { EACH_ZONE, type Occurrence, readRecurrence } from '../../domain/schedules/recurrence.ts'
import type { SeriesAhead, ShownOccurrence } from '../../domain/series/service.ts'
import type { SeriesKind } from '../../domain/series/types.ts'
import { inAppStatusName } from './in-app-words.ts'
import { statusName } from './notification-words.ts'
import { shortTime } from './present.ts'

/** `0 9 * * MON Europe/Berlin until 2026-12-31 09:00`. */
export function repeatsInWords({ series }: Pick<SeriesAhead, 'series'>): string {
  const rule = readRecurrence(series.request.schedule)
  if (!rule) return 'a rule that cannot be read'
  const from = rule.startsAt === undefined ? '' : ` from ${rule.startsAt}`
  const until = rule.endsAt === undefined ? '' : ` until ${rule.endsAt}`
  return `${rule.cron} ${rule.timezone}${from}${until}`
}

/** The time of an occurrence: `2026-03-02 08:00:00Z`, or `2026-03-02 09:00 local`. */
export function timeInWords({ series }: Pick<SeriesAhead, 'series'>, { local, at }: Occurrence): string {
  return readRecurrence(series.request.schedule)?.timezone === EACH_ZONE ? `${local} local` : shortTime(at)
}

/** The fate of an occurrence, in words. */
export function becameInWords(kind: SeriesKind, { state, status }: ShownOccurrence): string {
  if (state === 'unreached') return 'nobody could be reached'
  if (state === 'called-off') return 'called off'
  if (status === null) return '-'
  return kind === 'push' ? statusName(status) : inAppStatusName(status)
}
