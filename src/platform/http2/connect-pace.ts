const FIRST_MS = 1_000
const MAX_PAUSE_MS = 60_000
/** Long-term connection attempts per second. */
const REFILL_PER_MS = 1 / 1_000

/**
 * Decides when a pool may connect. The first few sessions connect at once, further ones about once a second in the long
 * term. After a failure there is a pause of 0.5 to 60 s with jitter. Pure except for `random`; `now` is monotonic time
 * in ms.
 */
export class ConnectPace {
  readonly #burst: number
  readonly #random: () => number
  #tokens: number
  #refilledAt = 0
  #failures = 0
  #cuts = 0
  #notBefore = 0

  constructor(burst: number, random: () => number = Math.random) {
    this.#burst = burst
    this.#tokens = burst
    this.#random = random
  }

  /** Milliseconds until the pause after failures ends; 0 if there is none. */
  backoff(now: number): number {
    return Math.max(0, this.#notBefore - now)
  }

  /** Milliseconds until the steady rate allows another attempt. */
  wait(now: number): number {
    this.#refill(now)
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / REFILL_PER_MS
  }

  /** An attempt begins. */
  started(now: number): void {
    this.#refill(now)
    this.#tokens -= 1
  }

  /**
   * An attempt failed. The longest possible pause doubles with each failure; the actual one is a random time between
   * half of it and all of it.
   */
  failed(now: number): void {
    const longest = Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** Math.min(this.#failures, 16))
    this.#failures += 1
    this.#notBefore = now + longest * (0.5 + this.#random() / 2)
  }

  /**
   * A session ended before it answered anything. The first time is ignored. Until a session answers, each further time
   * counts as a failed attempt.
   */
  cutShort(now: number): void {
    this.#cuts += 1
    if (this.#cuts > 1) this.failed(now)
  }

  /** A session answered: resets the failures. */
  answered(): void {
    this.#failures = 0
    this.#cuts = 0
    this.#notBefore = 0
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#refilledAt) * REFILL_PER_MS)
    this.#refilledAt = now
  }
}
