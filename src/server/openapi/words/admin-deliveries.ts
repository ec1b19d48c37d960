import type { Words } from './types.ts'

/** The admin interface: the home of an app, notifications while they are sent and afterwards. */
export const ADMIN_DELIVERIES: Words = {
  parameters: {
    '/v1/apps/:appId/deliveries/:id/openers.query.limit': ['Openers on a page; default: 50.', 50],
    '/v1/apps/:appId/overview.query.zone': ['Time zone of the days; default: UTC.', 'Europe/Berlin'],
    '/v1/apps/:appId/overview.query.days': ['How many days, today included; default: 14.', 30],
    '/v1/apps/:appId/deliveries/:id/trace.query.userId': ['All installs that this user has now.', 'anna'],
    '/v1/apps/:appId/deliveries/:id/trace.query.installId': ['One install.', '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'],
    '/v1/apps/:appId/deliveries.query.q': [
      'Only those with this text in their title, capitals or not. A page looks at 500, so it may be short: go on with `next`.',
      'croissants',
    ],
    '/v1/apps/:appId/deliveries.query.status': ['Only those with this status: its word or its number.', 'sent'],
  },
}
