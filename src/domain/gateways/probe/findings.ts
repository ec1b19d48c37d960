import { expiryFinding } from '../configure/expiry.ts'
import type { CredentialFacts, Finding, Outcome } from '../gateway.ts'

/** The warnings of a credential's check. */
export function warningsOf({ warnings }: Pick<CredentialFacts, 'warnings'>): Finding[] {
  return warnings.map((what) => ({ level: 'warning', what, ofVendor: true }))
}

/** Findings without a connection: the warnings of a credential's check, and its expiry. `what` is a noun. */
export function inspectExpiring(facts: CredentialFacts, now: number, what: string, remedy: string): Finding[] {
  const { notAfter } = facts
  return [...warningsOf(facts), ...(notAfter === undefined ? [] : [expiryFinding(what, notAfter, now, remedy)])]
}

/** The name of a gateway in findings, and remedies for its answers. */
export interface ProbeWords {
  who: string
  /** Sentence for a valid credential. */
  accepts: string
  refused(reason: string): string
  slow(reason: string): string
  unreachable: string
}

/**
 * Judges the outcome of a request for a device that cannot exist, or of preparing one. A complaint about the device is
 * good news: the vendor has accepted the credential by then.
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
