import { of, type Words } from './types.ts'

export const LINK = {
  linkData: { screen: 'offer', id: 7 },
  desktopWebFallbackUrl: 'https://example.com/offers/7',
  mobileWebFallbackUrl: 'https://m.example.com/offers/7',
}

/** Deep links, for servers and as SDKs see them. */
export const LINKS: Words = {
  schemas: {
    DeepLinkChange: ['What changes about a deep link.'],
    NewDeepLinks: ['Deep links to create.'],
    LinkSettingsChange: ['What changes about the link settings.'],
    BannerTap: ['Who tapped, as far as the page knows.', { webInstallId: 'w-1007' }],
  },
  fields: {
    ...of(['DeepLinkChange', 'NewDeepLinks'], {
      linkData: ['Returned to the app when the link is matched.', LINK.linkData],
      desktopWebFallbackUrl: ['Where a browser on a desktop is sent.', LINK.desktopWebFallbackUrl],
      mobileWebFallbackUrl: ['Where a browser on a phone without the app is sent.', LINK.mobileWebFallbackUrl],
      'content.title': ['Title of the jump page.', 'Spring sale'],
      'content.description': ['Text of the jump page.', 'All shoes half price'],
      pictureUrl: [
        'The picture that chats show of the link, such as one of `GET /v1/pictures`. Without it, the icon of the app.',
        'https://push.example.com/pictures/4f9c2b7e8d1a4c53b6e0f7a912d8c3e4.jpg',
      ],
    }),
    'NewDeepLinks.slug': [
      'Path of the short link, unique in the app: letters, digits and `-_.~`, with `/` between segments. Generated when omitted.',
      'spring-sale',
    ],
    'DeepLinkChange.slug': [
      'The slug that the link has, so that a link can be sent back as it was read. Another one is refused.',
      'spring-sale',
    ],
    'NewDeepLinks.lookupLimit': ['Maximum number of matches. Without it, any number.', 100],
    'DeepLinkChange.lookupLimit': ['Maximum number of matches. Null: any number.', 100],
    'NewDeepLinks.content': ['What the jump page shows.'],
    'DeepLinkChange.content': [
      'The texts of the jump page, both together: one that is missing is removed. Null removes both.',
    ],
    'DeepLinkChange.expiresAt': [
      'When it expires, ISO 8601; UTC unless it has an offset. Null: never.',
      '2026-12-31T23:59:59Z',
    ],
    'NewDeepLinks.expiresAt': ['When it expires, ISO 8601; UTC unless it has an offset.', '2026-12-31T23:59:59Z'],
    'LinkSettingsChange.domain': ['The own host name of the links of the app.', 'go.example.com'],
    'LinkSettingsChange.iosTeamId': ['Apple team id.', 'A1B2C3D4E5'],
    'LinkSettingsChange.iosBundleIds': ['Bundle ids of the iOS apps that open the links.', ['com.example.app']],
    'LinkSettingsChange.androidPackage': ['Package of the Android app that opens the links.', 'com.example.app'],
    'LinkSettingsChange.androidSha256': [
      'SHA-256 fingerprints of its signing certificates.',
      ['14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5'],
    ],
    'LinkSettingsChange.appStoreUrl': ['Address in the App Store.', 'https://apps.apple.com/app/id1234567890'],
    'LinkSettingsChange.playStoreUrl': [
      'Address in the Play Store.',
      'https://play.google.com/store/apps/details?id=com.example.app',
    ],
    'LinkSettingsChange.fingerprintWindow': [
      'Seconds during which a tap waits for the first start of the app; 0 switches recognition off.',
      3600,
    ],
    'LinkSettingsChange.offersClipboard': [
      'Whether the button of the jump page copies the link for the first start of the app.',
      false,
    ],
    'LinkSettingsChange.icon': [
      'The icon of the app on the jump page: a PNG, JPEG or WebP as a data URL.',
      'data:image/png;base64,iVBORw0KGgo=',
    ],
    'LinkSettingsChange.color': ['The colour of the app on the jump page, as `#rrggbb`.', '#0b6157'],
    'LinkSettingsChange.offersCode': [
      'Whether computers get a page with a QR code of the link. False: they are sent to `desktopWebFallbackUrl` at once.',
      false,
    ],
    'DeepLinkChange.isEnabled': ['False switches the link off, true on again.', false],
    'NewDeepLinks.isEnabled': ['False for a link that is to be switched on later.', true],
  },
  parameters: {
    'query.fingerprint': ['Components of the device as JSON, in base64.', 'eyJzY3JlZW4iOiIzOTB4ODQ0In0='],
    'query.wasDeferred': ['1 if the app found the link after its installation.', '1'],
    'query.webInstallId': ['The install of the browser. Banners then know whether it has the app.', 'w-1007'],
    'path.slug': ['Path of the short link.', 'spring-sale'],
    'path.bannerUuid': ['The `uuid` of the banner.', '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'],
  },
}
