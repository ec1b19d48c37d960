import type { Words } from './types.ts'

/** The admin interface: the home of an app, notifications while they are sent and afterwards. */
export const ADMIN_DELIVERIES: Words = {
  operations: {
    'get /admin/v1/apps/:appId/overview': {
      description:
        'Reads sums that are kept as things happen, so it is quick however large the app is. What the checks found is at most five seconds old.',
    },
    'get /admin/v1/apps/:appId/deliveries': {
      description: 'As the list of notifications, with what became of the recipients of each.',
    },
    'get /admin/v1/apps/:appId/deliveries/:id': {
      description: 'Hours and platforms are kept for 90 days; the counts stay.',
    },
    'get /admin/v1/apps/:appId/deliveries/:id/progress': {
      description: 'Once; `events` beside it tells it every second, with the speed.',
    },
    'get /admin/v1/apps/:appId/deliveries/:id/events': {
      description:
        'Server-sent events named `progress`; the data of each is a `DeliveryProgress`. It ends when the notification is over. However many follow a notification, the server reads it once a second.',
    },
    'post /admin/v1/apps/:appId/deliveries/:id/stop': {
      description:
        'Whoever has not been sent it by then does not get it; what a vendor has accepted cannot be called back. Answers when no request is under way any more.',
    },
    'get /admin/v1/apps/:appId/deliveries/:id/trace': {
      description: 'Give `userId` for all installs that the user has now, at most 20, or `installId` for one.',
    },
    'get /admin/v1/apps/:appId/deliveries/:id/recipients.csv': {
      description:
        'One record for each recipient, as many as there are; the audit log says who took it. A cell that a program for tables would run as a formula gets an apostrophe in front.',
    },
  },
  parameters: {
    '/v1/apps/:appId/overview.query.zone': ['Time zone of the days; default: UTC.', 'Europe/Berlin'],
    '/v1/apps/:appId/deliveries/:id/trace.query.userId': ['All installs that this user has now.', 'anna'],
    '/v1/apps/:appId/deliveries/:id/trace.query.installId': ['One install.', '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'],
    '/v1/apps/:appId/deliveries.query.status': ['Only those with this status: its word or its number.', 'sent'],
  },
}
