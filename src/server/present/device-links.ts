import type { Banner } from '../../domain/links/banners/types.ts'
import type { DeepLink } from '../../domain/links/types.ts'

/**
 * What an SDK gets of a link that it found. `content` is always there and holds no nulls: one SDK would show the word "null"
 * (docs/reference/device-protocol.md section 13).
 */
export function presentFoundLink({ linkData, content }: Pick<DeepLink, 'linkData' | 'content'>) {
  const { title, description } = content
  return {
    linkData,
    content: { ...(title !== undefined && { title }), ...(description !== undefined && { description }) },
  }
}

/** A banner as the web SDK gets it. Without `storeUrl` the app is there already, and the banner opens it. */
export function presentBanner(
  { uuid, design }: Banner,
  { deepLinkUrl, storeUrl }: { deepLinkUrl: string; storeUrl: string | undefined },
) {
  const { uiActions, ...looks } = design
  const accept =
    storeUrl === undefined ? { type: 'openDeeplink', deepLinkUrl } : { type: 'openStore', url: storeUrl, deepLinkUrl }
  return { uuid, type: 'ddl_banner', ...looks, uiActions: { accept, decline: uiActions.decline } }
}

/** A banner as an operator sees it: what its file says, with every default. */
export function presentBannerFile({ uuid, slug, design }: Banner) {
  return { uuid, link: slug, ...design }
}
