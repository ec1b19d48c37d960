const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** Attempts a second that are allowed on the long run. */
const REFILL_PER_MS = 1 / 1_000

/**
 * When a pool may connect: at once for the first few sessions, about once a second on the long run, and after failures only
 * after a pause of 0.5 to 60 s with jitter. Pure but for `random`; `now` is monotonic time in ms.
 */
export class ConnectPace {
  private readonly burst: number
  private readonly random: () => number
  private tokens: number
  private refilledAt = 0
  private failures = 0
  private cuts = 0
  private notBefore = 0

  constructor(burst: number, random: () => number = Math.random) {
    this.burst = burst
    this.tokens = burst
    this.random = random
  }

  /** Milliseconds until failures allow another attempt; 0 when none stands in the way. */
  backoff(now: number): number {
    return Math.max(0, this.notBefore - now)
  }

  /** Milliseconds until the steady rate allows another attempt. */
  wait(now: number): number {
    this.refill(now)
    return this.tokens >= 1 ? 0 : (1 - this.tokens) / REFILL_PER_MS
  }

  /** An attempt begins. */
  started(now: number): void {
    this.refill(now)
    this.tokens -= 1
  }

  /** An attempt failed: the pause doubles, half of it is random. */
  failed(now: number): void {
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.failures, 16))
    this.failures += 1
    this.notBefore = now + longest * (0.5 + this.random() / 2)
  }

  /** A session ended before it answered anything. Once is bad luck; again is as bad as a failed attempt. */
  cutShort(now: number): void {
    this.cuts += 1
    if (this.cuts > 1) this.failed(now)
  }

  /** A session answered: what happened before is forgotten. */
  answered(): void {
    this.failures = 0
    this.cuts = 0
    this.notBefore = 0
  }

  private refill(now: number): void {
    this.tokens = Math.min(this.burst, this.tokens + (now - this.refilledAt) * REFILL_PER_MS)
    this.refilledAt = now
  }
}
