/** A wall clock that moves by more than this against the steady clock was set, not just adjusted. */
const MAX_STEP_MS = 60_000

/** Decides whether the wall clock can be trusted to start scheduled work. */
export interface ClockWatch {
  /** Compares both clocks (ms). Returns how far the wall clock is off, or 0 while it is trusted. */
  look(wall: number, steady: number): number
}

/** The value of the cell before the first look. */
const UNSEEN = -(2n ** 63n)

/** Memory shared by the watches of all threads, including restarted ones; pass it in `workerData`. */
export function newClockWatchCell(): SharedArrayBuffer {
  const cell = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  new BigInt64Array(cell)[0] = UNSEEN
  return cell
}

/**
 * The wall clock is trusted as it is at the first look. When it moves by more than a minute against the steady clock
 * between two looks, it is not trusted until it is back where it should be. After a restart, the program trusts the
 * clock as it is then.
 */
export function createClockWatch(cell = newClockWatchCell()): ClockWatch {
  /** How far the wall clock was ahead of the steady clock when it was last trusted (ms). */
  const ahead = new BigInt64Array(cell)
  return {
    look(wall, steady) {
      const now = BigInt(Math.round(wall - steady))
      const trusted = Atomics.load(ahead, 0)
      const off = trusted === UNSEEN ? 0 : Number(now - trusted)
      if (Math.abs(off) > MAX_STEP_MS) return off
      Atomics.store(ahead, 0, now)
      return 0
    },
  }
}
