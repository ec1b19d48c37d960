/** A wall clock that moves by more against a steady one was set, not just corrected. */
export const LARGEST_STEP_MS = 60_000

/** Whether the wall clock can be relied on for what is due at a wall time. */
export interface ClockWatch {
  /** Looks at both clocks (ms). Returns by how much the wall clock is off while that holds, 0 otherwise. */
  look(wall: number, steady: number): number
}

/**
 * Trusts the wall clock as it is at the first look. When it moves by more than a minute against the steady clock between two
 * looks it is not trusted until it is back where it should be; a restart trusts it as it is then. Pure but for what it remembers.
 */
export function createClockWatch(): ClockWatch {
  let trusted: { wall: number; steady: number } | undefined
  return {
    look(wall, steady) {
      const off = trusted ? wall - trusted.wall - (steady - trusted.steady) : 0
      if (Math.abs(off) > LARGEST_STEP_MS) return off
      trusted = { wall, steady }
      return 0
    },
  }
}
