import { setImmediate } from 'node:timers/promises'

/**
 * The manner in which a long read shares its thread: it waits for a turn before each statement, and every statement is short. The
 * reader thread gives out the turns and sets the time limit (long-reads/turns.ts).
 */
export interface Pace {
  /** Waits for a turn. False when the time of the read is over. Throws `unavailable` when nobody waits for the answer. */
  turn(): Promise<boolean>
  /** Milliseconds of a clock that never jumps, by which a read chooses the size of its statements. */
  monotonic(): number
  /** The time limit (s) of the read, for its error message. */
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

/** The share of a read's time that its first part may take. */
const FIRST_PART = 0.8

/** The pace for the first of two parts of a read: its time is over while there is some left for the second one. */
export function firstPartOf(pace: Pace): Pace {
  const until = pace.monotonic() + pace.seconds * 1000 * FIRST_PART
  return { ...pace, turn: async () => pace.monotonic() <= until && (await pace.turn()) }
}
