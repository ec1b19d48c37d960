/** The end of one attempt of a call. */
export interface Attempt {
  /** From 1. */
  number: number
  /** HTTP status; undefined when the answer was lost: a reset, a time-out, an address that nobody answers. */
  status: number | undefined
  /** The header `Retry-After`. */
  retryAfter: string | null
  /** Tells that a second arrival of the same request has the effect of the first. */
  isSafe: boolean
  /** Tells that an earlier attempt may have arrived. */
  mayRun: boolean
}

/** The longest `Retry-After` that a call waits for; a longer one is the caller's to decide. */
const MAX_WAIT_MS = 60_000
const FIRST_MS = 500
const MAX_BACK_OFF_MS = 30_000
/** Statuses of a server that is away: 503 is its own, 502 and 504 are those of a proxy in front of it, whose request may have arrived. */
const AWAY = [502, 503, 504]

/**
 * The milliseconds after which an attempt is repeated, undefined when it is the last. A 429 did nothing, whatever the
 * call. A 502, 503 or 504 or a lost answer may have done it, so only a safe call is repeated. While the first of two equal requests is running, the
 * second gets 409 (docs/reference/api.md), so a 409 after a lost answer is no verdict yet.
 */
export function waitAfter(attempt: Attempt, retries: number, random = Math.random()): number | undefined {
  const { number, status, isSafe, mayRun } = attempt
  if (number > retries) return undefined
  const asks =
    status === 429 || (isSafe && (status === undefined || AWAY.includes(status) || (status === 409 && mayRun)))
  if (!asks) return undefined
  const told = secondsOf(attempt.retryAfter)
  if (told === undefined) return backOff(number, random)
  return told * 1000 > MAX_WAIT_MS ? undefined : told * 1000
}

/** Milliseconds before repeat `number`: twice as long each time, up to half of it left to chance. */
export function backOff(number: number, random = Math.random()): number {
  return Math.min(FIRST_MS * 2 ** Math.min(number - 1, 16), MAX_BACK_OFF_MS) * (1 - random / 2)
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3). */
function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000)
}
