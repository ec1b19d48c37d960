import type { Outcome } from '../gateway.ts'
import { WEB } from './limits.ts'

interface Wait {
  until: number
  reason: string
  /** Number of times in a row that the endpoint was throttled. */
  times: number
}

/** An answer that throttles. */
type Throttled = Outcome & { kind: 'throttled_gateway' }

/**
 * The endpoints that asked for a pause of their own, for every message that goes there. A server that is asked again before its
 * time counts that, and in the end answers nobody of us any more (binwiederhier/ntfy#1286). Remembers the latest
 * `WEB.endpoints`. Times in ms.
 */
export function createEndpointWaits() {
  /** By endpoint, the one that was throttled longest ago first. */
  const waits = new Map<string, Wait>()

  return {
    /** The outcome of a push that has to wait, or undefined if it may be sent. */
    find(endpoint: string, now: number): Throttled | undefined {
      if (waits.size === 0) return undefined
      const wait = waits.get(endpoint)
      if (!wait || now >= wait.until) return undefined
      return { kind: 'throttled_gateway', reason: wait.reason, afterMs: wait.until - now, local: 'recipient' }
    },

    /**
     * Stores that the endpoint was throttled, and returns the outcome with the time to wait: the one that the answer asks for,
     * else a minute, and twice as long after each further refusal that follows within an hour. A server that asks for less than
     * a second, or for little again and again, is not asked without end.
     */
    throttled(endpoint: string, outcome: Throttled, now: number): Throttled {
      const before = waits.get(endpoint)
      const isAgain = before !== undefined && now - before.until < WEB.longestQuotaWaitMs
      const times = isAgain ? before.times + 1 : 1
      const doubled = 2 ** Math.min(times - 1, 30)
      const afterMs =
        outcome.afterMs === undefined
          ? Math.min(WEB.quotaWaitMs * doubled, WEB.longestQuotaWaitMs)
          : Math.max(outcome.afterMs, Math.min(WEB.leastQuotaWaitMs * doubled, WEB.quotaWaitMs))
      waits.delete(endpoint)
      waits.set(endpoint, { until: now + afterMs, reason: outcome.reason, times })
      if (waits.size > WEB.endpoints) waits.delete(waits.keys().next().value!)
      return { ...outcome, afterMs }
    },

    /** Forgets that the endpoint was throttled, because it took a push. */
    accepted(endpoint: string): void {
      if (waits.size > 0) waits.delete(endpoint)
    },
  }
}
