import { AppError } from '../../platform/errors.ts'

/** Limits each caller to `burst` calls at once, then one every `everyMs`. `now` is in ms, of a monotonic clock. */
export interface RateLimiter {
  /** Throws with `Retry-After` while `who` has no calls left. */
  check(who: string, now: number): void
  /** Counts `count` calls of `who`. It may exceed what is left; `check` then refuses for longer. */
  charge(who: string, now: number, count?: number): void
  /** `check`, then `charge` of one call. */
  take(who: string, now: number): void
}

export interface RateLimiterOptions {
  burst: number
  everyMs: number
  /** Ends the sentence "too many ...". */
  what: string
  /** `unavailable` where SDKs take 429 for something else, or give up on it. */
  code: 'too_many' | 'unavailable'
}

/** Maximum number of callers in memory, and how many remain after a clean-up. */
const MAX_REMEMBERED = 20_000
const LEFT = 15_000

/** GCRA: one number for each caller, the time at which their whole burst is available again. */
export function rateLimiter({ burst, everyMs, what, code }: RateLimiterOptions): RateLimiter {
  const forgiven = new Map<string, number>()

  /**
   * Removes callers with a full burst first; otherwise a caller at the limit could be forgotten by waiting for enough
   * others. Many at a time, because finding the oldest entry of a map gets slow after many deletions at its front
   * (V8: 40 us).
   */
  function forgetSome(now: number): void {
    for (const [who, at] of forgiven) if (at <= now) forgiven.delete(who)
    for (const who of forgiven.keys()) {
      if (forgiven.size <= LEFT) return
      forgiven.delete(who)
    }
  }

  const limiter: RateLimiter = {
    check(who, now) {
      const wait = (forgiven.get(who) ?? 0) - now - (burst - 1) * everyMs
      // Sums of fractions are off by less than a millisecond.
      if (wait < 1) return
      const seconds = String(Math.ceil(wait / 1000))
      throw new AppError(code, `too many ${what}: try again in ${seconds} s`, { headers: { 'Retry-After': seconds } })
    },
    charge(who, now, count = 1) {
      const at = Math.max(forgiven.get(who) ?? 0, now) + count * everyMs
      forgiven.delete(who)
      forgiven.set(who, at)
      if (forgiven.size > MAX_REMEMBERED) forgetSome(now)
    },
    take(who, now) {
      limiter.check(who, now)
      limiter.charge(who, now)
    },
  }
  return limiter
}
