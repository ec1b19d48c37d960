import { PUSH_TEMPLATE_BODIES } from './push-templates.ts'
import { of, type Words } from './types.ts'

export const INSTALL = '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'
export const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/** Requests in the nested form. */
const NESTED = ['NotificationRequest', 'PushNotificationRequest', 'SayingRequest', 'TestPushRequest']

/** Requests that hold what an in-app message says. */
const IN_APP = ['InAppMessageRequest', 'InAppEstimateRequest', 'TestInAppRequest']

/** Composing a push in the console: estimate, payloads, tests, second person. */
export const ADMIN_COMPOSE: Words = {
  schemas: {
    InAppEstimateRequest: ['Whom an in-app message that is still being written is for, and if you like what it says.'],
    EstimateRequest: ['Whom a push is for, when it is sent, and if you like what it says.'],
    SayingRequest: ['What a push says.'],
    TestDeviceRequest: ['A device for tests.'],
    TestPushRequest: ['What a push says, and to which test devices it goes.'],
    ApproveRequest: ['How a push is approved.'],
    SecondPersonRequest: ['Whether a second person must approve what people send.'],
  },
  fields: {
    ...of(
      [
        'EstimateRequest',
        'InAppEstimateRequest',
        'InAppMessageRequest',
        'NotificationRequest',
        'PushNotificationRequest',
      ],
      {
        'target.installIds': ['Ids of installs.', ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10']],
        'target.userIds': ['Identifiers of users.', ['user-17']],
        target: ['Who gets it.'],
        'target.broadcast': ['True targets everyone.', true],
      },
    ),
    ...of(['EstimateRequest', 'NotificationRequest', 'PushNotificationRequest'], {
      'target.segmentUuid': ['Installs that match this segment.', '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'],
      'target.channelUuids': ['Installs subscribed to any of these channels.', ['news']],
      'target.excludeInstallIds': ['Installs that get nothing, whatever else the target says.', ['gone']],
    }),
    ...of(['EstimateRequest', 'NotificationRequest'], {
      'target.geofenceIds': ['Installs inside any of these geofences when it is sent.', [5]],
      'target.geofenceBroadcast': ['True targets installs inside any geofence.', true],
    }),
    ...of(['InAppEstimateRequest', 'InAppMessageRequest'], {
      'target.segmentUuid': [
        'Users with an install that matches this segment.',
        '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
      ],
      'target.channelUuids': ['Users subscribed to any of these channels, or with a subscribed install.', ['news']],
      'target.excludeInstallIds': [
        'Installs that get no push; users all of whose installs are listed get no message.',
        ['gone'],
      ],
      'target.geofenceIds': ['Users with an install inside any of these geofences when it is sent.', [5]],
      'target.geofenceBroadcast': ['True targets users with an install inside any geofence.', true],
    }),
    ...of(['EstimateRequest', 'InAppEstimateRequest', 'InAppMessageRequest', 'NotificationRequest'], {
      'target.geofenceTags': ['As `geofenceIds`, by tag.', ['work']],
    }),
    ...of(
      [
        'EstimateRequest',
        'FlatNotificationRequest',
        'InAppEstimateRequest',
        'InAppMessageRequest',
        'NotificationRequest',
        'PushNotificationRequest',
      ],
      {
        purpose: ['The uid of its purpose: users who do not allow it are left out.', 'news'],
        priority: [
          '`transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.',
          'transactional',
        ],
      },
    ),
    ...of([...NESTED, ...PUSH_TEMPLATE_BODIES], {
      'content.data': [
        'Additional values for the app. Names that begin with `k.` are reserved for the SDK.',
        { screen: 'offers' },
      ],
      'content.title': ['Title.', 'Hello'],
      'content.message': ['Text of the message.', 'We are open today'],
      'content.url': [
        'An absolute URL that is opened when the notification is clicked. A path such as `/sale` continues from the `siteUrl` of the Safari gateway.',
        'https://example.com/sale',
      ],
      'ios.badge': ['What happens to the badge of the app icon.'],
      'ios.badge.type': ['Whether the number is added or set.', 'incrementBy'],
      'ios.badge.count': ['The number. Zero clears the badge.', 1],
    }),
    ...of([...NESTED, ...PUSH_TEMPLATE_BODIES], { content: ['What it says.'] }),
    ...of(NESTED, {
      runBackgroundHandler: ['True wakes the app in the background and shows nothing by itself.', false],
    }),
    ...of(['FlatNotificationRequest', ...NESTED], {
      collapseId: ['A later notification with the same id replaces this one on the device.', 'score-1007'],
    }),
    ...of(['FlatNotificationRequest', ...NESTED, ...PUSH_TEMPLATE_BODIES], {
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
      buttons: ['Buttons below the message.'],
      'buttons.id': ['Passed to the app as `actionId`.', 'buy'],
      'buttons.text': ['Label.', 'Buy'],
      'buttons.icon': ['Icon, shown by iOS 15 and later.'],
      'buttons.icon.type': ['`system` is an SF Symbol, `custom` an image in the app.', 'system'],
      'buttons.icon.id': ['Name of the symbol or image.', 'cart'],
    }),
    ...of(
      [
        'DeepLinkChange',
        'FlatNotificationRequest',
        'NewDeepLinks',
        'NotificationRequest',
        'PushNotificationRequest',
        'SayingRequest',
        'TestPushRequest',
      ],
      {
        reportingMeta: ['Copied into the `data` of the events that this causes.', { campaign: 'spring' }],
      },
    ),
    ...of(
      [
        'EstimateRequest',
        'FlatNotificationRequest',
        'InAppMessageRequest',
        'NotificationRequest',
        'PushNotificationRequest',
      ],
      {
        schedule: ['When it is due. Without it, at once.'],
        'schedule.pastTimes': [
          'What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.',
          'nextDay',
        ],
      },
    ),
    ...of(['EstimateRequest', 'InAppMessageRequest', 'NotificationRequest'], {
      'schedule.sendAt': [
        'Date and time as `YYYY-MM-DD HH:mm`, on the clock that `strategy` names; only the day, `YYYY-MM-DD`, with the strategy `intelligent`.',
        '2026-12-24 18:00',
      ],
      'schedule.strategy': [
        'Whose time `sendAt` is: `utc`, the `timezone` given, the `local` time of each recipient, or `intelligent` for the usual hour of each user.',
        'local',
      ],
      'schedule.timezone': ['IANA time zone; required by the strategy `timezone`.', 'Europe/Berlin'],
      intelligentDelivery: ['True sends it at the next usual hour of each user. Excludes `schedule`.', true],
    }),
    ...of(
      ['EstimateRequest', 'FlatNotificationRequest', 'NotificationRequest', 'PushNotificationRequest', 'SayingRequest'],
      {
        ttl: ['Seconds after the due time during which it is worth delivering.', 86_400],
      },
    ),
    ...of(
      [
        'ApproveRequest',
        'FlatNotificationRequest',
        'InAppMessageRequest',
        'NotificationRequest',
        'PushNotificationRequest',
      ],
      {
        confirm: [
          'Maximum number of recipients that the caller expects. Required of sends above `confirmAbove` of the restraint.',
          1000,
        ],
      },
    ),
    ...of(['FlatNotificationRequest', 'Subscribers', 'Unsubscribers'], {
      installIds: ['Ids of installs.', ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10']],
      userIds: ['Identifiers of users.', ['user-17']],
    }),
    ...of(['FlatNotificationRequest', 'InAppEstimateRequest', 'InAppMessageRequest', 'TestInAppRequest'], {
      data: [
        'Additional values for the app. Names that begin with `k.` are reserved for the SDK.',
        { screen: 'offers' },
      ],
    }),
    ...of(IN_APP, {
      'notification.title': ['Title.', 'Hello'],
      'inbox.title': ['Title.', 'Hello'],
      'notification.message': ['Text of the message.', 'We are open today'],
      'notification.ios': ['For iOS only.'],
      'notification.ios.media': ['What is shown with it.'],
      'notification.ios.media.pictureUrl': ['A picture that is shown with it.', 'https://example.com/offer.png'],
      'notification.android.pictureUrl': ['A picture that is shown with it.', 'https://example.com/offer.png'],
      'notification.android': ['For Android only.'],
    }),
    'TestDeviceRequest.name': ['What people call it.', 'Phone of Anna'],
    'TestDeviceRequest.installId': ['Its install id, as the SDK shows it.', INSTALL],
    'TestPushRequest.devices': ['Numbers of test devices.', [3]],
    'SecondPersonRequest.required': ['Whether it is so.', true],
    'FlatNotificationRequest.broadcast': ['True targets everyone.', true],
    'FlatNotificationRequest.segmentUuid': [
      'Installs that match this segment.',
      '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
    ],
    'FlatNotificationRequest.channelUuids': ['Installs subscribed to any of these channels.', ['news']],
    'FlatNotificationRequest.excludeInstallIds': [
      'Installs that get nothing, whatever else the target says.',
      ['gone'],
    ],
    'FlatNotificationRequest.title': ['Title.', 'Hello'],
    'FlatNotificationRequest.message': ['Text of the message.', 'We are open today'],
    'FlatNotificationRequest.url': [
      'An absolute URL that is opened when the notification is clicked. A path such as `/sale` continues from the `siteUrl` of the Safari gateway.',
      'https://example.com/sale',
    ],
    'FlatNotificationRequest.isBackground': [
      'True wakes the app in the background and shows nothing by itself.',
      false,
    ],
    'FlatNotificationRequest.ios.badgeType': ['Whether the number is added or set.', 'incrementBy'],
    'FlatNotificationRequest.ios.badgeCount': ['The number. Zero clears the badge.', 1],
  },
  parameters: {
    'query.undoSeconds': [
      'For how many seconds nothing is sent, so that it can be called off. Without a schedule only.',
      10,
    ],
    '/v1/apps/:appId/approvals.query.state': ['Only those of this state.', 'waiting'],
  },
}
