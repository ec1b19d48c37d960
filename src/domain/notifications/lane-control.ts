import { backoff } from '../../platform/backoff.ts'
import type { Outcome } from '../gateways/gateway.ts'
import type { HoldKind } from '../gateways/types.ts'

/** A lane that must wait: until when (ms), and what to tell the operator. */
export interface Hold {
  until: number
  kind: HoldKind
  reason: string
  holds: number
}

export type LaneControl = ReturnType<typeof createLaneControl>

/** The breaker opens after so many failures in a row, or this share of the last hundred (reliability 4). */
const DOWN_IN_A_ROW = 20
const DOWN_WINDOW = 100
const DOWN_SHARE = 0.5
/** Refused tokens: this many in a row with nothing accepted, or the configured share of the last 200 (gateway-facts 0.2). */
const REFUSED_IN_A_ROW = 20
const REFUSAL_WINDOW = 200
/** How fast a lane that was told to slow down gets faster again. */
const RECOVERY_PER_MINUTE = 1.1
const MINUTE = 60_000

/**
 * What one lane has learned from its answers, in the memory of one delivery thread: when to stop, for how long, and how fast
 * to go. Fed with every outcome; asked before recipients are begun. `holds` is how often in a row the lane was held before.
 */
export function createLaneControl({ refusalLimit, holds: heldBefore }: { refusalLimit: number; holds: number }) {
  let holds = heldBefore
  let hold: Hold | null = null
  let downInARow = 0
  let refusedInARow = 0
  const down = slidingShare(DOWN_WINDOW)
  const refused = slidingShare(REFUSAL_WINDOW)
  const pace = createPace()

  function stop(kind: HoldKind, reason: string, waitMs: number, now: number): void {
    // The first reason stands: the answers that were already on their way say the same.
    if (hold) return
    holds++
    hold = { until: now + waitMs, kind, reason, holds }
  }

  return {
    /** The hold that the last answers called for, once; the caller stores it with the lane. */
    get hold(): Hold | null {
      return hold
    },

    /** After a hold is over: try with one recipient at a time until something is accepted. */
    resume(holdsSoFar: number): void {
      hold = null
      holds = holdsSoFar
      downInARow = 0
      refusedInARow = 0
      down.clear()
      refused.clear()
    },

    /** True while only one recipient at a time may be tried. */
    get probing(): boolean {
      return holds > 0
    },

    /** How many recipients may be begun now, when `free` slots of the window are free and `begun` are under way. */
    allowance(free: number, begun: number, now: number): number {
      if (hold) return 0
      if (holds > 0) return begun === 0 ? Math.min(1, free) : 0
      return pace.take(free, now)
    },

    /** When a rate limit lets the next recipient through; 0 = no limit is in the way. */
    waitMs: (now: number): number => pace.waitMs(now),

    /** One answer. `random` is 0 ≤ r < 1. */
    note(outcome: Outcome, now: number, random: number): void {
      const isDown = outcome.kind === 'gateway_down'
      const isRefused = outcome.kind === 'token_dead' || outcome.kind === 'token_suspect'
      down.add(isDown)
      downInARow = isDown ? downInARow + 1 : 0
      if (isRefused || outcome.kind === 'accepted') refused.add(isRefused)
      if (outcome.kind === 'token_suspect') refusedInARow++

      switch (outcome.kind) {
        case 'accepted':
          holds = 0
          refusedInARow = 0
          pace.accepted(now)
          break
        case 'config_error':
          stop('config_error', outcome.reason, Math.min(5 * MINUTE * 2 ** holds, 60 * MINUTE), now)
          break
        case 'throttled_gateway':
          // While a held lane tries one at a time, no pace of ours was too much.
          if (holds === 0) pace.halve(now)
          stop(
            'throttled_gateway',
            outcome.reason,
            outcome.afterMs ?? 1000 + backoff(holds, 10_000, 600_000, random),
            now,
          )
          break
        case 'gateway_down':
          if (holds > 0 || downInARow >= DOWN_IN_A_ROW || (down.full && down.share > DOWN_SHARE)) {
            stop('gateway_down', outcome.reason, outcome.afterMs ?? 500 + backoff(holds, 1000, 300_000, random), now)
          }
          break
        case 'token_dead':
        case 'token_suspect': {
          const share = Math.round(refused.share * 100)
          if (refusedInARow >= REFUSED_IN_A_ROW || (refused.full && share > refusalLimit)) {
            const many =
              refusedInARow >= REFUSED_IN_A_ROW ? `the last ${refusedInARow} tokens` : `${share} % of the last tokens`
            const reason = `${many} were refused (${outcome.reason}): the credential, topic or environment is probably wrong`
            stop('config_error', reason, Math.min(5 * MINUTE * 2 ** holds, 60 * MINUTE), now)
          }
          break
        }
      }
    },

    /** True when the hold was called because too many tokens were refused: then none of those answers may count. */
    get refusalsDoubted(): boolean {
      return hold?.kind === 'config_error'
    },
  }
}

