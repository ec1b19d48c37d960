import type { Words } from './types.ts'

/** Users and their installs, for servers. */
export const USERS: Words = {
  operations: {
    'get /v2/users': {
      description:
        'Returns known users, and anonymous users who are the current user of an install. A page past the end is empty. ' +
        'With `filter`, `channelUuid`, `segmentUuid`, `activeSince` or `after` it is a search: `currentPage` is absent, all that is given must hold, ' +
        'and the answer has `next` instead of a total. A search examines users for a limited time, so a page may hold fewer than `numberPerPage`, ' +
        'or none: the list ends where `next` is null. Without these keys, `currentPage` and `numberPerPage` are required.',
    },
    'get /v1/users/:userId': {
      description:
        'Includes the channels that reach the user or one of their installs: the first 1000. Push tokens are never shown.',
    },
    'get /v1/users/:userId/attributes': { description: 'Returns an empty object for a user without attributes.' },
    'put /v1/users/:userId/attributes': {
      description:
        'The last write wins: it replaces what the app or another server wrote before, and is replaced by what they write later. ' +
        'Use the same identifier with which the app associates its users.',
      takes: 'Attributes',
      sends: { plan: 'gold', visits: 12, newsletter: true },
    },
    'patch /v1/users/:userId/attributes': {
      description:
        'A merge patch (RFC 7396): `null` deletes an attribute, an object is merged, anything else replaces; attributes that are not named ' +
        'stay. Returns all attributes afterwards.',
      takes: 'AttributesPatch',
      sends: { plan: 'gold', coupon: null },
    },
    'delete /v1/users/:userId/attributes': { description: 'The user and their installs stay.' },
    'post /v1/users/:userId/token': {
      description:
        'Needs signed users to be switched on (`appsvc apps identity`). Hand the token to the app, which passes it to its SDK instead of the identifier. ' +
        'The answer is never stored, so there is no `Idempotency-Key`.',
      takes: 'UserTokenRequest',
      sends: { expiresIn: 86_400 },
    },
    'delete /v1/users/:userId': {
      description:
        'Deletes the user, their attributes, their installs with push tokens, and everything that is stored about them. Counts stay. ' +
        'It usually takes seconds; a page that is being sent to one of the installs is waited for. Nothing is sent to them once the ' +
        'state is `done`. An identifier that nobody has is erased as well, because a send may have named it. A device that goes on ' +
        'using the app gets a new anonymous user. The same request again, before it is done, returns the same erasure.',
    },
    'delete /v1/installs/:installId': {
      description:
        'Deletes one install as `DELETE /v1/users/{userId}` deletes all of a user. Its anonymous user goes too, its known user stays.',
    },
    'get /v1/erasures/:erasureId': {
      description:
        'Erasures stay readable after they are done. A `state` that stays the same waits for a page that is being sent, or a file.',
    },
    'get /v1/users/:userId/export': {
      description:
        'NDJSON: each line is `{"table", "row"}`, a row of what an erasure would delete. Times are ISO 8601. Rows are read while they ' +
        'are sent, so what changes meanwhile may be there or not.',
    },
  },
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
      '`device` adds `buildKind`, `simulator` and `timeSensitive` to every install. Without it they are absent.',
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
