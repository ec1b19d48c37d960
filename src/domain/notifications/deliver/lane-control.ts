import { backoff } from '../../../platform/net/backoff.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import type { HoldKind } from '../../gateways/types.ts'
import { createPace } from './pace.ts'
import { createRetryBudget } from './retry-budget.ts'

/** A pause of a lane: until when (ms), and why, for the operator. */
export interface Hold {
  until: number
  kind: HoldKind
  reason: string
  holds: number
}

export interface LaneSettings {
  /** Percentage of refused tokens among the last 200 that pauses the lane. */
  refusalLimit: number
  /** Number of times in a row that the lane was held so far. */
  holds: number
  /** Duration (ms) of the ramp after an outage of the gateway; 0 or absent means none. */
  rampMs?: number
  /** The ramp also follows a minute without sending: the vendor asks for it. */
  gradual?: boolean
  /** The recipients are at many hosts, and the sender limits the load on each: retries need no budget of the lane. */
  manyHosts?: boolean
}

/**
 * The kind of attempts of a page. First attempts earn retries, retries use the retry budget. Resends after a crash
 * of ours do neither: they say nothing about the gateway, and each crash leaves at most one window of them.
 */
export type AttemptKind = 'first' | 'retry' | 'after-crash'

export type LaneControl = ReturnType<typeof createLaneControl>

/**
 * The lane is held after this many failures in a row, or this share of the last hundred (docs/reference/promises.md
 * section 4).
 */
const DOWN_IN_A_ROW = 20
const DOWN_WINDOW = 100
const DOWN_SHARE = 0.5
/**
 * The lane is paused after this many refused tokens in a row, or the configured share of the last 200
 * (docs/reference/gateway-facts.md section 0.2).
 */
const REFUSED_IN_A_ROW = 20
const REFUSAL_WINDOW = 200
/** Maximum recipients in flight while nothing was accepted lately: if the credential is wrong, no more are refused. */
const MAX_UNPROVEN = REFUSED_IN_A_ROW
/** Minimum wait for a gateway in trouble, even if it asks for less or for a time that has passed. */
const MIN_WAIT_MS = 1000
/**
 * After this long without sending a `gradual` lane ramps up; after this long without an acceptance the credential is
 * unproven.
 */
const COLD_MS = 60_000
const MINUTE = 60_000
/**
 * Longer than the longest wait between two attempts (5 min) plus their timeout. After it this thread cannot know
 * whether the gateway responds: another thread may have sent what waited, or it was cancelled.
 */
const SILENCE_MS = 6 * MINUTE

/**
 * Controls one lane by the responses of its gateway, in the memory of one delivery thread: when to pause, for how long,
 * and how fast to send. Every outcome is passed to `note`; `allowance` is called before recipients are begun. Times are
 * in ms.
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
  /** Time of the last answer that is about the lane. */
  let answeredAt = Number.NEGATIVE_INFINITY
  let silence: { since: number; reason: string } | undefined
  let troubledAt = Number.NEGATIVE_INFINITY
  const pace = createPace({ rampMs })
  const budget = createRetryBudget()

  function stop(kind: HoldKind, reason: string, waitMs: number, now: number): void {
    // The first reason stands: responses to requests already in flight say the same.
    if (hold) return
    holds++
    hold = { until: now + Math.max(MIN_WAIT_MS, waitMs), kind, reason, holds }
  }

  function spend(count: number, kind: AttemptKind): number {
    if (kind === 'first') budget.earn(count)
    else if (kind === 'retry' && !manyHosts) budget.spend(count)
    return count
  }

  /** Nothing was accepted lately, so the credential may have become wrong. */
  const isUnproven = (now: number) => now - acceptedAt >= COLD_MS

  return {
    /** The hold that the last responses caused; the caller stores it with the lane. */
    get hold(): Hold | null {
      return hold
    },

    /**
     * Since when (ms) the gateway has not responded to any request, and the error; undefined when it responds, and when
     * there was no request for so long that this thread cannot know.
     */
    silence(now: number): { since: number; reason: string } | undefined {
      return now - troubledAt < SILENCE_MS ? silence : undefined
    },

    /** Ends a hold: from now on one recipient at a time is tried, until something is accepted. */
    resume(holdsSoFar: number): void {
      hold = null
      holds = holdsSoFar
      downInARow = 0
      refusedInARow = 0
      down.clear()
      refused.clear()
    },

    /** Tells whether only one recipient at a time may be tried. */
    get probing(): boolean {
      return holds > 0
    },

    /** Number of recipients that may be begun now; `free` is the free part of the window, `begun` the number in flight. */
    allowance(free: number, begun: number, now: number, kind: AttemptKind = 'first'): number {
      if (hold) return 0
      const wanted = kind !== 'retry' || manyHosts ? free : Math.min(free, budget.available(now))
      if (holds > 0) return begun === 0 ? spend(Math.min(1, wanted), kind) : 0
      if (isUnproven(now)) return spend(Math.min(wanted, Math.max(0, MAX_UNPROVEN - begun)), kind)
      if (gradual && now - pace.usedAt >= COLD_MS) pace.warmUp(now)
      return spend(pace.take(wanted, now), kind)
    },

    isUnproven,
    manyHosts,

    /**
     * True when answers came that may show that the credential is wrong, and lately none that it is right. What one host of
     * many answers, or does not, shows neither.
     */
    isInQuestion: (now: number): boolean => isUnproven(now) && now - answeredAt < COLD_MS,

    /** The credential was replaced: nothing was accepted with it yet. */
    doubt(): void {
      acceptedAt = Number.NEGATIVE_INFINITY
    },

    /** Time (ms) until the rate allows the next recipient; 0 when no limit applies. */
    waitMs: (now: number): number => pace.waitMs(now),

    /** Time (ms) for which a page with this many retries should wait for the retry budget; 0 when it allows one now. */
    retryWaitMs: (retries: number, now: number): number =>
      manyHosts || budget.available(now) > 0 ? 0 : budget.waitMs(retries, now),

    /** Takes one outcome into account. `random` is 0 ≤ r < 1. */
    note(outcome: Outcome, now: number, random: number): void {
      // It concerns one host of many, or this recipient alone, and not the lane.
      if ('local' in outcome && outcome.local) return
      answeredAt = now
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
          const waitMs = outcome.afterMs ?? MIN_WAIT_MS + backoff(holds, 10_000, 600_000, random)
          // While a lane sends to a few recipients as a trial, its rate cannot have been too high.
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

    /** Tells whether too many tokens were refused for the refusals to be true: then none of them may count. */
    get refusalsDoubted(): boolean {
      return hold?.kind === 'config_error'
    },
  }
}

/** The share of `true` among the last `size` values. */
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
