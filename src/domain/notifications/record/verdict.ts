import { backoff } from '../../../platform/net/backoff.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { SLOT } from './page.ts'

/**
 * How often the recipients of a page were tried before: `attempt` counts failures that allow a retry, `resends` lost
 * responses.
 */
export interface Tries {
  attempt: number
  resends: number
}

/**
 * What happens to one recipient: a final outcome; a wait on a retry page; or pending again, because the whole lane has
 * to wait. `local`: only this host asked for the wait, so other recipients of the page may have to wait for another
 * time.
 */
export type Verdict = { slot: number } | { slot: typeof SLOT.moved; retry: Tries & { afterMs: number; local?: true } }

/**
 * For how long the recipients of a notification without a time to live wait for their one try, from when their page is due: a
 * large send takes its time. Who has not had it by then, because the server stood still or the gateway was down, expires.
 */
export const TURN_MS = 300_000

/** Maximum attempts for a device that gets too many messages (docs/reference/promises.md section 4). */
const RECIPIENT_TRIES = 5
/**
 * Maximum resends after a lost response. The replacement key makes Apple devices show one copy; Android may show each
 * (fcm/payload.ts).
 */
const RESENDS = 2

/**
 * What a gateway's response means for the recipient; what it means for the lane is in lane-control.ts. Pure; `random`
 * is 0 ≤ r < 1.
 */
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
      // Not the recipient's fault: it counts no attempt and stays on this page until the lane opens.
      if (!outcome.local) return { slot: SLOT.pending }
      const afterMs = outcome.afterMs ?? backoff(attempt, 10_000, 600_000, random)
      // Not a first attempt any more: quiet hours and frequency cap have judged this recipient and must not do so
      // again.
      return { slot: SLOT.moved, retry: { afterMs, attempt: Math.max(1, attempt), resends, local: true } }
    }
    case 'config_error':
      return { slot: SLOT.pending }
  }
}

/** A send whose response never came. */
export function uncertainVerdict(tries: Tries, random: number): Verdict {
  return sentAgain(tries, Math.round(5000 + random * 25_000))
}

/**
 * A send whose response never came because its worker died. The wait is shorter, because nothing suggests that the
 * gateway has trouble. There is a wait, because a program that is killed on every start would otherwise use up its
 * resends within seconds.
 */
export function crashVerdict(tries: Tries, random: number): Verdict {
  return sentAgain(tries, Math.round(5000 + random * 10_000))
}

/** The verdict where each recipient is tried once: what would be tried again has expired, and what is in doubt stays so. */
export function onlyTry(verdict: Verdict, { kind }: Outcome): Verdict {
  const isOver = verdict.slot !== SLOT.moved && verdict.slot !== SLOT.pending
  return isOver ? verdict : { slot: kind === 'uncertain' ? SLOT.unknown : SLOT.expired }
}

function sentAgain({ attempt, resends }: Tries, afterMs: number): Verdict {
  if (resends >= RESENDS) return { slot: SLOT.unknown }
  return { slot: SLOT.moved, retry: { afterMs, attempt, resends: resends + 1 } }
}
