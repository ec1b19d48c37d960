import type { Banner } from '../../domain/links/banners/types.ts'
import type { DeepLink } from '../../domain/links/types.ts'
import { CONTENT, LINK_DATA, linkContent } from '../api/links.ts'
import {
  answerOf,
  count,
  free,
  list,
  number,
  object,
  oneOf,
  optional,
  string,
  told,
  url,
  type Words,
} from '../schema.ts'
import { INVALID_ERROR, LINK_URL, UI_ACTIONS, UUID } from '../words.ts'

const DECLINE: Words = ['The second button.']

/**
 * Shows a found link to an SDK. `content` is always there and holds no nulls: one SDK would show the word "null"
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

const found = { linkData: told(free, LINK_DATA), content: told(linkContent, CONTENT) }
export const foundLink = answerOf<typeof presentFoundLink>('FoundDeepLink', 'The data of a link for the app.', found)
export const matchedLink = object('MatchedDeepLink', 'The link of an earlier tap, with its data.', {
  linkUrl: told(url, LINK_URL),
  ...found,
})
/** Answer to a look-up of a link that gives no data any more. */
export const goneLink = object('GoneDeepLink', 'A link that gives no data any more.', { linkUrl: told(url, LINK_URL) })

const decline = object('BannerDecline', 'The button that closes the banner.', {
  type: told(oneOf(['decline', 'remind']), 'Whether the banner never comes back or comes back later.', 'remind'),
  delay: optional(
    told(
      object('BannerDelay', 'How long the banner stays away.', {
        duration: told(number, 'Number of units.', 7),
        timeUnit: told(oneOf(['hours', 'days']), 'Hours or days.', 'days'),
      }),
      'How long it stays away.',
    ),
  ),
})

/** Look of a banner and the rules for showing it, the same for SDKs and operators. */
export const bannerLooks = {
  position: told(oneOf(['top', 'bottom']), 'Edge of the page.', 'bottom'),
  trigger: told(
    object('BannerTrigger', 'The event of the page that shows the banner.', {
      event: told(string, 'Type of the event.', 'k.pageViewed'),
      afterSeconds: optional(told(number, 'Delay in seconds.', 5)),
      filters: optional(
        told(list({ type: 'array' }), 'Conditions on the event: property, operator, value.', [
          ['path', 'EQ', '/offers'],
        ]),
      ),
    }),
    'When the banner shows.',
  ),
  imageUrl: optional(told(url, 'A picture.', 'https://example.com/picture.png')),
  labels: told(
    object('BannerLabels', 'Texts of the banner.', {
      heading: told(string, 'First line.', 'Get the app'),
      body: told(string, 'The line below the heading.', 'All offers in your pocket'),
      acceptAction: told(string, 'Label of the button that leads to the app.', 'Open'),
      declineAction: told(string, 'Label of the button that closes it.', 'Later'),
    }),
    'Texts.',
  ),
  colors: told(
    object('BannerColors', 'Colours of the banner.', {
      fg: told(string, 'Colour of the text.', '#1b2129'),
      bg: told(string, 'Colour of the background.', '#ffffff'),
      declineActionFg: told(string, 'Text of the second button.', '#5a6573'),
      declineActionBg: told(string, 'Background of the second button.', '#f6f7f9'),
      acceptActionFg: told(string, 'Text of the first button.', '#ffffff'),
      acceptActionBg: told(string, 'Background of the first button.', '#1753d8'),
      ratingFg: told(string, 'Colour of the rating.', '#b26a00'),
    }),
    'Colours.',
  ),
  appRating: optional(
    told(
      object('AppRating', 'The rating that the banner shows.', {
        rating: told(number, 'Stars, 0 to 5.', 4.6),
        ratingCount: told(count, 'Number of ratings.', 1204),
      }),
      'The rating that is shown.',
    ),
  ),
}

/** Buttons of a banner file, as operators see them. Only the second one can be set. */
export const bannerFileActions = object('BannerFileActions', 'What the second button does.', {
  decline: told(decline, DECLINE),
})

export const banner = answerOf<typeof presentBanner>('Banner', 'A banner that leads from a web page to the app.', {
  uuid: told(string, UUID),
  type: told({ const: 'ddl_banner' }, INVALID_ERROR, 'ddl_banner'),
  ...bannerLooks,
  uiActions: told(
    object('BannerActions', 'What its buttons do.', {
      accept: told(
        object('BannerAccept', 'The button that leads to the app.', {
          type: told(oneOf(['openDeeplink', 'openStore']), 'Whether it opens the app or its store.', 'openStore'),
          url: optional(told(url, 'Address of the store.', 'https://apps.apple.com/app/id1234567890')),
          deepLinkUrl: told(url, LINK_URL),
        }),
        'The first button.',
      ),
      decline: told(decline, DECLINE),
    }),
    UI_ACTIONS,
  ),
})
