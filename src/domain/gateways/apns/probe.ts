import { expiryFinding } from '../expiry.ts'
import type { Environment, Finding, Outcome } from '../gateway.ts'
import type { ApnsFacts } from './credentials.ts'

/** Refusals of the credential that have a remedy of their own. */
const REMEDIES: Record<string, string> = {
  BadCertificate: 'make a new push certificate and set it again',
  BadCertificateEnvironment:
    'set the mode that the certificate was made for, or make a "Sandbox & Production" certificate',
  Forbidden: 'the certificate or key was revoked: make a new one',
  InvalidProviderToken: 'compare key id and team id with the Apple developer site; check the clock of this machine',
  MissingProviderToken: 'the connection carried no credential: set a p12 or a p8 again',
  ExpiredProviderToken: 'set the clock of this machine (the token is judged by its time of issue)',
  UnrelatedKeyIdInToken: 'the key belongs to another team than the first key of the connection: compare the team id',
  BadEnvironmentKeyIdInToken: 'the key is limited to one environment: set that mode, or make a key for both',
  BadEnvironmentKeyInToken: 'the key is limited to one environment: set that mode, or make a key for both',
  BadTopic: 'the topic is not a bundle id: set the bundle id of the app',
  TopicDisallowed: 'the credential may not send to this topic: set the bundle id that it was made for',
  TooManyProviderTokenUpdates:
    'another system uses the same key and renews its token too often: use one key per system',
}

const DOCUMENT = 'see docs/gateways/apns.md'

/** What is known without a connection: expiry, and the warnings of the check. */
export function inspectApns(facts: ApnsFacts, now: number): Finding[] {
  const findings: Finding[] = facts.warnings.map((what) => ({ level: 'warning', what }))
  if (facts.notAfter !== undefined) {
    findings.push(
      expiryFinding('the push certificate', facts.notAfter, now, 'make a new one and set it before then: ' + DOCUMENT),
    )
  }
  return findings
}

/**
 * Reads the answer to a push for a device that cannot exist. APNs checks the credential first, so a complaint about the
 * device is the good answer.
 */
export function judgeApnsProbe(outcome: Outcome, environment: Environment): Finding {
  const reason = 'reason' in outcome ? outcome.reason : ''
  const who = `APNs (${environment})`
  switch (outcome.kind) {
    case 'accepted':
    case 'token_dead':
    case 'token_suspect':
      return { level: 'ok', what: `${who} accepts the credential` }
    case 'payload_error':
      return reason.startsWith('MissingTopic')
        ? { level: 'warning', what: `${who} wants a topic`, remedy: 'set the bundle id of the app as topic' }
        : { level: 'warning', what: `${who} answered ${reason}`, remedy: DOCUMENT }
    case 'config_error':
      return { level: 'error', what: `${who} refuses: ${reason}`, remedy: REMEDIES[firstWord(reason)] ?? DOCUMENT }
    case 'throttled_recipient':
    case 'throttled_gateway':
      return {
        level: 'warning',
        what: `${who} asks to slow down: ${reason}`,
        remedy: REMEDIES[firstWord(reason)] ?? 'try again later',
      }
    case 'gateway_down':
    case 'uncertain':
  }
  return {
    level: 'error',
    what: `${who} cannot be reached: ${reason}`,
    remedy: 'let this machine connect to Apple on port 443 (HTTP/2), without a proxy that opens TLS',
  }
}

function firstWord(reason: string): string {
  return /^\w*/.exec(reason)?.[0] ?? ''
}
