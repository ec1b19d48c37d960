import type { Words } from './types.ts'

/** Users, crashes and check-ins in the admin interface. */
export const ADMIN_USERS: Words = {
  operations: {
    'get /admin/v1/apps/:appId/profiles': {
      description:
        '`q` is what somebody typed: the beginning of an identifier, a whole install id, or a condition on an attribute such as ' +
        '`plan = gold`, `visits >= 12` or `city ~ ber`. A search by an attribute looks for a moment only, so a page may hold few users, ' +
        'or none: go on with `next`. Who gets personal data masked finds users by their whole identifier or install id only.',
    },
    'get /admin/v1/apps/:appId/profiles/suggestions': {
      description:
        'Users, installs and attributes that fit. Names and values of attributes are those of the newest users.',
    },
    'get /admin/v1/apps/:appId/profiles/:profileId': {
      description:
        'With installs and what is known of their push tokens, channels, choices and suppression. Push tokens are never shown.',
    },
    'get /admin/v1/apps/:appId/profiles/:profileId/timeline': {
      description:
        'Sessions, sends, openings, in-app messages, links and events, as far as they are still kept. A page may hold fewer than `limit`, ' +
        'or none, and still have a `next`. Who gets personal data masked does not see what events said.',
    },
    'get /admin/v1/apps/:appId/profiles/:profileId/notifications/:id': {
      description:
        'The trace of every install in plain sentences, each with what can be done. `answers` are the words of the gateways. ' +
        'Whether an install fits a segment, a channel or a place is as it is now.',
    },
    'get /admin/v1/apps/:appId/crash-groups': { description: 'Reports of what looks like one fault are one group.' },
    'get /admin/v1/apps/:appId/crashes': {
      description: 'Without the reports themselves. `next` is null on the last page.',
    },
    'get /admin/v1/apps/:appId/crashes/:crashId': {
      description:
        'The first 500 lines of the stack, and the report as the app sent it: null for those who get personal data masked.',
    },
    'get /admin/v1/apps/:appId/checkins': {
      description: 'With the people of each group. `next` is null on the last page.',
    },
  },
  parameters: {
    '/v1/apps/:appId/profiles/:profileId/timeline.query.kind': ['Only entries of this kind.', 'send'],
    '/v1/apps/:appId/profiles/:profileId/timeline.query.after': [
      'Where the page begins: `next` of the page before.',
      'e30',
    ],
    '/v1/apps/:appId/checkins.query.state': ['Only open or only closed ones.', 'open'],
    'path.profileId': ['The number of the user.', 42],
    'path.crashId': ['The id of a crash report.', 12],
    'query.fault': ['Only reports with this fingerprint.', '1f0c5a7e93b2d864'],
  },
}
