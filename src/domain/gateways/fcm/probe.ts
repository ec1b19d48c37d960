import type { Finding, Outcome } from '../gateway.ts'
import { judgeProbe } from '../probe/findings.ts'

const DOCUMENT = 'see docs/gateways/fcm.md'

/** Remedies for refusals, by a word in them; the first that fits applies. */
const REMEDIES: [RegExp, string][] = [
  [
    /invalid_grant|clock/,
    'set the clock of this machine; if it is right, the key was deleted: make a new one for the service account',
  ],
  [/invalid_client|unauthorized_client/, 'the service account does not exist any more: make a new key file'],
  [
    /SERVICE_DISABLED|has not been used|is disabled/,
    'enable "Firebase Cloud Messaging API (V1)" for the project in the Google Cloud console',
  ],
  [
    /PERMISSION_DENIED/,
    'give the service account the role "Firebase Cloud Messaging API Admin", and enable the FCM API (V1) in the project',
  ],
  [/NOT_FOUND|HTTP 404/, 'compare projectId with the project id (not its name or number) in the Firebase console'],
  [/UNAUTHENTICATED|HTTP 401/, 'make a new key file for the service account and set it again'],
  [/THIRD_PARTY_AUTH_ERROR/, 'the Firebase project holds a wrong APNs or web push credential: correct it there'],
]

/** Reads the outcome of getting an access token or of a dry run to a device that cannot exist. */
export function judgeFcmProbe(outcome: Outcome, projectId: string): Finding {
  return judgeProbe(outcome, {
    who: 'FCM',
    accepts: `FCM accepts the service account for project ${projectId}`,
    refused: remedyFor,
    slow: () => 'wait, or ask Google for more quota',
    unreachable: 'let this machine connect to Google on port 443, without a proxy that opens TLS',
  })
}

function remedyFor(reason: string): string {
  return REMEDIES.find(([pattern]) => pattern.test(reason))?.[1] ?? DOCUMENT
}
