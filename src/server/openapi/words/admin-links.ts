import { of, type Words } from './types.ts'

export const DESIGN = { type: 'bell', trigger: { event: 'k.pageViewed', afterSeconds: 5 } }

/** Links, banners and web prompts in the admin interface, where the server API has no route. */
export const ADMIN_LINKS: Words = {
  schemas: {
    NewBanner: ['A banner to create.'],
    BannerChange: ['What changes about a banner.'],
    NewWebPrompt: ['The file of a web prompt.', DESIGN],
    WebPromptChange: ['What changes about a web prompt.', { trigger: { event: 'cartFilled' } }],
  },
  fields: {
    ...of(['BannerChange', 'NewBanner'], {
      'trigger.filters': ['Conditions on the event: property, operator, value.', [['path', 'EQ', '/offers']]],
      imageUrl: ['A picture.', 'https://example.com/picture.png'],
      position: ['Edge of the page.', 'bottom'],
      trigger: ['When the banner shows.'],
      'trigger.event': ['Type of the event.', 'k.pageViewed'],
      'trigger.afterSeconds': ['Delay in seconds.', 5],
      labels: ['Texts.'],
      'labels.heading': ['First line.', 'Get the app'],
      'labels.body': ['Second line.', 'All offers in your pocket'],
      'labels.acceptAction': ['Label of the button that leads to the app.', 'Open'],
      'labels.declineAction': ['Label of the button that closes it.', 'Later'],
      colors: ['Colours.'],
      'colors.fg': ['Colour of the text.', '#1b2129'],
      'colors.bg': ['Colour of the background.', '#ffffff'],
      'colors.declineActionFg': ['Text of the second button.', '#5a6573'],
      'colors.declineActionBg': ['Background of the second button.', '#f6f7f9'],
      'colors.acceptActionFg': ['Text of the first button.', '#ffffff'],
      'colors.acceptActionBg': ['Background of the first button.', '#1753d8'],
      'colors.ratingFg': ['Colour of the rating.', '#b26a00'],
      appRating: ['The rating that is shown.'],
      'appRating.rating': ['Stars, 0 to 5.', 4.6],
      'appRating.ratingCount': ['Number of ratings.', 1204],
      uiActions: ['What the buttons do.'],
      'uiActions.decline': ['The second button.'],
      'uiActions.decline.delay': ['How long it stays away.'],
      'uiActions.decline.delay.duration': ['Number of units.', 7],
      'uiActions.decline.delay.timeUnit': ['Hours or days.', 'days'],
      'uiActions.decline.type': ['What declining does.', 'decline'],
      link: ['Slug of the link that it opens.', 'spring-sale'],
    }),
    'InAppMessageRequest.inbox.imageUrl': ['A picture.', 'https://example.com/picture.png'],
  },
  parameters: {
    'query.days': ['How many days.', 30],
    'query.format': ['Format of the picture.', 'svg'],
    'query.linkId': ['Only this link.', 7],
    'query.q': ['The address, the slug or the id of a link.', 'spring-sale'],
    'query.device': ['The device of the visitor.', 'ios'],
    'query.size': ['Width and height in pixels.', 512],
    'query.logo': ['Whether the icon of the app is in the middle.', true],
    'path.name': ['Its name.', 'welcome'],
  },
}
