import { of, type Words } from './types.ts'

const EVERYONE = 'Nothing is stored if no member of the target can be reached: the answer is then 400.'

/** Sending notifications, what became of them, and the rules of an app for them. */
export const NOTIFICATIONS: Words = {
  operations: {
    'post /messages/v2/notifications': {
      description:
        'The latest form. Name the target by one group only: everyone, installs and users, segments with channels and geofences. ' +
        `\`excludeInstallIds\` goes with any group. ${EVERYONE}`,
      takes: 'NotificationRequest',
      sends: {
        target: { channelUuids: ['news'] },
        content: { title: 'Hello', message: 'We are open today', data: { screen: 'offers' } },
        ios: { badge: { type: 'incrementBy', count: 1 } },
        android: { highPriority: true },
        ttl: 86_400,
      },
    },
    'post /push/v2/notifications': {
      description:
        'The earlier nested form, without geofences and `intelligentDelivery`. Of several groups in the target, whoever is in one of them ' +
        `gets the notification once. ${EVERYONE}`,
      takes: 'PushNotificationRequest',
      sends: { target: { userIds: ['user-17'] }, content: { title: 'Hello', message: 'We are open today' } },
    },
    'post /notifications': {
      description:
        'The flat form. Of several groups, whoever is in one of them gets the notification once. The notification is stored even if ' +
        'nobody can be reached.',
      takes: 'FlatNotificationRequest',
      sends: { broadcast: true, title: 'Hello', message: 'We are open today' },
    },
    'post /v2/notifications/preview': {
      description:
        'Takes the body of the latest form and checks it as sending does. Whoever is in the audience now is counted, for at most a minute: then ' +
        '`isComplete` is false. Whether recipients are skipped by quiet hours or the frequency cap is decided when it is sent. The payloads have a ' +
        'placeholder for the id.',
      takes: 'NotificationRequest',
      sends: { target: { broadcast: true }, content: { title: 'Hello', message: 'We are open today' } },
    },
    'get /v2/notifications': {
      description:
        'Returns the newest notification first, however it was sent. `status` takes the name of a status or its number. All that is given must hold.',
    },
    'get /v2/notifications/:id': {
      description:
        'Counts recipients by what became of them. The counts change until the notification is sent, and opens arrive later.',
    },
    'get /v2/notifications/:id/recipients': {
      description:
        'NDJSON: each line is `{"installId", "userId", "outcome", "kind", "reason"}`. `outcome` is one of the counts of the report. ' +
        '`kind` is the kind of a failure, `reason` why it is so: the word of the vendor where there is one; both may be null. `userId` ' +
        'is the user of the install now. Both ids are null once the install is gone. While the notification is being sent, recipients ' +
        'that are not reached yet are missing, and one that is tried again meanwhile may come twice: the later line counts.',
    },
    'get /notifications/:id/install-opens': { description: 'Lists each install once, with its first open.' },
    'get /notifications/:id/user-opens': { description: 'Lists each user once, with their first open on any device.' },
    'get /v2/scheduled-notifications': { description: 'Returns notifications that are still due somewhere.' },
    'delete /v2/scheduled-notifications/:id': {
      description:
        'Waits for requests to gateways that are under way. After the answer nothing more is sent; what was sent before stays sent.',
    },
    'get /v1/restraint': { description: 'A rule that is switched off is null.' },
    'put /v1/restraint': {
      description: 'An absent field stays as it is; null switches a rule off. The rules apply to sends from then on.',
      takes: 'RestraintChange',
      sends: { quietHours: { from: '22:00', to: '07:00' }, frequencyCap: { count: 5, hours: 24 }, confirmAbove: null },
    },
  },
  schemas: {
    NotificationRequest: ['A notification to send.'],
    PushNotificationRequest: ['A notification to send, in the earlier nested form.'],
    FlatNotificationRequest: ['A notification to send, in the flat form.'],
    RestraintChange: ['The rules to set.'],
  },
  fields: {
    ...of(['PushNotificationRequest', 'FlatNotificationRequest'], {
      purpose: ['The uid of its purpose: users who do not allow it are left out.', 'news'],
      priority: [
        '`transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.',
        'transactional',
      ],
      collapseId: ['A later notification with the same id replaces this one on the device.', 'score-1007'],
      reportingMeta: ['Copied into the `data` of the events that this causes.', { campaign: 'spring' }],
      ios: ['For iOS only.'],
      'ios.category': ['Category of the notification content extension.', 'OFFER'],
      'ios.sound': [
        'Sound file in the app; `none` switches sound and vibration off. An object can make the sound critical: then it plays although the device ' +
          'is muted, for which the app needs an entitlement from Apple (`critical` of the gateway).',
        'bell.caf',
      ],
      'ios.sound.name': ['Sound file in the app. A critical sound without it is the sound of the system.', 'siren.caf'],
      'ios.sound.critical': ['True plays it although the device is muted.', true],
      'ios.sound.volume': ['Volume of a critical sound, from 0 to 1.', 0.8],
      'ios.subtitle': ['Shown between title and message.', 'Order 1007'],
      'ios.threadId': ['Notifications with the same id are shown together.', 'order-1007'],
      'ios.interruptionLevel': [
        'How far iOS may interrupt. `time-sensitive` passes a Focus where the person allows it; `critical` needs an entitlement from Apple.',
        'time-sensitive',
      ],
      'ios.relevanceScore': ['From 0 to 1. The highest of an app leads its summary.', 0.75],
      'ios.targetContentId': ['The window of the app that a tap brings to the front.', 'chat-12'],
      'ios.priority': [
        'What APNs does: 10 sends at once, 5 when it suits the battery, 1 without waking the device. Default: 10.',
        5,
      ],
      'android.sound': ['Sound file in the app.', 'bell'],
      'android.channelId': [
        'Notification channel that the app made, and with it the importance. If the app has no such channel, the general one of the SDK is used.',
        'orders',
      ],
      'android.importance': [
        '`high` may appear on top of the screen. It means a channel of the SDK, so `channelId` wins where the app has that channel.',
        'high',
      ],
      'ios.media': ['What is shown with it.'],
      'ios.media.pictureUrl': ['A picture that is shown with it.', 'https://example.com/offer.png'],
      'android.pictureUrl': ['A picture that is shown with it.', 'https://example.com/offer.png'],
      android: ['For Android only.'],
      'android.highPriority': ['True wakes a sleeping device.', true],
      schedule: ['When it is due. Without it, at once.'],
      'schedule.sendAt': ['Local time as `YYYY-MM-DD HH:mm`.', '2026-12-24 18:00'],
      'schedule.strategy': ['Whose time `sendAt` is: `utc`, or the `local` time of each install.', 'local'],
      'schedule.pastTimes': [
        'What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.',
        'nextDay',
      ],
      ttl: ['Seconds after the due time during which it is worth delivering.', 86_400],
      rateLimit: ['Maximum number of recipients a second.', 500],
      confirm: [
        'Maximum number of recipients that the caller expects. Required of sends above `confirmAbove` of the restraint.',
        1000,
      ],
      buttons: ['Buttons below the message.'],
      'buttons.id': ['Passed to the app as `actionId`.', 'buy'],
      'buttons.text': ['Label.', 'Buy'],
      'buttons.icon': ['Icon, shown by iOS 15 and later.'],
      'buttons.icon.type': ['`system` is an SF Symbol, `custom` an image in the app.', 'system'],
      'buttons.icon.id': ['Name of the symbol or image.', 'cart'],
    }),
    'PushNotificationRequest.target.installIds': ['Ids of installs.', ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10']],
    'FlatNotificationRequest.installIds': ['Ids of installs.', ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10']],
    'PushNotificationRequest.target.userIds': ['Identifiers of users.', ['user-17']],
    'FlatNotificationRequest.userIds': ['Identifiers of users.', ['user-17']],
    'PushNotificationRequest.target': ['Who gets it.'],
    'PushNotificationRequest.target.broadcast': ['True targets everyone.', true],
    'FlatNotificationRequest.broadcast': ['True targets everyone.', true],
    'PushNotificationRequest.target.segmentUuid': [
      'Installs that match this segment.',
      '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
    ],
    'FlatNotificationRequest.segmentUuid': [
      'Installs that match this segment.',
      '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
    ],
    'PushNotificationRequest.target.segmentId': ['As `segmentUuid`, by number.', 3],
    'FlatNotificationRequest.segmentId': ['As `segmentUuid`, by number.', 3],
    'PushNotificationRequest.target.channelUuids': ['Installs subscribed to any of these channels.', ['news']],
    'FlatNotificationRequest.channelUuids': ['Installs subscribed to any of these channels.', ['news']],
    'PushNotificationRequest.target.channelIds': ['As `channelUuids`, by number.', [7]],
    'FlatNotificationRequest.channelIds': ['As `channelUuids`, by number.', [7]],
    'PushNotificationRequest.target.excludeInstallIds': [
      'Installs that get nothing, whatever else the target says.',
      ['gone'],
    ],
    'FlatNotificationRequest.excludeInstallIds': [
      'Installs that get nothing, whatever else the target says.',
      ['gone'],
    ],
    'RestraintChange.quietHours.then': // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
      ['`hold` sends when the quiet hours end; `drop`, the default, leaves the recipients out.', 'hold'],
    'PushNotificationRequest.content.data': [
      'Additional values for the app. Names that begin with `k.` are reserved for the SDK.',
      { screen: 'offers' },
    ],
    'FlatNotificationRequest.data': [
      'Additional values for the app. Names that begin with `k.` are reserved for the SDK.',
      { screen: 'offers' },
    ],
    'PushNotificationRequest.content.title': ['Title.', 'Hello'],
    'FlatNotificationRequest.title': ['Title.', 'Hello'],
    'PushNotificationRequest.content.message': ['Text of the message.', 'We are open today'],
    'FlatNotificationRequest.message': ['Text of the message.', 'We are open today'],
    'PushNotificationRequest.content': ['What it says.'],
    'PushNotificationRequest.content.url': [
      'An absolute URL that is opened when the notification is clicked. A path such as `/sale` continues from the `siteUrl` of the Safari gateway.',
      'https://example.com/sale',
    ],
    'FlatNotificationRequest.url': [
      'An absolute URL that is opened when the notification is clicked. A path such as `/sale` continues from the `siteUrl` of the Safari gateway.',
      'https://example.com/sale',
    ],
    'PushNotificationRequest.runBackgroundHandler': [
      'True wakes the app in the background and shows nothing by itself.',
      false,
    ],
    'FlatNotificationRequest.isBackground': [
      'True wakes the app in the background and shows nothing by itself.',
      false,
    ],
    'PushNotificationRequest.target.userMeta': [
      'Values for single users, by their identifier. Copied into the events of the push.',
      { 'user-17': { seat: '4A' } },
    ],
    'FlatNotificationRequest.userMeta': [
      'Values for single users, by their identifier. Copied into the events of the push.',
      { 'user-17': { seat: '4A' } },
    ],
    'PushNotificationRequest.ios.badge': ['What happens to the badge of the app icon.'],
    'PushNotificationRequest.ios.badge.type': ['Whether the number is added or set.', 'incrementBy'],
    'FlatNotificationRequest.ios.badgeType': ['Whether the number is added or set.', 'incrementBy'],
    'PushNotificationRequest.ios.badge.count': ['The number. Zero clears the badge.', 1],
    'FlatNotificationRequest.ios.badgeCount': ['The number. Zero clears the badge.', 1],
    'FlatNotificationRequest.ios.hasBadge': [
      'Whether the badge changes. Then `badgeType` and `badgeCount` are required.',
      true,
    ],
    'FlatNotificationRequest.soundConfig': ['Sounds.'],
    'FlatNotificationRequest.soundConfig.iosSound': [
      'Sound file in the app. `none` switches sound and vibration off.',
      'bell.caf',
    ],
    'FlatNotificationRequest.scheduled': ['True sends it at the time in `schedule`.', true],
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
  },
  parameters: {
    'query.outcome': ['Only recipients with this outcome.', 'failed'],
    '/v2/notifications.query.status': ['Only notifications with this status.', 'sent'],
    'query.createdSince': ['Only notifications that were created then or later.', '2026-03-01'],
    'query.createdBefore': ['Only notifications that were created before.', '2026-04-01'],
    'path.kind': ['Kind of failure.', 'token_dead'],
  },
}