/** The share of `true` among the last `size` answers. */
function slidingShare(size: number) {
  const ring: boolean[] = []
  let at = 0
  let hits = 0
  return {
    add(hit: boolean) {
      if (ring[at]) hits--
      if (hit) hits++
      ring[at] = hit
      at = (at + 1) % size
    },
    get full() {
      return ring.length === size
    },
    get share() {
      return ring.length === 0 ? 0 : hits / ring.length
    },
    clear() {
      ring.length = 0
      at = 0
      hits = 0
    },
  }
}

/** No lane is slowed down below this: it would take hours to come back from there. */
const SLOWEST_PER_SECOND = 10
const METER_MS = 1000
/** A shorter time says little about a rate. */
const METER_LEAST_MS = 100

/** How many a second: of the last full second of work, or of the running one. A pause does not count as slowness. */
function createMeter() {
  let start = Number.NEGATIVE_INFINITY
  let count = 0
  let last = 0
  const over = (from: number, now: number) => (count * 1000) / Math.max(now - from, METER_LEAST_MS)
  return {
    add(n: number, now: number): void {
      const ran = now - start
      if (ran > METER_MS) {
        last = ran < 2 * METER_MS ? over(start, now) : 0
        start = now
        count = 0
      }
      count += n
    },
    perSecond(now: number): number {
      if (now - start > 2 * METER_MS) return 0
      return Math.max(last, over(start, now))
    },
  }
}

/** A rate that does not exist until a gateway asks us to slow down; then half of what we did, growing by a tenth a minute. */
function createPace() {
  let limit = 0
  let limitedAt = 0
  let tokens = 0
  let filledAt = 0
  // A gateway that complains at once has accepted little and got much: the larger of both is what was too much for it.
  const begun = createMeter()
  const accepted = createMeter()

  const rate = (now: number) => limit * RECOVERY_PER_MINUTE ** ((now - limitedAt) / MINUTE)

  function fill(now: number): void {
    const perSecond = rate(now)
    tokens = Math.min(Math.max(1, perSecond), tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
  }

  return {
    accepted: (now: number): void => accepted.add(1, now),
    halve(now: number): void {
      // Answers that were under way when the first one came say nothing new.
      if (limit > 0 && now - limitedAt < 1000) return
      const measured = Math.max(begun.perSecond(now), accepted.perSecond(now))
      const current = limit > 0 ? Math.min(rate(now), measured) : measured
      limit = Math.max(SLOWEST_PER_SECOND, current / 2)
      limitedAt = now
      tokens = 1
      filledAt = now
    },
    take(wanted: number, now: number): number {
      if (limit === 0) {
        begun.add(wanted, now)
        return wanted
      }
      fill(now)
      const granted = Math.min(wanted, Math.floor(tokens))
      tokens -= granted
      begun.add(granted, now)
      return granted
    },
    waitMs(now: number): number {
      if (limit === 0) return 0
      fill(now)
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rate(now)) * 1000)
    },
  }
}
