import { backoff } from '../../../platform/net/backoff.ts'
import type { Outcome } from '../gateway.ts'
import { WEB } from './limits.ts'

/** Failures in a row, or share of recent failures, after which a push service is paused. */
const DOWN_IN_A_ROW = 10
const DOWN_WINDOW = 50
const DOWN_SHARE = 0.3
/** Max in-flight requests to a service silent for SILENT_MS. */
const MAX_WHEN_SILENT = 50
const SILENT_MS = 3000
/** Delay for recipients of a service that is tried with one request at a time. It grows with every pause. */
const SOON_MS = 2000
const LATER_MS = 60_000
const LEAST_WAIT_MS = 1000
/** An acceptance older than this does not prove that the service works now. */
const PROVEN_MS = 10 * 60_000
/** Max endpoints of one service whose failure is remembered. */
const MAX_FAILING = 1000

/** A request that ended: its endpoint, and the place of its beginning among the requests to the service (`begun`). */
export interface EndedRequest {
  endpoint: string
  number: number
}

/**
 * The health of one push service. A service gets no request before the time that it asked for. A service that fails or
 * hangs gets one request at a time until it accepts something. Limits are those of an endpoint until several endpoints are
 * throttled and so is a request after them: then the service waits too. Servers of phones, other than the services of
 * browsers (`isOfBrowsers`), also fail for one phone that is away: they are paused only when endpoints fail one after the
 * other that did not fail before. Times in ms.
 */
export function createServiceHealth(random: () => number = Math.random, { isOfBrowsers = true } = {}) {
  let notBefore = 0
  let why: 'throttled_gateway' | 'gateway_down' = 'gateway_down'
  let reason = ''
  /** Consecutive pauses without an acceptance in between. */
  let pauses = 0
  let inFlight = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let acceptedAt = Number.NEGATIVE_INFINITY
  let downInARow = 0
  let recent: boolean[] = []
  /** Endpoints whose last request failed, of a server of phones. */
  const failing = new Set<string>()
  let begun = 0
  /** Endpoints, and the time at which each was throttled; empty after a request that began later was accepted. */
  const throttled = new Map<string, number>()
  /** The number of the last request that was throttled. */
  let lastThrottled = 0
  /** The number of the last request before so many endpoints were throttled that it may be the service. */
  let suspectedAt = 0

  function pause(kind: typeof why, because: string, waitMs: number, now: number): void {
    // Requests already in flight return the same answer; the longest wait counts.
    if (now >= notBefore) pauses++
    notBefore = Math.max(notBefore, now + Math.max(LEAST_WAIT_MS, waitMs))
    why = kind
    reason = because
    downInARow = 0
    recent = []
  }

  /** Takes a failure into account. Returns whether the service is to be paused for it. */
  function isTooMany(endpoint: string): boolean {
    if (isOfBrowsers) {
      downInARow++
      return downInARow >= DOWN_IN_A_ROW || recent.filter(Boolean).length / DOWN_WINDOW > DOWN_SHARE
    }
    if (!failing.has(endpoint)) downInARow++
    failing.add(endpoint)
    if (failing.size > MAX_FAILING) failing.delete(failing.keys().next().value!)
    return downInARow >= DOWN_IN_A_ROW
  }

  const isSuspect = () => throttled.size >= WEB.throttledEndpoints

  /** Takes a throttled endpoint into account. Returns whether the limit is that of the service. */
  function isOfService({ endpoint, number }: EndedRequest, now: number): boolean {
    for (const [one, at] of throttled) if (now - at >= WEB.throttledMs) throttled.delete(one)
    const isConfirmed = isSuspect() && number > suspectedAt
    if (!isSuspect()) {
      throttled.set(endpoint, now)
      suspectedAt = begun
    }
    lastThrottled = Math.max(lastThrottled, number)
    return isConfirmed
  }

  /** Ends the suspicion, and the pause that came of it, when a request was accepted that began after the throttled ones. */
  function clearSuspicion({ number }: EndedRequest, now: number): void {
    if (throttled.size === 0 || number <= lastThrottled) return
    if (isSuspect() && why === 'throttled_gateway') notBefore = Math.min(notBefore, now)
    throttled.clear()
  }

  const wait = (afterMs: number): Outcome => ({ kind: why, reason, afterMs, local: true })

  return {
    /** Number of requests in flight. */
    get inFlight(): number {
      return inFlight
    },

    /** Number of requests that were begun: that of the last one. */
    get begun(): number {
      return begun
    },

    /** Tells whether the service accepted something recently and has not failed since. */
    isProven: (now: number): boolean => pauses === 0 && now - acceptedAt < PROVEN_MS,

    /** The outcome of a request that must wait, or undefined if it may start; then call `ended` when it finishes. */
    begin(now: number): Outcome | undefined {
      if (now < notBefore) return wait(notBefore - now)
      if (pauses > 0 && inFlight > 0) return wait(Math.min(SOON_MS * 2 ** (pauses - 1), LATER_MS))
      if (isSuspect() && inFlight > 0) {
        return { kind: 'throttled_gateway', reason: 'several endpoints are throttled', afterMs: SOON_MS, local: true }
      }
      if (inFlight >= MAX_WHEN_SILENT && now - heardAt > SILENT_MS) {
        return { kind: 'gateway_down', reason: 'the push service does not answer', afterMs: SOON_MS, local: true }
      }
      // The first request after an idle time starts the clock.
      if (inFlight === 0) heardAt = Math.max(heardAt, now)
      inFlight++
      begun++
      return undefined
    },

    /** Records the result of a request. */
    ended(outcome: Outcome, now: number, request: EndedRequest): void {
      inFlight--
      const isOfRecipient = 'local' in outcome && outcome.local === 'recipient'
      const isDown = !isOfRecipient && (outcome.kind === 'gateway_down' || outcome.kind === 'uncertain')
      if (outcome.kind !== 'uncertain') heardAt = Math.max(heardAt, now)
      if (outcome.kind === 'throttled_gateway') {
        if (isOfRecipient && !isOfService(request, now)) return
        return pause(outcome.kind, outcome.reason, outcome.afterMs ?? backoff(pauses, 10_000, 600_000, random()), now)
      }
      if (outcome.kind === 'accepted') {
        acceptedAt = now
        clearSuspicion(request, now)
      }
      if (!isDown) {
        // The service works, whatever it says about this recipient.
        pauses = 0
        downInARow = 0
        failing.delete(request.endpoint)
      }
      recent = [...recent.slice(1 - DOWN_WINDOW), isDown]
      if (!isDown) return
      const asked = 'afterMs' in outcome ? outcome.afterMs : undefined
      if (isTooMany(request.endpoint) || asked || pauses > 0) {
        pause('gateway_down', outcome.reason, asked ?? 500 + backoff(pauses, 1000, 300_000, random()), now)
      }
    },
  }
}

export type ServiceHealth = ReturnType<typeof createServiceHealth>
