/** One timer for all requests of a session: they have the same time limit, so the oldest one reaches it first. */
export class Deadline {
  readonly #ms: number
  readonly #oldestSince: () => number | undefined
  readonly #reached: (limit: number) => void
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  /**
   * `oldestSince`: monotonic time (ms) when the oldest request began, if there is one. `reached` ends those that began
   * at its argument or before.
   */
  constructor(ms: number, oldestSince: () => number | undefined, reached: (limit: number) => void) {
    this.#ms = ms
    this.#oldestSince = oldestSince
    this.#reached = reached
  }

  /** Call when a request begins. */
  watch(): void {
    if (this.#timer || this.#stopped) return
    const oldest = this.#oldestSince()
    if (oldest === undefined) return
    const left = oldest + this.#ms - performance.now()
    this.#timer = setTimeout(() => this.#check(), Math.max(1, left)).unref()
  }

  #check(): void {
    this.#timer = undefined
    this.#reached(performance.now() - this.#ms)
    this.watch()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }
}
