import type { Finding, GatewaySettings } from './gateway.ts'
import type { Platform } from './registry.ts'
import { createSenders } from './senders.ts'
import type { GatewaysService } from './service.ts'

/** A finding about one gateway of an app. */
export type PlatformFinding = Omit<Finding, 'ofVendor'> & { platform: Platform }

/** The time in which all gateways of an app together have to answer. */
const PROBE_MS = 30_000

interface ProbeParts {
  gateways: Pick<GatewaysService, 'list' | 'find' | 'credential'>
  settings: GatewaySettings
  now(): number
}

/** Runs `probeApp` for at most `PROBE_MS`, and reports the gateways that have not answered by then. */
export async function probeInTime(parts: ProbeParts, appId: number, only: Platform): Promise<PlatformFinding[]> {
  const late = Promise.withResolvers<PlatformFinding[]>()
  const timer = setTimeout(() => {
    const what = `no answer within ${PROBE_MS / 1000} seconds`
    const remedy = 'let this machine connect to the vendor, without a proxy that opens TLS, and check again'
    late.resolve([{ platform: only, level: 'error', what, remedy }])
  }, PROBE_MS)
  try {
    return await Promise.race([probeApp(parts, appId, only), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Connects to the gateways of an app, or to that of one platform, and has them check the credential; sends nothing. An app
 * without gateways has no findings.
 */
export async function probeApp(
  { gateways, settings, now }: ProbeParts,
  appId: number,
  only?: string,
): Promise<PlatformFinding[]> {
  const senders = createSenders(gateways, settings, now)
  try {
    const findings: PlatformFinding[] = []
    for (const { platform } of await gateways.list(appId)) {
      if (only !== undefined && platform !== only) continue
      const sender = await senders.find(appId, platform)
      if (!sender) findings.push({ platform, level: 'error', what: 'the configured credential cannot send' })
      else findings.push(...told(await sender.probe(), settings).map((finding) => ({ platform, ...finding })))
    }
    return findings
  } finally {
    await senders.close()
  }
}

/** Findings without what stand-ins do not mind: a sandbox takes its own certificates, and no browser asks for a page there. */
function told(findings: readonly Finding[], { areStandIns }: GatewaySettings): Omit<Finding, 'ofVendor'>[] {
  return findings
    .filter(({ ofVendor }) => !(areStandIns && ofVendor))
    .map(({ level, what, remedy }) => ({ level, what, ...(remedy !== undefined && { remedy }) }))
}
