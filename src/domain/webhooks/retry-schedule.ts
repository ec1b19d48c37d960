const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Waits after the first failure, the second, … as the specification of Standard Webhooks recommends them: 75 hours in
 * all (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export const RETRY_AFTER_MS = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const

/** Waits differ by up to this share, so that endpoints of one host do not come back all at once. */
const JITTER = 0.1

/**
 * How long to wait after `failures` failed attempts (ms); undefined when that was the last one. `askedMs` is what the
 * endpoint asked for (`Retry-After`): it makes the wait longer, never shorter. `random` is in [0, 1).
 */
export function retryDelay(failures: number, askedMs: number | undefined, random: number): number | undefined {
  const planned = RETRY_AFTER_MS[failures - 1]
  if (planned === undefined) return undefined
  return Math.max(Math.round(planned * (1 + JITTER * (2 * random - 1))), askedMs ?? 0)
}
