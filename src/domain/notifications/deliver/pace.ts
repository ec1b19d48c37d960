/** How fast a lane that was told to slow down gets faster again. */
const RECOVERY_PER_MINUTE = 1.1
/** Below this nothing was learned about a rate; above `FASTEST` a limit limits nothing. */
const SLOWEST_PER_SECOND = 10
const FASTEST_PER_SECOND = 1_000_000
/** A complaint after so much undisturbed sending means that we were only just too fast. */
const STEADY_MS = 60_000
/** So close to the rate that brought the last complaint we stay for so long before we try to get above it. */
const CEILING_SHARE = 0.95
const CEILING_MS = 30 * 60_000
/** A ramp begins here and ends at Google's quota for a project (600 000 a minute); behind it nothing limits us but complaints. */
const RAMP_FIRST_PER_SECOND = 1000
const RAMP_LAST_PER_SECOND = 10_000
/** Sent at once when a ramp begins. */
const RAMP_BURST = 100
const METER_MS = 1000
/** A shorter time says little about a rate. */
const METER_LEAST_MS = 100
const MINUTE = 60_000

export type Pace = ReturnType<typeof createPace>

/**
 * How fast a lane may begin recipients. Unlimited until there is a reason: a gateway that complains (then half of what we did,
 * growing by a tenth a minute), or a cold start or the end of an outage (then a ramp over `rampMs`; 0 means none).
 * A complaint after a minute of peace is answered mildly, and the rate that brought it is kept clear of for half an hour:
 * halving each time would use three quarters of a quota. All times in ms, never going back.
 */
export function createPace({ rampMs = 0 }: { rampMs?: number } = {}) {
  let limit = 0
  let limitedAt = 0
  let ceiling = 0
  let rampedAt = Number.NEGATIVE_INFINITY
  let tokens = 0
  let filledAt = 0
  let usedAt = Number.NEGATIVE_INFINITY
  // A gateway that complains at once has accepted little and got much: the larger of both is what was too much for it.
  const begun = createMeter()
  const accepted = createMeter()

  function limited(now: number): number {
    if (limit === 0) return Number.POSITIVE_INFINITY
    const age = Math.max(0, now - limitedAt)
    const growth = (ms: number) => RECOVERY_PER_MINUTE ** (ms / MINUTE)
    const below = Math.min(limit * growth(Math.min(age, CEILING_MS)), Math.max(limit, ceiling * CEILING_SHARE))
    return below * growth(Math.max(0, age - CEILING_MS))
  }

  function ramped(now: number): number {
    const age = now - rampedAt
    if (age >= rampMs) return Number.POSITIVE_INFINITY
    return RAMP_FIRST_PER_SECOND + (RAMP_LAST_PER_SECOND - RAMP_FIRST_PER_SECOND) * (age / rampMs)
  }

  /** A second; infinite when nothing limits. */
  const rate = (now: number) => Math.min(limited(now), ramped(now))

  function fill(now: number, perSecond: number): void {
    tokens = Math.min(Math.max(1, perSecond), tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
  }

  return {
    accepted: (now: number): void => accepted.add(1, now),

    /** The gateway complains and is left alone for `waitMs`. */
    slowDown(now: number, waitMs: number): void {
      // Answers that were under way when the first one came say nothing new.
      if (limit > 0 && now - limitedAt < METER_MS) return
      const seen = Math.max(begun.perSecond(now), accepted.perSecond(now))
      // The first moments of sending say little about what was too much.
      const isSure = begun.isFull(now) || accepted.isFull(now)
      const measured = isSure ? seen : Math.max(seen, 2 * RAMP_FIRST_PER_SECOND)
      const current = limit > 0 ? Math.min(limited(now), measured) : measured
      const isSteady = limit > 0 && now - limitedAt >= STEADY_MS
      ceiling = current
      limit = Math.max(SLOWEST_PER_SECOND, current / (isSteady ? RECOVERY_PER_MINUTE : 2))
      limitedAt = now + waitMs
      tokens = 1
      filledAt = limitedAt
    },

    /** Gets up to speed gradually from now on. */
    warmUp(now: number): void {
      if (rampMs === 0) return
      rampedAt = now
      tokens = Math.min(RAMP_BURST, rate(now))
      filledAt = now
    },

    /** When something was let through last. */
    get usedAt(): number {
      return usedAt
    },

    /** How many of `wanted` may be begun now. */
    take(wanted: number, now: number): number {
      const perSecond = rate(now)
      if (perSecond > FASTEST_PER_SECOND) limit = 0
      else fill(now, perSecond)
      const granted = perSecond > FASTEST_PER_SECOND ? wanted : Math.min(wanted, Math.floor(tokens))
      tokens -= granted
      begun.add(granted, now)
      if (granted > 0) usedAt = now
      return granted
    },

    /** When the next recipient is let through (ms from now); 0 = no limit is in the way. */
    waitMs(now: number): number {
      const perSecond = rate(now)
      if (perSecond > FASTEST_PER_SECOND) return 0
      fill(now, perSecond)
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000)
    },
  }
}

/** How many a second: of the last full second of work, or of the running one. A pause does not count as slowness. */
function createMeter() {
  let start = Number.NEGATIVE_INFINITY
  let count = 0
  let last = 0
  const over = (from: number, now: number) => (count * 1000) / Math.max(now - from, METER_LEAST_MS)
  return {
    add(n: number, now: number): void {
      const ran = now - start
      if (ran > METER_MS) {
        last = ran < 2 * METER_MS ? over(start, now) : 0
        start = now
        count = 0
      }
      count += n
    },
    /** It has seen a whole second of work. */
    isFull: (now: number): boolean => now - start <= 2 * METER_MS && (last > 0 || now - start >= METER_MS),
    perSecond(now: number): number {
      if (now - start > 2 * METER_MS) return 0
      return Math.max(last, over(start, now))
    },
  }
}
