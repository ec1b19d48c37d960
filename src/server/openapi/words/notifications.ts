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
    ...of(['FlatNotificationRequest', 'PushNotificationRequest'], {
      'schedule.sendAt': [
        'Date and time as `YYYY-MM-DD HH:mm`, on the clock that `strategy` names.',
        '2026-12-24 18:00',
      ],
      'schedule.strategy': ['Whose time `sendAt` is: `utc`, or the `local` time of each install.', 'local'],
    }),
    ...of(['FlatNotificationRequest', 'NotificationRequest', 'PushNotificationRequest'], {
      rateLimit: ['Maximum number of recipients a second.', 500],
    }),
    ...of(['FlatNotificationRequest', 'NotificationRequest'], {
      userMeta: [
        'Values for single users, by their identifier. Copied into the events of the push.',
        { 'user-17': { seat: '4A' } },
      ],
    }),
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
  },
  parameters: {
    'query.outcome': ['Only recipients with this outcome.', 'failed'],
    '/v2/notifications.query.status': ['Only notifications with this status.', 'sent'],
    'query.createdSince': ['Only notifications that were created then or later.', '2026-03-01'],
    'query.createdBefore': ['Only notifications that were created before.', '2026-04-01'],
    'path.kind': ['Kind of failure.', 'token_dead'],
  },
}
