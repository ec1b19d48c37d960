/** Retries per minute that are always allowed; unused ones do not add up beyond one minute. */
const FREE_PER_MINUTE = 100
/** Retries that every first attempt earns. */
const SHARE = 0.1
/**
 * Maximum of earned retries, from a million first attempts. More would say nothing about the present state of the
 * gateway.
 */
const MAX_EARNED = 100_000
const MINUTE = 60_000

/**
 * The retry budget of a lane: a tenth of its first attempts plus a hundred retries a minute (docs/reference/promises.md
 * section 4), so that a gateway in trouble gets hardly more requests than without retries. Resends after a crash of
 * ours do not use it. Times are in ms; `now` never decreases.
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
    /** Counts first attempts. */
    earn(attempts: number): void {
      earned = Math.min(MAX_EARNED, earned + attempts * SHARE)
    },

    /** The number of retries allowed now. */
    available(now: number): number {
      fill(now)
      return Math.floor(earned + free + 1e-9)
    },

    /** Takes retries out of the budget, not more than are available. */
    spend(retries: number): void {
      const paid = Math.min(earned, retries)
      earned -= paid
      free -= retries - paid
    },

    /** Time (ms) until this many retries are allowed if no first attempts are made, at most a minute; 0 means now. */
    waitMs(retries: number, now: number): number {
      fill(now)
      const missing = Math.min(retries, FREE_PER_MINUTE) - earned - free
      return missing <= 0 ? 0 : Math.ceil((missing / FREE_PER_MINUTE) * MINUTE)
    },
  }
}
