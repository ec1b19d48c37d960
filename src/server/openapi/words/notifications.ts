import { PUSH_TEMPLATE_BODIES } from './push-templates.ts'
import { of, type Words } from './types.ts'

/** The bodies that say what a push says to each recipient. */
const PERSONAL_BODIES = [
  'NotificationRequest',
  'PushNotificationRequest',
  'FlatNotificationRequest',
  'SayingRequest',
  'TestPushRequest',
  ...PUSH_TEMPLATE_BODIES,
]
const LANGUAGES = 'The content by BCP 47 language tag: everyone gets the one that fits them, or the content itself.'
const AS_USER: [string, string] = ['The user as whom it is rendered: as on the install that was active last.', 'anna']

/** Sending notifications, what became of them, and the rules of an app for them. */
export const NOTIFICATIONS: Words = {
  schemas: {
    NotificationRequest: ['A notification to send.'],
    PushNotificationRequest: ['A notification to send, in the earlier nested form.'],
    FlatNotificationRequest: ['A notification to send, in the flat form.'],
    RestraintChange: ['The rules to set.'],
    LanguageVariant: ['The content in one language. What it leaves out is taken from the content itself.'],
    LookUp: ['A record of a data table that texts may show: the first by id whose field has the value.'],
    RecurringSchedule: ['A rule by which it is sent again and again.'],
    SeriesChange: ['Keys of the request that a series sends.'],
  },
  fields: {
    ...of(['EstimateRequest'], {
      content: ['What it says, as in `NotificationRequest`.', { title: 'Hello', message: 'We are open today' }],
      personalize: ['As in `NotificationRequest`.', { missing: 'skip' }],
      lookup: [
        'As in `NotificationRequest`.',
        { product: { table: '1_products', by: 'sku', value: '{{ meta.sku }}' } },
      ],
      ios: ['As in `NotificationRequest`.', { subtitle: 'Today' }],
      android: ['As in `NotificationRequest`.', { channelId: 'offers' }],
      buttons: ['As in `NotificationRequest`.', [{ id: 'buy', text: 'Buy' }]],
      runBackgroundHandler: ['As in `NotificationRequest`.', false],
      collapseId: ['As in `NotificationRequest`.', 'score-1007'],
    }),
    'LanguageVariant.title': ['Title.', 'Frisches Brot'],
    'LanguageVariant.message': ['Text.', 'Bis sechs Uhr.'],
    'LanguageVariant.url': ['The address that a click opens.', 'https://bakery.example/de/'],
    'LanguageVariant.data': ['Data for the app.', { screen: 'angebote' }],
    'LanguageVariant.pictureUrl': ['Picture, on every platform that shows one.', 'https://bakery.example/de/brot.png'],
    'LanguageVariant.subtitle': ['The line between title and message, on iOS.', 'Heute'],
    'LanguageVariant.buttons': ['Its buttons.'],
    'LanguageVariant.buttons.id': ['The id that the app gets when the button is pressed.', 'order'],
    'LanguageVariant.buttons.text': ['The text of the button.', 'Bestellen'],
    'LanguageVariant.buttons.icon': ['Its icon, on iOS 15 and later.'],
    'LanguageVariant.buttons.icon.type': ['An image of the app, or a symbol of the system.', 'system'],
    'LanguageVariant.buttons.icon.id': ['The name of the image or symbol.', 'cart'],
    'LookUp.table': ['The alias of the table.', '1_products'],
    'LookUp.by': ['The field by which the record is found: `id`, or a column with an index.', 'sku'],
    'LookUp.value': ['The value of that field, as template text.', '{{ meta.sku }}'],
    ...of(PERSONAL_BODIES, {
      personalize: [
        "When it is there, texts are template texts, such as `{{ user.attributes.firstName | default: 'Hello' }}`.",
        {},
      ],
      'personalize.missing': [
        'What becomes of a recipient for whom a value is missing: nothing is sent (`skip`), or nothing is printed in its place (`empty`).',
        'skip',
      ],
      lookup: ['Records of data tables by name; texts show them as `{{ lookup.NAME.field }}`.'],
    }),
    ...of(
      PERSONAL_BODIES.filter((name) => name !== 'FlatNotificationRequest'),
      { 'content.languages': [LANGUAGES] },
    ),
    'FlatNotificationRequest.languages': [LANGUAGES],
    ...of(['FlatNotificationRequest', 'PushNotificationRequest'], {
      'schedule.sendAt': [
        'Date and time as `YYYY-MM-DD HH:mm`, on the clock that `strategy` names.',
        '2026-12-24 18:00',
      ],
      'schedule.strategy': ['Whose time `sendAt` is: `utc`, or the `local` time of each install.', 'local'],
    }),
    ...of(['FlatNotificationRequest', 'NotificationRequest', 'PushNotificationRequest'], {
      rateLimit: ['Maximum number of recipients a second.', 500],
      isTest: ['Marks a send to see how it looks: lists and reports say so, and it is in no figure of the app.', false],
    }),
    ...of(['FlatNotificationRequest', 'NotificationRequest', 'PushNotificationRequest', 'InAppMessageRequest'], {
      labels: ['Short words by which lists and reports find it, at most five.', ['autumn-2026']],
    }),
    ...of(['FlatNotificationRequest', 'NotificationRequest'], {
      userMeta: [
        'Values for single users, by their identifier. Copied into the events of the push.',
        { 'user-17': { seat: '4A' } },
      ],
    }),
    'RecurringSchedule.strategy': ['Always `recurring`.', 'recurring'],
    'RecurringSchedule.cron': [
      'Five fields: minute, hour, day of the month, month, day of the week. At least 15 minutes lie between two times.',
      '0 9 * * MON',
    ],
    'RecurringSchedule.timezone': [
      'IANA time zone, or `local` for the zone of each install: then it comes once a day.',
      'Europe/Berlin',
    ],
    'RecurringSchedule.startsAt': ['The first possible time, `YYYY-MM-DD HH:mm` in that zone.', '2026-03-01 00:00'],
    'RecurringSchedule.endsAt': ['The last possible time, `YYYY-MM-DD HH:mm` in that zone.', '2026-12-31 23:59'],
    'RecurringSchedule.pastTimes': ['Times that have passed are always left out.', 'ignore'],
    'PushNotificationRequest.target.segmentId': ['As `segmentUuid`, by number.', 3],
    'FlatNotificationRequest.segmentId': ['As `segmentUuid`, by number.', 3],
    'PushNotificationRequest.target.channelIds': ['As `channelUuids`, by number.', [7]],
    'FlatNotificationRequest.channelIds': ['As `channelUuids`, by number.', [7]],
    'RestraintChange.quietHours.then': [
      '`hold` sends when the quiet hours end; `drop`, the default, leaves the recipients out.',
      'hold',
    ],
    'PushNotificationRequest.target.userMeta': [
      'Values for single users, by their identifier. Copied into the events of the push.',
      { 'user-17': { seat: '4A' } },
    ],
    'FlatNotificationRequest.ios.hasBadge': [
      'Whether the badge changes. Then `badgeType` and `badgeCount` are required.',
      true,
    ],
    'FlatNotificationRequest.soundConfig': ['Sounds.'],
    'FlatNotificationRequest.soundConfig.iosSound': [
      'Sound file in the app. `none` switches sound and vibration off.',
      'bell.caf',
    ],
    'FlatNotificationRequest.scheduled': [
      'Required with `schedule`: true sends at the time in it, false sends at once.',
      true,
    ],
    'RestraintChange.quietHours': ['Hours in which installs get nothing. Null: no quiet hours.'],
    'RestraintChange.quietHours.from': ['Start, as `HH:MM` of the local day.', '22:00'],
    'RestraintChange.quietHours.to': ['End, as `HH:MM` of the local day.', '07:00'],
    'RestraintChange.frequencyCap': ['How many notifications an install may get. Null: any number.'],
    'RestraintChange.frequencyCap.count': ['Maximum number of notifications.', 5],
    'RestraintChange.frequencyCap.hours': ['Period in hours.', 24],
    'RestraintChange.confirmAbove': ['Sends to more recipients than this must name `confirm`. Null: never.', 10_000],
    'RestraintChange.deviceChannels': [
      'Who sees channels that devices create: everyone (`public`) or subscribers (`private`).',
      'private',
    ],
    'RestraintChange.languageAttribute': [
      'User attribute that says which language a person reads: a name, or the path of one in an object (`profile.language`). Null: the locale of each install says it.',
      'language',
    ],
  },
  parameters: {
    '/v1/series.query.state': ['Only series in this state.', 'active'],
    '/v2/notifications/preview.query.userId': AS_USER,
    '/v1/apps/:appId/notifications/payloads.query.userId': AS_USER,
    'query.installId': [
      'The install for which it is rendered. Not together with `userId`.',
      '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
    ],
    'query.language': [
      'BCP 47 tag of the language in which it is rendered, in the place of the language of the person.',
      'de',
    ],
    'query.sample': ['For how many of the audience it is rendered; without it for nobody.', 1000],
    '/v1/apps/:appId/notifications/estimate.query.sample': [
      'For how many of the audience a content that differs between recipients is rendered; 1000 without it.',
      1000,
    ],
    'query.outcome': ['Only recipients with this outcome.', 'failed'],
    '/v2/notifications.query.status': ['Only notifications with this status.', 'sent'],
    '/v2/notifications.query.q': [
      'Only notifications with this text in their title, capitals or not. A page looks at 500 notifications, so it may be short: go on with `next`.',
      'croissants',
    ],
    'query.order': [
      '`created`: the newest first, which is the default. `due`: only those that wait for their time, the next first. `sent`: only those that are being sent or were sent, the latest first. With `due` or `sent` and another filter a page looks at 500.',
      'due',
    ],
    '/v1/series.query.order': [
      '`created`: the newest first, which is the default. `due`: only those with a next time, by that.',
      'due',
    ],
    'query.label': ['Only those that carry this label.', 'autumn-2026'],
    '/v1/labels.query.after': ['The `next` of the page before.', 'autumn-2026'],
    '/v1/labels/report.query.after': ['The `next` of the page before.', 'autumn-2026'],
    '/v1/labels.query.q': ['Only labels that begin like this.', 'autumn'],
    'query.createdSince': ['Only notifications that were created then or later.', '2026-03-01'],
    'query.createdBefore': ['Only notifications that were created before.', '2026-04-01'],
    'path.kind': ['Kind of failure.', 'token_dead'],
  },
}
