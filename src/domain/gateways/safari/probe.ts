import { messageOf } from '../../../platform/errors.ts'
import type { Finding, GatewaySettings } from '../gateway.ts'
import { inspectExpiring } from '../probe/findings.ts'
import type { SafariFacts, SafariSecret } from './credentials.ts'
import { type FetchIcons, ICON_RULE, type IconSet } from './icons.ts'
import { SAFARI } from './limits.ts'
import { inspectPackage } from './package-check.ts'
import { urlFormatOf } from './payload.ts'
import { buildPushPackage, PACKAGE_VERSIONS, type WebsiteDocument } from './push-package.ts'
import { createSigner } from './signature.ts'

const DOCUMENT = 'see docs/gateways/safari.md'

/** Findings without a connection: expiry, and the warnings of the check. */
export function inspectCertificate(facts: SafariFacts, now: number): Finding[] {
  const remedy = `make a new one for the same website push id and set it before then: ${DOCUMENT}`
  return inspectExpiring(facts, now, 'the website push certificate', remedy)
}

/** The address that Safari calls, or undefined if no https address is configured: Safari requires https. */
export function serviceAddress(settings: Pick<GatewaySettings, 'pushAddress'>, apiKey: string): string | undefined {
  const base = settings.pushAddress ?? ''
  return base.startsWith('https:') ? `${base}/safari/${encodeURIComponent(apiKey)}` : undefined
}

export const NO_ADDRESS = 'Safari requires an https address of this server, and none is configured'

/** `website.json` for one visitor. */
export function websiteOf(facts: SafariFacts, webServiceURL: string, authenticationToken: string): WebsiteDocument {
  return {
    websiteName: facts.websiteName,
    websitePushID: facts.websitePushId,
    allowedDomains: [new URL(facts.siteUrl).origin],
    urlFormatString: urlFormatOf(facts.siteUrl),
    authenticationToken,
    webServiceURL,
  }
}

/** Fetches the icon, makes a push package of each version and checks it as macOS does, which reports nothing. */
export async function inspectPackaging(
  { secret, facts }: { secret: SafariSecret; facts: SafariFacts },
  settings: GatewaySettings,
  now: number,
  fetchIcons: FetchIcons,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const address = serviceAddress(settings, 'check')
  if (!address) {
    const remedy = 'set baseUrl to the https address that browsers reach'
    findings.push({ level: 'error', what: NO_ADDRESS, remedy, ofVendor: true })
  }
  let icons: IconSet
  try {
    icons = await fetchIcons(facts.iconUrl, settings)
  } catch (error) {
    const remedy = `set iconUrl to ${ICON_RULE}, at a public https address; without an icon, Safari cannot ask new visitors for permission`
    return [...findings, { level: 'error', what: messageOf(error), remedy, ofVendor: true }]
  }
  findings.push(...inspectIconSize(icons))
  const website = websiteOf(facts, address ?? 'https://example.com', 'x'.repeat(SAFARI.tokenCharacters))
  const sign = createSigner(secret)
  const faults = new Set<string>()
  for (const version of PACKAGE_VERSIONS) {
    const bytes = await buildPushPackage({ website, icons, version }, sign, now)
    for (const fault of inspectPackage(bytes, { websitePushId: facts.websitePushId, version, now })) faults.add(fault)
  }
  if (faults.size === 0) return [...findings, { level: 'ok', what: 'push packages can be made and are valid' }]
  return [...findings, ...[...faults].map((what): Finding => ({ level: 'error', what, remedy: DOCUMENT }))]
}

function inspectIconSize({ width, height }: IconSet): Finding[] {
  const defects = [
    ...(width === height ? [] : ['is shown with margins']),
    ...(Math.max(width, height) < SAFARI.iconAdvisedSide ? ['is enlarged'] : []),
  ]
  if (defects.length === 0) return []
  const what = `the icon has ${width} × ${height} pixels: it ${defects.join(' and ')}`
  return [{ level: 'warning', what, remedy: `set iconUrl to ${ICON_RULE}`, ofVendor: true }]
}
