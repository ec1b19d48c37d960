import { AppError } from '../../platform/errors.ts'
import { CALLERS_LEFT, MAX_CALLERS, type Sharing } from '../../platform/threads/sharing.ts'
import { createCredits } from './credits.ts'
import type { Exchange } from './exchange.ts'

/** Limits each caller to `burst` calls at once, then one every `everyMs`. `now` is in ms, of a monotonic clock. */
export interface RateLimiter {
  /**
   * Asks other nodes about a caller near the limit, before `check`. Undefined for nearly all callers. Never wait for it inside a
   * transaction, whose connection others wait for.
   */
  ready(who: string, now: number): Promise<void> | undefined
  /** Throws with `Retry-After` while `who` has no calls left. */
  check(who: string, now: number): void
  /** Counts `count` calls of `who`. It may exceed what is left; `check` then refuses for longer. */
  charge(who: string, now: number, count?: number): void
  /** `check`, then `charge` of one call. */
  take(who: string, now: number): void
}

export interface RateLimiterOptions {
  /** Tells this limiter apart from the others of the program. */
  name: string
  burst: number
  everyMs: number
  /** Ends the sentence "too many ...". */
  what: string
  /** `unavailable` where SDKs take 429 for something else, or give up on it. */
  code: 'too_many' | 'unavailable'
}

/** The time at which the whole burst of each caller is available again. */
interface Times {
  /** 0 for an unknown caller. */
  get(who: string): number
  /** Adds to the later of that time and `now`. */
  add(who: string, now: number, ms: number): void
}

/**
 * GCRA: one number for each caller. With several HTTP threads they share it, so that a limit counts once for all. With an
 * `exchange` it counts once for all nodes, too.
 */
export function rateLimiter(
  { name, burst, everyMs, what, code }: RateLimiterOptions,
  sharing?: Pick<Sharing, 'callers'>,
  exchange?: Exchange,
): RateLimiter {
  const times = sharing ? sharedTimes(name, sharing) : ownTimes()
  const credits = exchange && createCredits({ name, burst, everyMs }, exchange, ownTimes())
  const limiter: RateLimiter = {
    ready: (who, now) => credits?.ready(who, now),
    check(who, now) {
      const own = times.get(who) - now - (burst - 1) * everyMs
      const wait = own >= 1 ? own : (credits?.wait(who, now) ?? 0)
      // Sums of fractions are off by less than a millisecond.
      if (wait < 1) return
      const seconds = String(Math.ceil(wait / 1000))
      throw new AppError(code, `too many ${what}: try again in ${seconds} s`, { headers: { 'Retry-After': seconds } })
    },
    charge(who, now, count = 1) {
      times.add(who, now, count * everyMs)
      credits?.charge(who, now, count)
    },
    take(who, now) {
      limiter.check(who, now)
      limiter.charge(who, now)
    },
  }
  return limiter
}

/** Maximum number of callers in memory, and how many remain after a clean-up. */
const MAX_REMEMBERED = 20_000
const LEFT = 15_000

function ownTimes(): Times {
  const forgiven = new Map<string, number>()

  /**
   * Removes the callers who have used least of their burst: a caller at the limit would be forgotten once enough others have
   * come, and one network of IPv6 has any number of them. Removes many at a time, because it looks at all of them.
   */
  function forgetSome(now: number): void {
    for (const [who, at] of forgiven) if (at <= now) forgiven.delete(who)
    if (forgiven.size <= LEFT) return
    const least = [...forgiven.values()].toSorted((one, other) => other - one)[LEFT - 1]!
    for (const [who, at] of forgiven) if (at < least) forgiven.delete(who)
    // Many may have used the same.
    for (const [who, at] of forgiven) {
      if (forgiven.size <= LEFT) return
      if (at === least) forgiven.delete(who)
    }
  }

  return {
    get: (who) => forgiven.get(who) ?? 0,
    add(who, now, ms) {
      const at = Math.max(forgiven.get(who) ?? 0, now) + ms
      forgiven.delete(who)
      forgiven.set(who, at)
      if (forgiven.size > MAX_REMEMBERED) forgetSome(now)
    },
  }
}

/** The same in the table of all limiters. When it is full, the callers who have used least of their burst are forgotten. */
function sharedTimes(name: string, { callers }: Pick<Sharing, 'callers'>): Times {
  const nameOf = (who: string) => `${name} ${who}`

  function forgetSome(now: number): void {
    callers.locked((rows) => {
      const times: number[] = []
      rows.sift((row) => {
        const at = rows.get(row, 0)
        if (at > now) times.push(at)
        return at > now
      })
      if (times.length <= CALLERS_LEFT) return
      const least = times.toSorted((one, other) => one - other)[times.length - CALLERS_LEFT]!
      // Many may have used the same.
      let room = CALLERS_LEFT - times.filter((at) => at > least).length
      rows.sift((row) => {
        const at = rows.get(row, 0)
        return at > least || (at === least && room-- > 0)
      })
    })
  }

  return {
    get: (who) =>
      callers.locked((rows) => {
        const row = rows.find(nameOf(who))
        return row < 0 ? 0 : rows.get(row, 0)
      }),
    add(who, now, ms) {
      callers.locked((rows) => {
        const row = rows.make(nameOf(who))
        rows.set(row, 0, Math.max(rows.get(row, 0), now) + ms)
      })
      if (callers.size > MAX_CALLERS) forgetSome(now)
    },
  }
}
