import { linkState } from '../../domain/links/service.ts'
import type { DeepLink, LinkSite } from '../../domain/links/types.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  time,
  told,
  url,
  type Words,
  within,
} from '../schema.ts'
import { APP_ID, CREATED_AT, ID, LINK_URL, UPDATED_AT } from '../words.ts'

export const LINK_DATA: Words = ['Returned to the app when the link is matched.', { screen: 'offer', id: 7 }]
export const CONTENT: Words = ['What the jump page shows.']
export const EXPIRES_AT: Words = ['When it expires; null if never.', '2026-03-08T12:00:00+0000']
export const LINKS: Words = ['What every short link of the app begins with.', 'https://go.example.com']

/** The contract's answer to a created link. */
export function presentCreatedLink({ id }: Pick<DeepLink, 'id'>, url: string) {
  return { id, url }
}

const STATES = { active: 'active', expired: 'expired', over_limit: 'over limit', disabled: 'disabled' } as const

/** The link settings of an app; `base` is what its links begin with. */
export function presentLinkSettings({ appId, settings }: LinkSite, base: string) {
  return { appId, links: base, ...settings }
}

export const createdLink = answerOf<typeof presentCreatedLink>('CreatedDeepLink', 'A deep link that was created.', {
  id: told(integer, ID),
  url: told(url, LINK_URL),
})

export const linkContent = object(
  'DeepLinkContent',
  'The texts of the jump page.',
  {
    title: optional(told(string, 'Title of the jump page.', 'Spring sale')),
    description: optional(told(string, 'Text of the jump page.', 'All shoes half price')),
  },
  { title: 'Spring sale' },
)

const ofLink = ({ link }: ShownLink) => link

interface ShownLink {
  link: DeepLink
  url: string
  now: number
}

/**
 * A link with what became of it: `clicks` are visits of people, `lookups` matches in the app. `isEnabled` only where it
 * is false.
 */
export const deepLink = answer<ShownLink>()('DeepLink', 'A deep link with its counts.', {
  ...within(ofLink, { id: told(integer, ID) }),
  url: told(url, LINK_URL),
  ...within(ofLink, {
    slug: told(string, 'Path of the short link, unique in the app.', 'spring-sale'),
  }),
  state: told(
    oneOf(Object.values(STATES)),
    '`over limit`: `lookupLimit` is reached. `disabled`: it is switched off.',
    'active',
    ({ link, now }: ShownLink) => STATES[linkState(link, now)],
  ),
  ...within(ofLink, {
    linkData: told(free, LINK_DATA),
    content: told(linkContent, CONTENT),
    pictureUrl: optional(
      told(
        string,
        'The picture that chats show of the link; absent when it has none.',
        'https://push.example.com/pictures/4f9c2b7e8d1a4c53b6e0f7a912d8c3e4.jpg',
        ({ pictureUrl }: DeepLink) => pictureUrl ?? undefined,
      ),
    ),
    desktopWebFallbackUrl: told(url, 'Where a browser on a desktop is sent.', 'https://example.com/offers/7'),
    mobileWebFallbackUrl: told(
      url,
      'Where a browser on a phone without the app is sent.',
      'https://m.example.com/offers/7',
    ),
    reportingMeta: told(nullable(free), 'Copied into the `data` of the events that this causes.', {
      campaign: 'spring',
    }),
    expiresAt: told(nullable(time), EXPIRES_AT, null),
    lookupLimit: told(nullable(count), 'Maximum number of matches; null: any number.', 100),
    isEnabled: optional(
      told({ const: false }, 'False for a link that is switched off; absent otherwise.', ({ isEnabled }: DeepLink) =>
        isEnabled ? undefined : false,
      ),
    ),
    lookups: told(count, 'Matches so far.', 12),
    clicks: told(count, 'People who followed it so far.', 40),
    createdAt: told(time, CREATED_AT),
    updatedAt: told(time, UPDATED_AT),
  }),
})
export const presentLink = (link: DeepLink, url: string, now: number) => deepLink.present({ link, url, now })
export const deepLinkPage = pageOf('deepLinks', 'One page of deep links.', 'The deep links of this page.', deepLink)

export const linkSettings = answerOf<typeof presentLinkSettings>(
  'LinkSettings',
  'How the links of an app are reached and which apps they open.',
  {
    appId: told(integer, APP_ID),
    links: told(url, LINKS),
    subdomain: told(string, 'Label of the link host below `links.domain`; chosen by the service.', 'a1b2c3'),
    domain: told(nullable(string), 'The own host name of the links of the app.', 'go.example.com'),
    iosTeamId: told(nullable(string), 'Apple team id.', 'A1B2C3D4E5'),
    iosBundleIds: told(list(string), 'Bundle ids of the iOS apps that open the links.', ['com.example.app']),
    androidPackage: told(nullable(string), 'Package of the Android app that opens the links.', 'com.example.app'),
    androidSha256: told(list(string), 'SHA-256 fingerprints of its signing certificates.', [
      '14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5',
    ]),
    appStoreUrl: told(nullable(url), 'Address in the App Store.', 'https://apps.apple.com/app/id1234567890'),
    playStoreUrl: told(
      nullable(url),
      'Address in the Play Store.',
      'https://play.google.com/store/apps/details?id=com.example.app',
    ),
    fingerprintWindow: told(
      count,
      'Seconds during which a tap waits for the first start of the app; 0 switches recognition off.',
      3600,
    ),
    offersClipboard: told(
      boolean,
      'Whether the button of the jump page copies the link for the first start of the app.',
      false,
    ),
    icon: told(
      nullable(string),
      'The icon of the app on the jump page: a PNG, JPEG or WebP as a data URL.',
      'data:image/png;base64,iVBORw0KGgo=',
    ),
    color: told(nullable(string), 'The colour of the app on the jump page, as `#rrggbb`.', '#0b6157'),
    offersCode: told(
      boolean,
      'Whether computers get a page with a QR code of the link. False: they are sent to `desktopWebFallbackUrl` at once.',
      false,
    ),
  },
)
