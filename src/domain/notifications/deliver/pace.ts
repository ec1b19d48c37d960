/** Growth of the rate per minute after the gateway asked to slow down. */
const RECOVERY_PER_MINUTE = 1.1
/** Value of `limit` when there is none. */
const UNLIMITED = 0
/**
 * Bounds of a limit: a lower one would rest on too few responses to mean anything; a higher one limits nothing and is
 * removed.
 */
const MIN_PER_SECOND = 10
const MAX_PER_SECOND = 1_000_000
/** After sending this long without a throttling response, the next one means that the rate was only just too high. */
const STEADY_MS = 60_000
/** The rate stays below this share of the last rate that was throttled, for this time, before it may exceed it. */
const CEILING_SHARE = 0.95
const CEILING_MS = 30 * 60_000
/**
 * A ramp rises from the first rate to the last, Google's quota for a project (600 000 a minute); then only throttling
 * limits it.
 */
const RAMP_FIRST_PER_SECOND = 1000
const RAMP_LAST_PER_SECOND = 10_000
/** Recipients sent to at once when a ramp begins. */
const RAMP_BURST = 100
const METER_MS = 1000
/** A rate is not measured over less time than this. */
const METER_MIN_MS = 100
const MINUTE = 60_000

/**
 * The rate at which a lane may begin recipients. It is unlimited until there is a reason. When the gateway throttles,
 * the rate is halved and grows by a tenth a minute. After a cold start or the end of an outage it rises in a ramp over
 * `rampMs` (0 means none). When the gateway throttles after a minute without trouble, the rate drops only a little, and
 * stays below the throttled rate for half an hour: halving it each time would use only three quarters of a quota. All
 * times are in ms and never decrease.
 */
export function createPace({ rampMs = 0 }: { rampMs?: number } = {}) {
  let limit = UNLIMITED
  let limitedAt = 0
  let ceiling = 0
  let rampedAt = Number.NEGATIVE_INFINITY
  let tokens = 0
  let filledAt = 0
  let usedAt = Number.NEGATIVE_INFINITY
  // A gateway that throttles at once has received many requests and accepted few: the larger of both rates was too
  // high.
  const begun = createMeter()
  const accepted = createMeter()

  function limited(now: number): number {
    if (limit === UNLIMITED) return Number.POSITIVE_INFINITY
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

  /** Recipients per second; infinite when nothing limits the rate. */
  const rate = (now: number) => Math.min(limited(now), ramped(now))

  function fill(now: number, perSecond: number): void {
    tokens = Math.min(Math.max(1, perSecond), tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
  }

  return {
    accepted: (now: number): void => accepted.add(1, now),

    /** The gateway throttles; nothing is sent to it for `waitMs`. */
    slowDown(now: number, waitMs: number): void {
      // Responses to requests that were in flight when the first one came say nothing new.
      if (limit !== UNLIMITED && now - limitedAt < METER_MS) return
      const seen = Math.max(begun.perSecond(now), accepted.perSecond(now))
      // Less than a second of sending says little about which rate is too high.
      const isSure = begun.isFull(now) || accepted.isFull(now)
      const measured = isSure ? seen : Math.max(seen, 2 * RAMP_FIRST_PER_SECOND)
      const current = limit !== UNLIMITED ? Math.min(limited(now), measured) : measured
      const isSteady = limit !== UNLIMITED && now - limitedAt >= STEADY_MS
      ceiling = current
      limit = Math.max(MIN_PER_SECOND, current / (isSteady ? RECOVERY_PER_MINUTE : 2))
      limitedAt = now + waitMs
      tokens = 1
      filledAt = limitedAt
    },

    /** Begins a ramp. */
    warmUp(now: number): void {
      if (rampMs === 0) return
      rampedAt = now
      tokens = Math.min(RAMP_BURST, rate(now))
      filledAt = now
    },

    /** Time at which a recipient was last allowed. */
    get usedAt(): number {
      return usedAt
    },

    /** Allows as many of `wanted` as may be begun now. */
    take(wanted: number, now: number): number {
      const perSecond = rate(now)
      if (perSecond > MAX_PER_SECOND) limit = UNLIMITED
      else fill(now, perSecond)
      const granted = perSecond > MAX_PER_SECOND ? wanted : Math.min(wanted, Math.floor(tokens))
      tokens -= granted
      begun.add(granted, now)
      if (granted > 0) usedAt = now
      return granted
    },

    /** Time (ms) until the next recipient is allowed; 0 when no limit applies. */
    waitMs(now: number): number {
      const perSecond = rate(now)
      if (perSecond > MAX_PER_SECOND) return 0
      fill(now, perSecond)
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000)
    },
  }
}

/**
 * Measures a rate per second: the higher one of the last full second of work and the current one. Pauses do not lower
 * it.
 */
function createMeter() {
  let start = Number.NEGATIVE_INFINITY
  let count = 0
  let last = 0
  const over = (from: number, now: number) => (count * 1000) / Math.max(now - from, METER_MIN_MS)
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
    /** Tells whether it has measured a whole second of work. */
    isFull: (now: number): boolean => now - start <= 2 * METER_MS && (last > 0 || now - start >= METER_MS),
    perSecond(now: number): number {
      if (now - start > 2 * METER_MS) return 0
      return Math.max(last, over(start, now))
    },
  }
}
