import { BANNER_COLORS, BANNER_LABELS, type Banner } from '../../domain/links/banners/types.ts'
import type { DeepLink } from '../../domain/links/types.ts'
import { linkContent } from '../api/links.ts'
import { answerOf, count, free, list, number, object, oneOf, optional, string, url } from '../schema.ts'

/**
 * What an SDK gets of a link that it found. `content` is always there and holds no nulls: one SDK would show the word
 * "null" (docs/reference/device-protocol.md section 13).
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

const found = { linkData: free, content: linkContent }
export const foundLink = answerOf<typeof presentFoundLink>('FoundDeepLink', found)
export const matchedLink = object({ linkUrl: url, ...found }, 'MatchedDeepLink')
/** What SDKs get of a link that gives no data any more. */
export const goneLink = object({ linkUrl: url }, 'GoneDeepLink')

const each = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, string]))

const decline = object(
  {
    type: oneOf(['decline', 'remind']),
    delay: optional(object({ duration: number, timeUnit: oneOf(['hours', 'days']) }, 'BannerDelay')),
  },
  'BannerDecline',
)

/** What a banner looks like and when it shows, as SDKs and operators see it. */
export const bannerLooks = {
  position: oneOf(['top', 'bottom']),
  trigger: object(
    { event: string, afterSeconds: optional(number), filters: optional(list({ type: 'array' })) },
    'BannerTrigger',
  ),
  imageUrl: optional(url),
  labels: object(each(BANNER_LABELS), 'BannerLabels'),
  colors: object(each(BANNER_COLORS), 'BannerColors'),
  appRating: optional(object({ rating: number, ratingCount: count }, 'AppRating')),
}

/** What operators see of the buttons: the first one has nothing to set. */
export const bannerFileActions = object({ decline }, 'BannerFileActions')

export const banner = answerOf<typeof presentBanner>('Banner', {
  uuid: string,
  type: { const: 'ddl_banner' },
  ...bannerLooks,
  uiActions: object(
    {
      accept: object(
        { type: oneOf(['openDeeplink', 'openStore']), url: optional(url), deepLinkUrl: url },
        'BannerAccept',
      ),
      decline,
    },
    'BannerActions',
  ),
})
