import type { Words } from './types.ts'

const APP = '/admin/v1/apps/:appId'
const LABELS = {
  heading: 'Get the app',
  body: 'All offers in your pocket',
  acceptAction: 'Open',
  declineAction: 'Later',
}
const DESIGN = { type: 'bell', trigger: { event: 'k.pageViewed', afterSeconds: 5 } }

/** Links, banners and web prompts in the admin interface, where the server API has no route. */
export const ADMIN_LINKS: Words = {
  operations: {
    [`get ${APP}/link-days`]: {
      description:
        'The last `days` UTC days, today included; days without any are there. Of one link with `linkId`, else of all links of the app.',
    },
    [`get ${APP}/link-search`]: {
      description: 'Of a part of an address it finds nothing. A slug made of digits comes before an id.',
    },
    [`get ${APP}/deep-links/:id/preview`]: {
      description:
        '`visits` says where people without the app come by device. The texts are in the language of `Accept-Language`, like the page.',
    },
    [`get ${APP}/deep-links/:id/page`]: {
      description: 'The page that visitors get, for a frame of the console.',
    },
    [`get ${APP}/deep-links/:id/qr`]: {
      description:
        'Only the SVG has the icon of the app in its middle, if `logo` is true and the link settings have one.',
    },
    [`get ${APP}/link-check`]: {
      description:
        'Asks DNS, the certificate and the two association files; takes 16 seconds at most. `domain` is null while links are below an address that phones do not give to apps.',
    },
    [`get ${APP}/banners`]: { description: 'An app has 100 at most.' },
    [`post ${APP}/banners`]: {
      description: 'Browsers that fetched the banners already fetch them again within an hour.',
      takes: 'NewBanner',
      sends: { link: 'spring-sale', labels: LABELS },
    },
    [`get ${APP}/banners/:uuid`]: { description: 'With every default.' },
    [`patch ${APP}/banners/:uuid`]: {
      description: 'An absent part stays as it is; a part that is given is replaced as a whole.',
      takes: 'BannerChange',
      sends: { position: 'top' },
    },
    [`delete ${APP}/banners/:uuid`]: { description: 'Its link stays.' },
    [`get ${APP}/prompts`]: { description: 'An app has 50 at most. Browsers show none without a web gateway.' },
    [`post ${APP}/prompts/:name`]: {
      description: 'The body is the file of the prompt, which docs/gateways/web.md describes.',
      takes: 'NewWebPrompt',
      sends: DESIGN,
    },
    [`get ${APP}/prompts/:name`]: { description: 'With every default.' },
    [`patch ${APP}/prompts/:name`]: {
      description: 'An absent part stays as it is, a part that is given is replaced as a whole, and null removes one.',
      takes: 'WebPromptChange',
      sends: { trigger: { event: 'cartFilled' } },
    },
    [`delete ${APP}/prompts/:name`]: { description: 'Browsers that fetched it already show it for an hour at most.' },
  },
  schemas: {
    LinkDays: ['Clicks and matches by day, platform and route.'],
    LinkDay: ['A UTC day.'],
    LinkPlatform: ['A platform; the one with most comes first.'],
    LinkRoute: ['Where people were sent; the route with most comes first.'],
    LinkCounts: ['Clicks and matches of all days.'],
    FoundDeepLinks: ['The link that was found, or none.'],
    DeepLinkPreview: ['What visitors of a link get.'],
    DeepLinkCard: ['What chats show of a link: the Open Graph data of its page.'],
    PreviewedVisit: ['Where people with such a device come.'],
    DomainCheck: ['What Apple and Google would find.'],
    DomainFinding: ['One finding, with its remedy.'],
    BannerFile: ['A banner as its file has it, with every default.'],
    BannerFiles: ['All banners of the app.'],
    BannerFileActions: ['What the second button does.'],
    NewBanner: ['A banner to create.'],
    BannerChange: ['What changes about a banner.'],
    WebPromptFile: ['A web prompt.'],
    WebPromptFiles: ['All web prompts of the app.'],
    NewWebPrompt: ['The file of a web prompt.', DESIGN],
    WebPromptChange: ['What changes about a web prompt.', { trigger: { event: 'cartFilled' } }],
  },
  fields: {
    'LinkDays.days': ['Oldest first.'],
    'LinkDays.platforms': ['By platform.'],
    'LinkDays.routes': ['By route.'],
    'LinkDays.total': ['All days together.'],
    'LinkDay.day': ['A UTC day.', '2026-11-23'],
    'LinkPlatform.platform': ['`ios`, `android`, `mobile`, `desktop`, or `unknown`.', 'ios'],
    'LinkRoute.route': ['`jumpPage`, `playStore`, `mobileWeb`, `desktopWeb`, `banner`, or `unknown`.', 'jumpPage'],
    'LinkDay.clicks': ['Visits of people.', 40],
    'LinkDay.matches': ['Opens in the app.', 12],
    'LinkPlatform.clicks': ['Visits of people.', 40],
    'LinkPlatform.matches': ['Opens in the app.', 12],
    'LinkRoute.clicks': ['Visits of people.', 40],
    'LinkRoute.matches': ['Opens in the app.', 12],
    'LinkCounts.clicks': ['Visits of people.', 40],
    'LinkCounts.matches': ['Opens in the app.', 12],
    'FoundDeepLinks.items': ['One link at most.'],
    'FoundDeepLinks.next': ['Always null.', null],
    'DeepLinkPreview.card': ['What chats show.'],
    'DeepLinkPreview.visits': ['One for each device.'],
    'DeepLinkCard.title': ['Its title, or an invitation to open it in the app.', 'Spring sale'],
    'DeepLinkCard.description': ['Its text; null if there is none.', 'All shoes half price'],
    'DeepLinkCard.siteName': ['Name of the app.', 'Shop'],
    'DeepLinkCard.url': ['The short link.', 'https://go.example.com/spring-sale'],
    'DeepLinkCard.image': ['The icon of the app; null if there is none.', null],
    'PreviewedVisit.device': ['The device.', 'ios'],
    'PreviewedVisit.leadsTo': ['`page` for the jump page, whose main button leads to `url`.', 'page'],
    'PreviewedVisit.url': ['Where it leads.', 'https://apps.apple.com/app/id1234567890'],
    'DomainCheck.links': ['What every short link of the app begins with.', 'https://go.example.com'],
    'DomainCheck.domain': ['The host that was checked; null if phones give no app to the links.', 'go.example.com'],
    'DomainCheck.isHealthy': ['Whether nothing is left to do.', true],
    'DomainCheck.findings': ['In the order of the check.'],
    'DomainFinding.level': ['How bad it is.', 'ok'],
    'DomainFinding.what': ['What was found.', 'go.example.com resolves, and its certificate is trusted'],
    'DomainFinding.remedy': ['What to do about it.', 'create a DNS record for go.example.com'],
    'BannerFiles.items': ['The banners.'],
    'BannerFiles.next': ['Always null.', null],
    'BannerFile.link': ['Slug of the link that it opens.', 'spring-sale'],
    'NewBanner.link': ['Slug of the link that it opens.', 'spring-sale'],
    'BannerChange.link': ['Slug of the link that it opens.', 'spring-sale'],
    'WebPromptFiles.items': ['The prompts.'],
    'WebPromptFiles.next': ['Always null.', null],
    'WebPromptFile.name': ['Its name, unique in the app.', 'welcome'],
    'WebPromptFile.type': ['`bell`: a button in a corner, `alert`: a box, `banner`: a strip.', 'bell'],
    'WebPromptFile.design': ['Its file, with every default.', DESIGN],
    'query.linkId': ['Only this link.', 7],
    'query.q': ['The address, the slug or the id of a link.', 'spring-sale'],
    'query.device': ['The device of the visitor.', 'ios'],
    'query.size': ['Width and height in pixels.', 512],
    'query.logo': ['Whether the icon of the app is in the middle.', true],
    'path.name': ['Its name.', 'welcome'],
  },
}
