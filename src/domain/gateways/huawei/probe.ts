import type { Finding, Outcome } from '../gateway.ts'
import { judgeProbe } from '../probe/findings.ts'

const DOCUMENT = 'see docs/gateways/huawei.md'

/** Remedies by a pattern in the refusal; the first match applies. */
const REMEDIES: [RegExp, string][] = [
  [
    /token server: .*(invalid client|client.?secret|app secret|1101|1102|1203|20041)/i,
    'compare App ID and client secret with AppGallery Connect (Project settings, General information, App information)',
  ],
  [/token server: HTTP 404/, 'gateways.hcmTokenUrl is not the address of Huawei’s token server'],
  [
    /token server/,
    'compare App ID and client secret with AppGallery Connect; gateways.hcmTokenUrl must be Huawei’s token server',
  ],
  [
    /80200001|80200003|HTTP 401/,
    'the secret belongs to another app: compare App ID and client secret with AppGallery Connect',
  ],
  [
    /80300002|HTTP 403/,
    'enable Push Kit for the app in AppGallery Connect (Project settings, Manage APIs; and Grow, Push Kit)',
  ],
  [/HTTP 404/, 'compare the App ID with AppGallery Connect; gateways.hcmUrl must be Huawei’s push server'],
]

/** Judges the outcome of getting an access token, or of a dry run for a device that cannot exist. */
export function judgeHcmProbe(outcome: Outcome, appId: string): Finding {
  return judgeProbe(outcome, {
    who: 'Push Kit',
    accepts: `Push Kit accepts the credential of app ${appId}`,
    refused: remedyFor,
    slow: () => 'wait; AppGallery Connect shows the quota of the app under Push Kit',
    unreachable: 'let this machine connect to push-api.cloud.huawei.com and oauth-login.cloud.huawei.com on port 443',
  })
}

/** Finding for an app that may not send with high priority. */
export const NO_HIGH_PRIORITY = {
  level: 'warning',
  what: 'this app may not use high priority: pushes with highPriority are sent as NORMAL',
  remedy: 'apply for it in AppGallery Connect (Grow, Push Kit, Configuration)',
} as const satisfies Finding

function remedyFor(reason: string): string {
  return REMEDIES.find(([pattern]) => pattern.test(reason))?.[1] ?? DOCUMENT
}
