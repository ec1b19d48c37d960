import type { Words } from './types.ts'

/** Users and their installs, for servers. */
export const USERS: Words = {
  schemas: {
    Attributes: ['What a server or the app knows about a user.', { plan: 'gold', visits: 12, newsletter: true }],
    AttributesPatch: ['Attributes to change; null deletes one.', { plan: 'gold', coupon: null }],
    UserTokenRequest: ['How long the token is to be valid.'],
  },
  fields: {
    'UserTokenRequest.expiresIn': ['Seconds for which the token is valid. Without it the token never expires.', 86_400],
  },
  parameters: {
    'query.currentPage': ['Number of the page, from 1.', 1],
    'query.numberPerPage': ['Maximum number of items on a page.', 50],
    'query.include': [
      '`device` adds to every install what its fields say is only there with it. Without it they are absent.',
      'device',
    ],
    '/v2/users.query.after': ['The `next` of the previous page.', 1042],
    '/v2/users.query.filter': ['Condition on the user.', '{"field":"attributes.plan","op":"equals","value":"gold"}'],
    'query.channelUuid': ['Only users who are subscribed to this channel, or one of whose installs is.', 'news'],
    'query.segmentUuid': [
      'Only users with an install in this segment; its id is accepted too.',
      '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
    ],
    'query.activeSince': ['Only users who were active then or later.', '2026-03-01T08:00:00Z'],
    'path.erasureId': ['Id of an erasure, as the DELETE answered it.', '019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d'],
  },
}
