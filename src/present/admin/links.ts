import type { Finding } from '../../domain/gateways/gateway.ts'
import { type LinkPreview, PREVIEW_DEVICES } from '../../domain/links/visit/preview.ts'
import { deepLink, LINKS } from '../api/links.ts'
import {
  answerOf,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  told,
  url,
} from '../schema.ts'
import { ALWAYS_NULL, APP_NAME, ATTEMPTS, FINDINGS, LEVEL, LINK_URL, REMEDY } from '../words.ts'

const counts = { clicks: told(count, 'Visits of people.', 40), matches: told(count, 'Opens in the app.', 12) }

/** The answer of `statistics.linkDays`. */
export const adminLinkDays = object('LinkDays', 'Clicks and matches by day, platform and route.', {
  days: told(
    list(object('LinkDay', 'A UTC day.', { day: told(string, 'A UTC day.', '2026-11-23'), ...counts })),
    ATTEMPTS,
  ),
  platforms: told(
    list(
      object('LinkPlatform', 'A platform; the one with most comes first.', {
        platform: told(string, '`ios`, `android`, `mobile`, `desktop`, or `unknown`.', 'ios'),
        ...counts,
      }),
    ),
    'By platform.',
  ),
  routes: told(
    list(
      object('LinkRoute', 'Where people were sent; the route with most comes first.', {
        route: told(
          string,
          'Of clicks: `jumpPage`, `playStore`, `mobileWeb`, `desktopWeb` or `banner`. Of matches: `direct`, ' +
            '`deferred` or `fingerprint`. `unknown` of either.',
          'jumpPage',
        ),
        ...counts,
      }),
    ),
    'By route.',
  ),
  total: told(object('LinkCounts', 'Clicks and matches of all days.', counts), 'All days together.'),
})

export const adminLinks = object('FoundDeepLinks', 'The link that was found, or none.', {
  items: told(list(deepLink), 'One link at most.'),
  next: told(nullable(integer), ALWAYS_NULL),
})

export function presentLinkPreview({ card, visits }: LinkPreview) {
  const { title, description, siteName, url: address, image, isLarge } = card
  return {
    card: { title, description: description ?? null, siteName, url: address, image: image ?? null, isLarge },
    visits,
  }
}

export const adminLinkPreview = answerOf<typeof presentLinkPreview>('DeepLinkPreview', 'What visitors of a link get.', {
  card: told(
    object('DeepLinkCard', 'What chats show of a link: the Open Graph data of its page.', {
      title: told(string, 'Its title, or an invitation to open it in the app.', 'Spring sale'),
      description: told(nullable(string), 'Its text; null if there is none.', 'All shoes half price'),
      siteName: told(string, APP_NAME, 'Shop'),
      url: told(url, LINK_URL),
      image: told(nullable(url), 'The picture of the link, or the icon of the app; null if there is neither.', null),
      isLarge: told(boolean, 'Whether the image is the picture of the link, which chats show large.', false),
    }),
    'What chats show.',
  ),
  visits: told(
    list(
      object('PreviewedVisit', 'Where people with such a device come.', {
        device: told(oneOf(PREVIEW_DEVICES), 'The device.', 'ios'),
        leadsTo: told(
          oneOf(['page', 'code', 'redirect']),
          '`page` for the jump page, whose main button leads to `url`; `code` for the page with a QR code, whose link leads there.',
          'page',
        ),
        url: told(url, 'Where it leads.', 'https://apps.apple.com/app/id1234567890'),
      }),
    ),
    'One for each device.',
  ),
})

/** `domain` undefined: the links are below an address that phones do not give to apps. */
export function presentDomainCheck(links: string, domain: string | undefined, findings: readonly Finding[]) {
  return { links, domain: domain ?? null, isHealthy: isHealthy(domain, findings), findings }
}

const isHealthy = (domain: string | undefined, findings: readonly Finding[]) =>
  domain !== undefined && findings.every(({ level }) => level === 'ok')

export const adminDomainCheck = answerOf<typeof presentDomainCheck>(
  'DomainCheck',
  'What Apple and Google would find.',
  {
    links: told(url, LINKS),
    domain: told(
      nullable(string),
      'The host that was checked; null if phones give no app to the links.',
      'go.example.com',
    ),
    isHealthy: told(boolean, 'Whether nothing is left to do.', true),
    findings: told(
      list(
        object('DomainFinding', 'One finding, with its remedy.', {
          level: told(oneOf(['ok', 'warning', 'error']), LEVEL),
          what: told(string, FINDINGS, 'go.example.com resolves, and its certificate is trusted'),
          remedy: optional(told(string, REMEDY, 'create a DNS record for go.example.com')),
        }),
      ),
      'In the order of the check.',
    ),
  },
)
