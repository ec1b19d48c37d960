/**
 * Exponential backoff with full jitter: a random wait up to `base · 2^attempt`, at most `cap`. `random` is in [0, 1).
 */
export function backoff(attempt: number, base: number, cap: number, random: number): number {
  const ceiling = Math.min(cap, base * 2 ** Math.min(attempt, 30))
  return Math.max(1, Math.round(ceiling * random))
}
