import type { Environment, Finding, Outcome } from '../gateway.ts'
import { inspectExpiring, judgeProbe } from '../probe/findings.ts'
import type { ApnsFacts } from './credentials.ts'

/** Remedies for particular refusals of the credential. */
const REMEDIES: Record<string, string> = {
  BadCertificate: 'make a new push certificate and set it again',
  BadCertificateEnvironment:
    'set the mode that the certificate was made for, or make a "Sandbox & Production" certificate',
  Forbidden: 'the certificate or key was revoked: make a new one',
  InvalidProviderToken: 'compare key id and team id with the Apple developer site; check the clock of this machine',
  MissingProviderToken: 'the connection used no credential: set a p12 or a p8 again',
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

/** Findings without a connection: expiry, and the warnings of the check. */
export function inspectApns(facts: ApnsFacts, now: number): Finding[] {
  return inspectExpiring(facts, now, 'the push certificate', `make a new one and set it before then: ${DOCUMENT}`)
}

/** Judges the answer to a push for a device that cannot exist. APNs checks the credential first, then the topic. */
export function judgeApnsProbe(outcome: Outcome, environment: Environment): Finding {
  const who = `APNs (${environment})`
  if (outcome.kind === 'payload_error') {
    return outcome.reason.startsWith('MissingTopic')
      ? { level: 'warning', what: `${who} requires a topic`, remedy: 'set the bundle id of the app as topic' }
      : { level: 'warning', what: `${who} answered ${outcome.reason}`, remedy: DOCUMENT }
  }
  return judgeProbe(outcome, {
    who,
    accepts: `${who} accepts the credential`,
    refused: (reason) => REMEDIES[firstWord(reason)] ?? DOCUMENT,
    slow: (reason) => REMEDIES[firstWord(reason)] ?? 'try again later',
    unreachable: 'let this machine connect to Apple on port 443 (HTTP/2), without a proxy that opens TLS',
  })
}

function firstWord(reason: string): string {
  return /^\w*/.exec(reason)?.[0] ?? ''
}
