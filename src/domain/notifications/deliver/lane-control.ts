import { backoff } from '../../../platform/backoff.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import type { HoldKind } from '../../gateways/types.ts'
import { createPace } from './pace.ts'
import { createRetryBudget } from './retry-budget.ts'

/** A lane that must wait: until when (ms), and what to tell the operator. */
export interface Hold {
  until: number
  kind: HoldKind
  reason: string
  holds: number
}

export interface LaneSettings {
  /** Percent of refused tokens among the last 200 that stops the lane. */
  refusalLimit: number
  /** How often in a row the lane was held before. */
  holds: number
  /** A lane gets up to speed over so long (ms) when its gateway is back after an outage; 0 or absent means at once. */
  rampMs?: number
  /** Also when it was idle: the vendor asks for it. */
  gradual?: boolean
  /** Recipients are at many hosts, and the sender spares each of them by itself: retries need no budget of the lane. */
  manyHosts?: boolean
}

/**
 * What a page takes from a lane: those on it who were never tried; those who are tried again, which the budget pays; or those whom a
 * crash of ours left in doubt, which says nothing about the gateway and is at most a window for each crash: neither.
 */
export type Taking = 'first' | 'retry' | 'after-crash'

export type LaneControl = ReturnType<typeof createLaneControl>

/** The breaker opens after so many failures in a row, or this share of the last hundred (docs/reference/promises.md section 4). */
const DOWN_IN_A_ROW = 20
const DOWN_WINDOW = 100
const DOWN_SHARE = 0.5
/** Refused tokens: this many in a row with nothing accepted, or the configured share of the last 200 (docs/reference/gateway-facts.md section 0.2). */
const REFUSED_IN_A_ROW = 20
const REFUSAL_WINDOW = 200
/** Recipients that are risked at a time while nothing was accepted lately: with a wrong credential no more are refused. */
const MOST_UNPROVEN = REFUSED_IN_A_ROW
/** A gateway in trouble is left alone for so long at least, also when it says "at once" or a time that is over. */
const LEAST_WAIT_MS = 1000
/** A lane that sent nothing, or had nothing accepted, for so long is cold. */
const COLD_MS = 60_000
const MINUTE = 60_000
/**
 * Longer than any wait between two tries (5 min) and their deadline. What waited may have gone out through another thread since, or
 * have been called off.
 */
const SILENCE_MS = 6 * MINUTE

/**
 * What one lane has learned from its answers, in the memory of one delivery thread: when to stop, for how long, and how fast
 * to go. Fed with every outcome; asked before recipients are begun. Times in ms.
 */
export function createLaneControl(settings: LaneSettings) {
  const { refusalLimit, holds: heldBefore, rampMs = 0, gradual = false, manyHosts = false } = settings
  let holds = heldBefore
  let hold: Hold | null = null
  let downInARow = 0
  let refusedInARow = 0
  const down = slidingShare(DOWN_WINDOW)
  const refused = slidingShare(REFUSAL_WINDOW)
  let acceptedAt = Number.NEGATIVE_INFINITY
  let silence: { since: number; reason: string } | undefined
  let troubledAt = Number.NEGATIVE_INFINITY
  const pace = createPace({ rampMs })
  const budget = createRetryBudget()

  function stop(kind: HoldKind, reason: string, waitMs: number, now: number): void {
    // The first reason stands: the answers that were already on their way say the same.
    if (hold) return
    holds++
    hold = { until: now + Math.max(LEAST_WAIT_MS, waitMs), kind, reason, holds }
  }

  function spend(count: number, taking: Taking): number {
    if (taking === 'first') budget.earn(count)
    else if (taking === 'retry' && !manyHosts) budget.spend(count)
    return count
  }

  /** Nothing was accepted lately, so the credential may have become wrong: few are risked until something is. */
  const isUnproven = (now: number) => now - acceptedAt >= COLD_MS

  return {
    /** The hold that the last answers called for, once; the caller stores it with the lane. */
    get hold(): Hold | null {
      return hold
    },

    /**
     * Since when (ms) the gateway was asked and has not answered anybody, and how that looked; undefined when it answers, and when it
     * was not asked for so long that nobody here can know.
     */
    silence(now: number): { since: number; reason: string } | undefined {
      return now - troubledAt < SILENCE_MS ? silence : undefined
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
    allowance(free: number, begun: number, now: number, taking: Taking = 'first'): number {
      if (hold) return 0
      const wanted = taking !== 'retry' || manyHosts ? free : Math.min(free, budget.available(now))
      if (holds > 0) return begun === 0 ? spend(Math.min(1, wanted), taking) : 0
      if (isUnproven(now)) return spend(Math.min(wanted, Math.max(0, MOST_UNPROVEN - begun)), taking)
      if (gradual && now - pace.usedAt >= COLD_MS) pace.warmUp(now)
      return spend(pace.take(wanted, now), taking)
    },

    isUnproven,
    manyHosts,

    /** From now on another credential is used. */
    doubt(): void {
      acceptedAt = Number.NEGATIVE_INFINITY
    },

    /** When a rate limit lets the next recipient through; 0 = no limit is in the way. */
    waitMs: (now: number): number => pace.waitMs(now),

    /** How long a page with so many retries had better wait until the lane can afford them; 0 = it can afford one now. */
    retryWaitMs: (retries: number, now: number): number =>
      manyHosts || budget.available(now) > 0 ? 0 : budget.waitMs(retries, now),

    /** One answer. `random` is 0 ≤ r < 1. */
    note(outcome: Outcome, now: number, random: number): void {
      // One host of many, or the recipient alone: the lane is as well as it was.
      if ('local' in outcome && outcome.local) return
      if (outcome.kind === 'gateway_down' || outcome.kind === 'uncertain') {
        silence = { since: this.silence(now)?.since ?? now, reason: outcome.reason }
        troubledAt = now
      } else silence = undefined
      const isDown = outcome.kind === 'gateway_down'
      const isRefused = outcome.kind === 'token_dead' || outcome.kind === 'token_suspect'
      down.add(isDown)
      downInARow = isDown ? downInARow + 1 : 0
      if (isRefused || outcome.kind === 'accepted') refused.add(isRefused)
      if (outcome.kind === 'token_suspect') refusedInARow++

      switch (outcome.kind) {
        case 'accepted':
          if (holds > 0) pace.warmUp(now)
          holds = 0
          acceptedAt = now
          refusedInARow = 0
          pace.accepted(now)
          break
        case 'config_error':
          stop('config_error', outcome.reason, Math.min(5 * MINUTE * 2 ** holds, 60 * MINUTE), now)
          break
        case 'throttled_gateway': {
          const waitMs = outcome.afterMs ?? LEAST_WAIT_MS + backoff(holds, 10_000, 600_000, random)
          // While a lane only tries a few, no pace of ours was too much.
          if (holds === 0 && !isUnproven(now)) pace.slowDown(now, waitMs)
          stop('throttled_gateway', outcome.reason, waitMs, now)
          break
        }
        case 'gateway_down':
          if (holds > 0 || downInARow >= DOWN_IN_A_ROW || (down.full && down.share > DOWN_SHARE)) {
            const least = outcome.atLeastMs ?? 500
            stop('gateway_down', outcome.reason, outcome.afterMs ?? least + backoff(holds, 1000, 300_000, random), now)
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
