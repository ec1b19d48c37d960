/**
 * Exponential backoff with full jitter: a random wait up to `base · 2^attempt`, at most `cap`. `random` is in [0, 1).
 */
export function backoff(attempt: number, base: number, cap: number, random: number): number {
  const ceiling = Math.min(cap, base * 2 ** Math.min(attempt, 30))
  return Math.max(1, Math.round(ceiling * random))
}

const RESTART_FIRST_MS = 200
const RESTART_MAX_MS = 30_000

/** Pause (ms) before a thread is started again, by the number of its failures since it last worked. */
export function restartPause(failures: number): number {
  return Math.min(RESTART_FIRST_MS * 2 ** Math.min(failures, 30), RESTART_MAX_MS)
}
