import type { Finding, GatewaySettings } from '../gateway.ts'
import type { Platform } from '../registry.ts'
import { createSenders } from '../send/senders.ts'
import type { GatewaysService } from '../service.ts'

/** A finding about one gateway of an app. */
export type PlatformFinding = Finding & { platform: Platform }

interface ProbeParts {
  gateways: Pick<GatewaysService, 'list' | 'find' | 'credential'>
  settings: GatewaySettings
  now(): number
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
      else findings.push(...(await sender.probe()).map((finding) => ({ platform, ...finding })))
    }
    return findings
  } finally {
    await senders.close()
  }
}
