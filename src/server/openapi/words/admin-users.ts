import type { Words } from './types.ts'

/** Users, crashes and check-ins in the admin interface. */
export const ADMIN_USERS: Words = {
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
