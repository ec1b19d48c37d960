import { expiryFinding } from '../configure/expiry.ts'
import type { CredentialFacts, Finding, Outcome } from '../gateway.ts'

/** The warnings of a credential's check. */
export function warningsOf({ warnings }: Pick<CredentialFacts, 'warnings'>): Finding[] {
  return warnings.map((what) => ({ level: 'warning', what }))
}

/** What is known of a credential without a connection: the warnings of its check, and when it ends. `what` is a noun. */
export function inspectExpiring(facts: CredentialFacts, now: number, what: string, remedy: string): Finding[] {
  const { notAfter } = facts
  return [...warningsOf(facts), ...(notAfter === undefined ? [] : [expiryFinding(what, notAfter, now, remedy)])]
}

/** How a gateway is spoken of, and what to do about its answers. */
export interface ProbeWords {
  who: string
  /** Sentence for a credential that is good. */
  accepts: string
  refused(reason: string): string
  slow(reason: string): string
  unreachable: string
}

/**
 * Reads the outcome of a request for a device that cannot exist, or of getting what such a request needs. A complaint about the device
 * is the good answer: it comes after the credential was found good.
 */
export function judgeProbe(outcome: Outcome, { who, accepts, refused, slow, unreachable }: ProbeWords): Finding {
  const reason = 'reason' in outcome ? outcome.reason : ''
  switch (outcome.kind) {
    case 'accepted':
    case 'token_dead':
    case 'token_suspect':
    case 'payload_error':
      return { level: 'ok', what: accepts }
    case 'config_error':
      return { level: 'error', what: `${who} refuses: ${reason}`, remedy: refused(reason) }
    case 'throttled_recipient':
    case 'throttled_gateway':
      return { level: 'warning', what: `${who} asks to slow down: ${reason}`, remedy: slow(reason) }
    case 'gateway_down':
    case 'uncertain':
  }
  return { level: 'error', what: `${who} cannot be reached: ${reason}`, remedy: unreachable }
}
