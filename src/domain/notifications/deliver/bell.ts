/** Wakes the one loop that waits for it. A ring while nobody waits is remembered until the bell is silenced. */
export class Bell {
  #state: 'silent' | 'rung' = 'silent'
  #wake: () => void = () => {}

  ring(): void {
    this.#state = 'rung'
    this.#wake()
  }

  /** Forgets earlier rings. */
  silence(): void {
    this.#state = 'silent'
  }

  /** Resolves to `event` at a ring, at once if there was one, and to `time` after `ms`. */
  async wait(ms: number): Promise<'event' | 'time'> {
    if (this.#state === 'rung') return 'event'
    return new Promise((resolve) => {
      const done = (why: 'event' | 'time') => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve(why)
      }
      const timer = setTimeout(done, ms, 'time')
      this.#wake = () => done('event')
    })
  }
}
