import type { Conditions, Effect } from './plan.ts'

/** A fixed window: the first `count` requests of every `windowMs` pass, the others get 429. */
export interface Quota {
  /** Takes a request; undefined if it passes, else the effect. `now` in milliseconds. */
  take(now: number): Effect | undefined
}

/** `reason` is the gateway's word for "too many". */
export function startQuota(limits: NonNullable<Conditions['quota']>, reason: string): Quota {
  const refusal: Effect = { reason, ...(limits.retryAfter !== undefined && { retryAfter: limits.retryAfter }) }
  let windowEnds = Number.NEGATIVE_INFINITY
  let left = 0
  return {
    take(now) {
      if (now >= windowEnds) {
        windowEnds = now + limits.windowMs
        left = limits.count
      }
      return left-- > 0 ? undefined : refusal
    },
  }
}
