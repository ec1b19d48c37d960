import { invalid } from '../../../platform/errors.ts'
import { criticalFields } from '../request/presentation.ts'
import type { StoredContent } from '../types.ts'

/**
 * Throws `invalid`, naming the fields, for content that sounds although the device is muted, unless the app has Apple's
 * entitlement for it: iOS shows such a push of another app without that effect, and nobody would notice.
 */
export async function requireEntitlement(
  allowsCritical: (appId: number) => Promise<boolean>,
  appId: number,
  content: StoredContent,
): Promise<void> {
  const fields = criticalFields(content)
  if (fields.length === 0 || (await allowsCritical(appId))) return
  const why =
    'needs Apple’s entitlement for critical alerts: if the app has it, say so with appsvc gateways set --app APP ios --critical, ' +
    'or with ios.critical in PUT {push_url}/v1/apps/{appId}'
  throw invalid(Object.fromEntries(fields.map((field) => [field, [why]])))
}
