import { AppError } from '../../platform/errors.ts'

/** Lets everybody do something now and then: `burst` times at once, and then once every `everyMs`. */
export interface RateLimiter {
  /** Throws `too_many` with `Retry-After` for who has had his share. `now` is of a clock that never jumps (ms). */
  take(who: string, now: number): void
}

/** Who is remembered; under more the longest known is forgotten. */
const MOST_REMEMBERED = 20_000

/** GCRA: one number for each caller, the moment when all he did is forgiven. `what` ends the sentence "too many ...". */
export function rateLimiter({ burst, everyMs, what }: { burst: number; everyMs: number; what: string }): RateLimiter {
  const forgiven = new Map<string, number>()
  return {
    take(who, now) {
      const at = Math.max(forgiven.get(who) ?? 0, now) + everyMs
      const wait = at - now - burst * everyMs
      if (wait > 0) {
        const seconds = String(Math.ceil(wait / 1000))
        throw new AppError('too_many', `too many ${what}: try again in ${seconds} s`, {
          headers: { 'Retry-After': seconds },
        })
      }
      forgiven.delete(who)
      forgiven.set(who, at)
      if (forgiven.size <= MOST_REMEMBERED) return
      for (const oldest of forgiven.keys()) {
        forgiven.delete(oldest)
        break
      }
    },
  }
}
