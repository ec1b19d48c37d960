import { valueAt } from '../../platform/json/path.ts'
import type { EventData } from '../events/types.ts'
import { isBefore } from '../followers/position.ts'
import type { LoggedEvent } from '../followers/types.ts'
import type { DayCount, Metric, Where } from './types.ts'
import { matches } from './where.ts'

const DAY_MS = 86_400_000
const MILLIONTHS = 6
/** One unit, as sums are stored. */
export const UNIT = 10 ** MILLIONTHS

/** The largest value of an event, up or down. */
export const MAX_VALUE = 2_000_000_000
/**
 * Maximum sum of a user's day, in millionths: 3660 such days, the most that are kept, still are a 64-bit integer, and
 * each of them is an exact number of JavaScript.
 */
export const MAX_SUM = MAX_VALUE * UNIT

/** A metric that is ready to look at events. */
export interface ReadMetric extends Pick<Metric, 'id' | 'event' | 'from'> {
  where: Where | null
  /** Path to the number that is summed; null: events are counted. */
  path: readonly string[] | null
  /** True when the events up to `from` are counted, and not those behind it. */
  isBackfill?: boolean
}

/** The day of a time (ms) in UTC, as the number 20261123: it sorts, and people can read it. */
export function dayOf(at: number): number {
  return Number(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
}

/** The day (`dayOf`) that lies `days` days before `now` (ms). */
export function firstDay(now: number, days: number): number {
  return dayOf(Math.max(0, now - days * DAY_MS))
}

/**
 * A number in millionths, exact: 0.1 is 100 000. Digits behind the sixth are rounded. Undefined for a value that cannot
 * be summed: no number, not finite, beyond `MAX_VALUE`.
 */
export function millionthsOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(Math.abs(value) <= MAX_VALUE)) return undefined
  return Number(value.toFixed(MILLIONTHS).replace('.', '')) + 0
}

/** Additions of events to the days of users, who are known by their identifiers here. */
export type Addition = Omit<DayCount, 'userId'> & { identifier: string }

/**
 * Sums up the additions of events, for each user, metric and day. An event whose value cannot be summed adds nothing,
 * and neither does one without a user, or of a day before `oldest`.
 */
export function additionsOf(
  events: readonly LoggedEvent[],
  metrics: readonly ReadMetric[],
  oldest: number,
): Addition[] {
  const byType = Map.groupBy(metrics, ({ event }) => event)
  const additions = new Map<string, Addition>()
  for (const { type, userIdentifier: identifier, happenedAt, position, data } of events) {
    if (identifier === null) continue
    for (const metric of byType.get(type) ?? []) {
      if (isBefore(metric.from, position) === (metric.isBackfill ?? false)) continue
      if (metric.where && !matches(metric.where, data)) continue
      const sum = amountOf(metric, data)
      const day = dayOf(happenedAt)
      if (sum === undefined || day < oldest) continue
      const key = `${metric.id} ${day} ${identifier}`
      const before = additions.get(key)
      if (!before) additions.set(key, { identifier, metricId: metric.id, day, count: 1, sum })
      else {
        before.count++
        before.sum = Math.max(-MAX_SUM, Math.min(MAX_SUM, before.sum + sum))
      }
    }
  }
  return [...additions.values()]
}

const amountOf = ({ path }: ReadMetric, data: EventData | null) => (path ? millionthsOf(valueAt(path, data)) : 0)
