import { setImmediate } from 'node:timers/promises'

/**
 * How a long read shares its thread: it waits for a turn before each statement, and every statement is short. The
 * reader thread gives out the turns and sets the time limit (long-reads/turns.ts).
 */
export interface Pace {
  /** Waits for a turn. False when the time of the read is over. Throws `unavailable` when nobody waits for the answer. */
  turn(): Promise<boolean>
  /** Milliseconds of a clock that never jumps, by which a read chooses the size of its statements. */
  monotonic(): number
  /** How long the read may take, for its error message. */
  seconds: number
}

/** No time limit: for commands, and for transactions. Other work of the thread runs between the statements. */
export const unhurried: Pace = {
  async turn() {
    await setImmediate()
    return true
  },
  monotonic: () => performance.now(),
  seconds: Number.POSITIVE_INFINITY,
}
