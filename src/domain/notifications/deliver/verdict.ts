import { backoff } from '../../../platform/backoff.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { SLOT } from '../record/page.ts'

/** How often a recipient of this page was tried before: refusals that ask to come back, and sends whose answer got lost. */
export interface Tries {
  attempt: number
  resends: number
}

/**
 * What becomes of one recipient: a final byte; or a wait in a retry page; or back to pending, for the lane is in trouble. `local`:
 * others of the same page may have to wait for another time, since it is another host that asks them to.
 */
export type Verdict = { slot: number } | { slot: typeof SLOT.moved; retry: Tries & { afterMs: number; local?: true } }

/** Tries for a device that gets too many messages (docs/reference/promises.md section 4). */
const RECIPIENT_TRIES = 5
/** Sends whose answer got lost are repeated so often. The replacement key makes Apple devices show one; Android has none (fcm/payload.ts). */
const RESENDS = 2

/** One gateway answer -> what happens to the recipient. Pure; `random` is 0 ≤ r < 1. The lane's own view is in lane-control.ts. */
export function verdictOf(outcome: Outcome, { attempt, resends }: Tries, random: number): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return { slot: SLOT.accepted }
    case 'token_dead':
    case 'token_suspect':
    case 'payload_error':
      return { slot: SLOT[outcome.kind] }
    case 'throttled_recipient': {
      if (attempt + 1 >= RECIPIENT_TRIES) return { slot: SLOT.throttled_recipient }
      const afterMs = outcome.afterMs ?? backoff(attempt, 30_000, 600_000, random)
      return { slot: SLOT.moved, retry: { afterMs, attempt: attempt + 1, resends } }
    }
    case 'gateway_down': {
      const afterMs = outcome.afterMs ?? (outcome.atLeastMs ?? 0) + backoff(attempt, 1000, 300_000, random)
      const local = outcome.local && { local: true as const }
      return { slot: SLOT.moved, retry: { afterMs, attempt: attempt + 1, resends, ...local } }
    }
    case 'uncertain':
      return uncertainVerdict({ attempt, resends }, random)
    case 'throttled_gateway': {
      // The recipient did nothing wrong and is not counted: it stays where it is until the lane opens.
      if (!outcome.local) return { slot: SLOT.pending }
      const afterMs = outcome.afterMs ?? backoff(attempt, 10_000, 600_000, random)
      // It was begun once, and quiet hours and caps do not judge a message twice: never again a first attempt.
      return { slot: SLOT.moved, retry: { afterMs, attempt: Math.max(1, attempt), resends, local: true } }
    }
    case 'config_error':
      return { slot: SLOT.pending }
  }
}

/** A send whose answer never came. */
export function uncertainVerdict(tries: Tries, random: number): Verdict {
  return sentAgain(tries, Math.round(5000 + random * 25_000))
}

/**
 * A send whose answer never came because its worker ended. The gateway is well as far as we know, so the wait is shorter; but a
 * program that is killed again as soon as it starts shall not use up its resends within a second.
 */
export function crashVerdict(tries: Tries, random: number): Verdict {
  return sentAgain(tries, Math.round(5000 + random * 10_000))
}

function sentAgain({ attempt, resends }: Tries, afterMs: number): Verdict {
  if (resends >= RESENDS) return { slot: SLOT.unknown }
  return { slot: SLOT.moved, retry: { afterMs, attempt, resends: resends + 1 } }
}
