import { AppError } from '../../platform/errors.ts'

/** Lets everybody do something now and then: `burst` times at once, and then once every `everyMs`. `now` is of a clock that never jumps (ms). */
export interface RateLimiter {
  /** Throws with `Retry-After` while nothing is left of the share of `who`. */
  check(who: string, now: number): void
  /** Takes `count` off the share of `who`, also more than is left of it: that is waited for. */
  charge(who: string, now: number, count?: number): void
  /** `check`, and one is charged. */
  take(who: string, now: number): void
}

export interface RateLimiterOptions {
  burst: number
  everyMs: number
  /** Ends the sentence "too many ...". */
  what: string
  /** `unavailable` where SDKs understand something else by 429, or give up on it. */
  code: 'too_many' | 'unavailable'
}

/** Callers that are remembered, and how many of them are left when there are more. */
const MOST_REMEMBERED = 20_000
const LEFT = 15_000

/** GCRA: one number for each caller, the moment when all he did is forgiven. */
export function rateLimiter({ burst, everyMs, what, code }: RateLimiterOptions): RateLimiter {
  const forgiven = new Map<string, number>()

  /**
   * Those who owe nothing go first: otherwise somebody would get rid of his debt by waiting until enough others came by. Many at a
   * time, because a map of which the oldest entry was taken again and again is slow to say which is the oldest now (V8: 40 us).
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
      // Less than a millisecond is what adding up fractions is off by.
      if (wait < 1) return
      const seconds = String(Math.ceil(wait / 1000))
      throw new AppError(code, `too many ${what}: try again in ${seconds} s`, { headers: { 'Retry-After': seconds } })
    },
    charge(who, now, count = 1) {
      const at = Math.max(forgiven.get(who) ?? 0, now) + count * everyMs
      forgiven.delete(who)
      forgiven.set(who, at)
      if (forgiven.size > MOST_REMEMBERED) forgetSome(now)
    },
    take(who, now) {
      limiter.check(who, now)
      limiter.charge(who, now)
    },
  }
  return limiter
}
