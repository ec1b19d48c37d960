import type { Words } from './types.ts'

const SEARCH =
  'What somebody typed: a part of an identifier or of a value, an install id, or a condition on an attribute.'
const AFTER = 'Where the page begins: `next` of the page before.'

/** Users, crashes and check-ins in the admin interface. */
export const ADMIN_USERS: Words = {
  schemas: {
    UserImport: [
      'Users of a file, with their attributes.',
      { users: [{ userId: 'anna', attributes: { plan: 'gold' } }], mode: 'merge' },
    ],
  },
  fields: {
    'UserImport.users': ['The users; one of them may be there more than once.'],
    'UserImport.users.userId': ['Identifier of the user, at most 255 characters.', 'anna'],
    'UserImport.users.attributes': ['Attributes of the user; null deletes one.', { plan: 'gold' }],
    'UserImport.mode': [
      '`merge`, which is the default, changes the attributes that are named; `replace` replaces all of them.',
      'merge',
    ],
    'UserImport.knownOnly': ['Refuses users who are not there instead of creating them.', false],
    'UserImport.includeErased': ['Takes in users who were erased here, too.', false],
  },
  parameters: {
    '/v1/apps/:appId/profiles.query.q': [SEARCH, 'plan = gold'],
    '/v1/apps/:appId/profiles.query.after': [AFTER, '51'],
    '/v1/apps/:appId/profiles.query.sort': ['The order of everybody; `-` is descending.', '-created'],
    '/v1/apps/:appId/profiles/count.query.q': [SEARCH, 'plan = gold'],
    '/v1/apps/:appId/profiles/count.query.after': [AFTER, '51'],
    '/v1/apps/:appId/profiles/export.query.q': [SEARCH, 'plan = gold'],
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
