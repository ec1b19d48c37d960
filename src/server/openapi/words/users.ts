import type { Words } from './types.ts'

/** Users and their installs, for servers. */
export const USERS: Words = {
  operations: {
    'get /v2/users': {
      description:
        'Returns known users, and anonymous users who are the current user of an install. A page past the end is empty.',
    },
    'get /v1/users/:userId/attributes': { description: 'Returns an empty object for a user without attributes.' },
    'put /v1/users/:userId/attributes': {
      description:
        'The last write wins: it replaces what the app or another server wrote before, and is replaced by what they write later. ' +
        'Use the same identifier with which the app associates its users.',
      takes: 'Attributes',
      sends: { plan: 'gold', visits: 12, newsletter: true },
    },
    'delete /v1/users/:userId/attributes': { description: 'The user and their installs stay.' },
    'post /v1/users/:userId/token': {
      description:
        'Needs signed users to be switched on (`appsvc apps identity`). Hand the token to the app, which passes it to its SDK instead of the identifier. ' +
        'The answer is never stored, so there is no `Idempotency-Key`.',
      takes: 'UserTokenRequest',
      sends: { expiresIn: 86_400 },
    },
  },
  schemas: {
    User: ['A person who uses the app, or the anonymous stand-in for one.'],
    UserPage: ['One page of users.'],
    Install: ['One copy of the app on one device. A field is null if the device never reported it.'],
    Attributes: ['What a server or the app knows about a user.', { plan: 'gold', visits: 12, newsletter: true }],
    UserAttributes: ['The attributes as they were stored.'],
    UserTokenRequest: ['How long the token is to be valid.'],
    UserToken: ['A signed token that says who a user is.'],
  },
  fields: {
    users: ['The users of this page.'],
    totalUsers: ['Number of users on all pages.', 1204],
    currentPage: ['Number of the page, from 1.', 1],
    'query.currentPage': ['Number of the page, from 1.', 1],
    'query.numberPerPage': ['Maximum number of items on a page.', 50],
    identifier: ['Unique identifier of the user, chosen by the app or a server.', 'user-17'],
    attributes: ['Free-form attributes of the user.', { plan: 'gold', visits: 12 }],
    firstActive: ['When the user was first active.', '2026-01-05T08:15:00+0000'],
    lastActive: ['Time of the last activity.', '2026-03-01T11:58:00+0000'],
    inAppEnabled: ['Whether the user agreed to in-app messages. Only a device reports this.', true],
    installs: ['The installs whose current user this is.'],
    'Install.id': ['Unique id of the install, chosen by its SDK.', '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'],
    subscribedToPushNotifications: ['Whether the install has a push token and may show notifications.', true],
    os: ['Operating system.', 'iOS'],
    osVersion: ['Version of the operating system.', '18.3'],
    sdkType: ['Kind of SDK in the app.', 'ios'],
    sdkVersion: ['Version of the SDK.', '10.2.0'],
    appVersion: ['Version of the app.', '4.12.0'],
    countryIsoCode: ['ISO 3166-1 code of the country.', 'DE'],
    timezone: ['IANA time zone.', 'Europe/Berlin'],
    locale: ['Locale of the device.', 'de_DE'],
    deviceModel: ['Model as the device reports it.', 'iPhone17,1'],
    deviceName: ['Model as people call it.', 'iPhone 16 Pro'],
    expiresIn: ['Seconds for which the token is valid. Without it the token never expires.', 86_400],
    'UserToken.userId': ['The identifier that the token stands for.', 'user-17'],
    token: ['The token.', 'su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl'],
    'UserToken.expiresAt': ['When the token expires; null if never.', '2026-03-02T12:00:00+0000'],
  },
}
