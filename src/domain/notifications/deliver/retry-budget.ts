/** Retries that need no first attempts to pay for them: so many a minute, and no more saved up than that. */
const FREE_PER_MINUTE = 100
/** What every first attempt pays in. */
const SHARE = 0.1
/** Most that is saved up of it: a million first attempts. More would say nothing about how the gateway is now. */
const MOST_EARNED = 100_000
const MINUTE = 60_000

export type RetryBudget = ReturnType<typeof createRetryBudget>

/**
 * What all retries of a lane may cost together: a tenth of its first attempts plus a hundred a minute (docs/reference/promises.md section 4), so that a
 * gateway in trouble gets hardly more than it would without retries. Times in ms; every call has a `now` at least that of the
 * call before. What a crash left in doubt is not paid by it.
 */
export function createRetryBudget() {
  let earned = 0
  let free = FREE_PER_MINUTE
  let filledAt = Number.NEGATIVE_INFINITY

  function fill(now: number): void {
    const passed = Math.min(MINUTE, Math.max(0, now - filledAt))
    free = Math.min(FREE_PER_MINUTE, free + (passed / MINUTE) * FREE_PER_MINUTE)
    filledAt = now
  }

  return {
    /** So many recipients are tried for the first time. */
    earn(attempts: number): void {
      earned = Math.min(MOST_EARNED, earned + attempts * SHARE)
    },

    /** How many there are. */
    available(now: number): number {
      fill(now)
      return Math.floor(earned + free + 1e-9)
    },

    /** So many retries are begun; not more than are available. */
    spend(retries: number): void {
      const paid = Math.min(earned, retries)
      earned -= paid
      free -= retries - paid
    },

    /** For how long to wait (ms) until `retries` can be had without any first attempt, at most a minute; 0 = they can now. */
    waitMs(retries: number, now: number): number {
      fill(now)
      const missing = Math.min(retries, FREE_PER_MINUTE) - earned - free
      return missing <= 0 ? 0 : Math.ceil((missing / FREE_PER_MINUTE) * MINUTE)
    },
  }
}
