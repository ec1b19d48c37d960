import { RESERVED_SEGMENTS } from '../make/slug.ts'
import type { LinkSettings } from '../types.ts'

/**
 * The association files that Apple and Google fetch from a link host to verify that the app may open its links
 * (docs/reference/gateway-facts.md section 6.1, 6.2).
 */

/** The paths of the two documents. */
export const ASSOCIATION_PATHS = {
  apple: '/.well-known/apple-app-site-association',
  google: '/.well-known/assetlinks.json',
} as const

/** The path at which a link host serves the icon of its app. A page one level down uses it without the slash. */
export const ICON_PATH = '/.well-known/app-icon'

/** Apple's document in both forms: `appIDs` and `components`, and for iOS 12 `appID` and `paths`. */
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

/** Paths of a link host that are not links and stay in the browser. */
const IN_BROWSER = RESERVED_SEGMENTS.flatMap((segment) => [`/${segment}`, `/${segment}/*`])

/**
 * The document `apple-app-site-association`: the app opens all paths except the reserved ones. One entry for each app
 * id contains both forms; iOS 13 and newer ignore `paths` when there are `components`. Undefined without team id or
 * bundle id.
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

/** `TEAMID.com.example.app` for each bundle id; empty without a team id. */
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
