import { RESERVED_SEGMENTS } from '../make/slug.ts'
import type { LinkSettings } from '../types.ts'

/** What Apple's and Google's machines fetch from a link host to see that the app may open its links (docs/reference/gateway-facts.md section 6.1, 6.2). */

/** The paths of the two documents. */
export const ASSOCIATION_PATHS = {
  apple: '/.well-known/apple-app-site-association',
  google: '/.well-known/assetlinks.json',
} as const

/** Apple's document: the newer form (`appIDs`, `components`) beside the one that iOS 12 reads (`appID`, `paths`). */
export interface AppleAppSiteAssociation {
  applinks: {
    apps: []
    details: {
      appID: string
      appIDs: string[]
      components: { '/': string; exclude?: true; comment?: string }[]
      paths: string[]
    }[]
  }
}

/** One statement of Google's document: https://developers.google.com/digital-asset-links/v1/statements */
export interface AssetLink {
  relation: ['delegate_permission/common.handle_all_urls']
  target: { namespace: 'android_app'; package_name: string; sha256_cert_fingerprints: string[] }
}

/** Paths of a link host that are no links and stay in the browser. */
const IN_BROWSER = RESERVED_SEGMENTS.flatMap((segment) => [`/${segment}`, `/${segment}/*`])

/**
 * The document `apple-app-site-association`: every path of the host is the app's but the reserved ones. One entry an app id with
 * both forms in it: iOS 13 and newer ignore `paths` where there are `components`. Undefined without team and bundle id.
 */
export function appleAppSiteAssociation(
  settings: Pick<LinkSettings, 'iosTeamId' | 'iosBundleIds'>,
): AppleAppSiteAssociation | undefined {
  const ids = appleAppIds(settings)
  if (ids.length === 0) return undefined
  const details = ids.map((id) => ({
    appID: id,
    appIDs: [id],
    components: [...IN_BROWSER.map((path) => ({ '/': path, exclude: true as const })), { '/': '/*' }],
    paths: [...IN_BROWSER.map((path) => `NOT ${path}`), '/*'],
  }))
  return { applinks: { apps: [], details } }
}

/** `TEAMID.com.example.app` for each bundle id; none without a team id. */
export function appleAppIds({ iosTeamId, iosBundleIds }: Pick<LinkSettings, 'iosTeamId' | 'iosBundleIds'>): string[] {
  return iosTeamId === null ? [] : iosBundleIds.map((bundle) => `${iosTeamId}.${bundle}`)
}

/** The document `assetlinks.json`. Undefined without package name and fingerprint. */
export function assetLinks({
  androidPackage,
  androidSha256,
}: Pick<LinkSettings, 'androidPackage' | 'androidSha256'>): AssetLink[] | undefined {
  if (androidPackage === null || androidSha256.length === 0) return undefined
  return [
    {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: { namespace: 'android_app', package_name: androidPackage, sha256_cert_fingerprints: androidSha256 },
    },
  ]
}
