/**
 * When a user is active: how often in each hour of the local day, over some 90 days in periods of 15, newest first. An
 * hour of the calendar counts once, however often the app was opened in it.
 */
export interface ActiveHours {
  /** Number of the newest period since the epoch. */
  period: number
  /** Number of the last hour counted, since the epoch. */
  lastHour: number
  /** 24 numbers for each period. */
  counts: number[][]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PERIOD_MS = 15 * DAY_MS
const PERIODS = 6
const NO_HOUR = -1

/** The hour of a time (ms), counted since the epoch. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS)
}

function periodOf(at: number): number {
  return Math.floor(at / PERIOD_MS)
}

/** The first period that still says something at `at`. */
export function oldestPeriod(at: number): number {
  return periodOf(at) - PERIODS + 1
}

/**
 * One more activity at `at` (ms), where the wall clock is `offsetMs` ahead of UTC. Undefined when it changes nothing:
 * it is in the hour counted last, or too old to say something. Pure.
 */
export function countActivity(before: ActiveHours | undefined, at: number, offsetMs: number): ActiveHours | undefined {
  const lastHour = hourOf(at)
  if (before?.lastHour === lastHour) return undefined
  const period = Math.max(periodOf(at), before?.period ?? 0)
  const age = period - periodOf(at)
  if (age >= PERIODS) return undefined
  const counts = shifted(before, period)
  const hour = Math.floor(((((at + offsetMs) % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS)
  counts[age]![hour]! += 1
  return { period, lastHour, counts }
}

/** The hour (0 to 23) in which the user was most often active, newer periods weighing more; -1 without any. Pure. */
export function preferredHour({ counts }: Pick<ActiveHours, 'counts'>): number {
  let best = NO_HOUR
  let most = 0
  for (let hour = 0; hour < 24; hour++) {
    const weight = counts.reduce((sum, period, age) => sum + period[hour]! * (PERIODS - age), 0)
    if (weight > most) {
      most = weight
      best = hour
    }
  }
  return best
}

function shifted(before: ActiveHours | undefined, period: number): number[][] {
  const counts = before?.counts ?? []
  const age0 = before ? period - before.period : 0
  return Array.from({ length: PERIODS }, (_, age) => {
    const then = counts[age - age0]
    return then ? [...then] : Array.from({ length: 24 }, () => 0)
  })
}
