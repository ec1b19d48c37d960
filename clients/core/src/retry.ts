/** Statuses by which the server says that the body is what is wrong. Any other one may come from a proxy, or from a server that is being changed. */
const REFUSALS = [400, 413, 422]

/**
 * The fate of an upload after an answer of this status; no status is no answer. Events that the server cannot take, and would refuse
 * again, are `refused`. With `locked` out, wrong keys: nothing is worth sending until they are right.
 */
export function fateOf(status: number | undefined): 'stored' | 'refused' | 'locked' | 'later' {
  if (status === undefined) return 'later'
  if (status < 300) return 'stored'
  if (status === 401 || status === 403) return 'locked'
  return REFUSALS.includes(status) ? 'refused' : 'later'
}

const FIRST_MS = 1000
const LONGEST_MS = 300_000
/** The longest wait that a server may ask for, in seconds: a timer of JavaScript that is set beyond 24 days goes off at once. */
const LONGEST_ASKED = 86_400

/**
 * The wait (ms) before the next try after so many that failed. Half of it is chance, so that browsers that lost the server together do not
 * return together. `atLeast`: seconds that the server asked for (`Retry-After`).
 */
export function waitAfter(failures: number, atLeast: number, random: number): number {
  const whole = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS)
  return Math.max(Math.min(atLeast, LONGEST_ASKED) * 1000, whole * (0.5 + random / 2))
}
