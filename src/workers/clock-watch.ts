/** A wall clock that moves by more against a steady one was set, not just corrected. */
export const LARGEST_STEP_MS = 60_000

/** Whether the wall clock can be relied on for what is due at a wall time. */
export interface ClockWatch {
  /** Looks at both clocks (ms). Returns by how much the wall clock is off while that holds, 0 otherwise. */
  look(wall: number, steady: number): number
}

/** Stands for a first look that is yet to come. */
const UNSEEN = -(2n ** 63n)

/** What the watches of all threads share, also those of a thread that is started again; pass it along in `workerData`. */
export function newClockWatchCell(): SharedArrayBuffer {
  const cell = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  new BigInt64Array(cell)[0] = UNSEEN
  return cell
}

/**
 * Trusts the wall clock as it is at the first look. When it moves by more than a minute against the steady clock between two
 * looks it is not trusted until it is back where it should be; a restart of the program trusts it as it is then.
 */
export function createClockWatch(cell = newClockWatchCell()): ClockWatch {
  /** By how much the wall clock was ahead of the steady one when it was trusted last (ms). */
  const ahead = new BigInt64Array(cell)
  return {
    look(wall, steady) {
      const now = BigInt(Math.round(wall - steady))
      const trusted = Atomics.load(ahead, 0)
      const off = trusted === UNSEEN ? 0 : Number(now - trusted)
      if (Math.abs(off) > LARGEST_STEP_MS) return off
      Atomics.store(ahead, 0, now)
      return 0
    },
  }
}
