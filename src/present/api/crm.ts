import type { UserChannel } from '../../domain/channels/types.ts'
import { TRANSPORTS, transportOf } from '../../domain/crm/store/transport.ts'
import { type Attributes, BUILD_KINDS, type Install, type UserWithInstalls } from '../../domain/crm/types.ts'
import type { ExportedRow } from '../../domain/erasures/export.ts'
import type { Erasure } from '../../domain/erasures/types.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  time,
  told,
  type Words,
  within,
} from '../schema.ts'
import {
  APP_VERSION,
  CHANNEL_UUID,
  CREATED_AT,
  DEVICE_MODEL,
  DEVICE_NAME,
  LOCALE,
  OS_VERSION,
  TIMEZONE,
  UPDATED_AT,
} from '../words.ts'

export const OS: Words = ['Operating system.', 'iOS']
export const SDK_TYPE: Words = ['Kind of SDK in the app.', 'ios']
export const SDK_VERSION: Words = ['Version of the SDK.', '10.2.0']
export const LAST_ACTIVE: Words = ['Time of the last activity.', '2026-03-01T11:58:00+0000']
export const COUNTRY_ISO_CODE: Words = ['ISO 3166-1 code of the country.', 'DE']
export const IDENTIFIER: Words = ['Unique identifier of the user, chosen by the app or a server.', 'user-17']
export const ATTRIBUTES: Words = ['Free-form attributes of the user.', { plan: 'gold', visits: 12 }]
export const FIRST_ACTIVE: Words = ['When the user was first active.', '2026-01-05T08:15:00+0000']
export const IN_APP_ENABLED: Words = ['Whether the user agreed to in-app messages. Only a device reports this.', true]
const USERS: Words = ['The users of this page.']
export const KNOWN: Words = ['Whether the app or a server named the user; false for an anonymous one.', true]
export const CHANNEL_NAME: Words = ['Name of the channel; null if it has none.', 'News']
export const WHOLE_USER: Words = ['Whether the user is subscribed, and with that all of their installs.', true]
export const INSTALL_IDS: Words = ['Installs that are subscribed themselves.', 318]
export const OPTED_OUT_INSTALL_IDS: Words = ['Installs that opted out.', 12]

/** Builds the members of the user list beside `users`. */
export function presentUserPage(total: number, currentPage: number) {
  return { totalUsers: total, currentPage }
}

/** Body of `PUT attributes`. */
export function presentAttributes(identifier: string, attributes: Attributes) {
  return { identifier, attributes }
}

/** A line of an export. */
export function presentExported({ table, row }: ExportedRow) {
  return { table, row }
}

/** Attributes that a caller gave. */
export const attributesAnswer = { ...free, title: 'Attributes' }

const INSTALLS = 'The installs whose current user this is.'

const installMembers = {
  id: told(
    string,
    'Unique id of the install, chosen by its SDK.',
    '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
    ({ installId }: Install) => installId,
  ),
  subscribedToPushNotifications: told(
    boolean,
    'Whether the install has a push token and may show notifications.',
    true,
    ({ subscribed }: Install) => subscribed,
  ),
  os: told(nullable(string), OS),
  osVersion: told(nullable(string), OS_VERSION),
  sdkType: told(nullable(string), SDK_TYPE),
  sdkVersion: told(nullable(string), SDK_VERSION),
  lastActive: told(time, LAST_ACTIVE),
  appVersion: told(nullable(string), APP_VERSION),
  countryIsoCode: told(nullable(string), COUNTRY_ISO_CODE),
  timezone: told(nullable(string), TIMEZONE),
  locale: told(nullable(string), LOCALE),
  deviceModel: told(nullable(string), DEVICE_MODEL),
  deviceName: told(nullable(string), DEVICE_NAME),
}
const INSTALL = 'One copy of the app on one device. A field is null if the device never reported it.'
/** The contract's Install; null where the device never said. */
const contractInstall = answer<Install>()('Install', INSTALL, installMembers)
/** The same with what callers must ask for: the contract's Install does not have it. */
const install = answer<Install>()('Install', INSTALL, {
  ...installMembers,
  buildKind: optional(
    told(nullable(oneOf(BUILD_KINDS)), 'How the app was built. Only with `include=device`.', 'release'),
  ),
  simulator: optional(
    told(nullable(boolean), 'Whether the device is a simulator or an emulator. Only with `include=device`.', false),
  ),
  timeSensitive: optional(
    told(
      nullable(boolean),
      'Whether iOS lets time-sensitive notifications of the app interrupt a Focus. Only with `include=device`.',
      true,
    ),
  ),
  transport: optional(
    told(
      nullable(oneOf(TRANSPORTS)),
      'How pushes get to the install; null without a push token. Only with `include=device`.',
      'fcm',
      transportOf,
    ),
  ),
})
export const presentWholeInstall = install.present

const userMembers = {
  identifier: told(string, IDENTIFIER),
  attributes: told(free, ATTRIBUTES),
  firstActive: told(time, FIRST_ACTIVE),
  lastActive: told(time, LAST_ACTIVE),
  inAppEnabled: told(boolean, IN_APP_ENABLED),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
  installs: told(list(install), INSTALLS),
}

const USER = 'A person who uses the app, or the anonymous stand-in for one.'
/** The contract's User. */
export const presentUser = answer<UserWithInstalls>()('User', USER, {
  ...userMembers,
  installs: told(list(contractInstall), INSTALLS),
}).present
/** The same with everything that is known about the installs. */
const user = answer<UserWithInstalls>()('User', USER, userMembers)
export const presentWholeUser = user.present

const userPage = object('UserPage', 'One page of users.', {
  users: told(list(user), USERS),
  totalUsers: told(count, 'Number of users on all pages.', 1204),
  currentPage: told(integer, 'Number of the page, from 1.', 1),
})
const foundUsers = object('FoundUsers', 'What a search found.', {
  users: told(list(user), USERS),
  next: told(nullable(integer), '`after` of the next page; null when all users were examined.', 1042),
})

/** The list as the contract has it, or what a search found. */
export const usersAnswer = { anyOf: [userPage, foundUsers] }

const userChannel = answer<UserChannel>()('UserChannel', 'A channel that reaches a user.', {
  uuid: told(string, CHANNEL_UUID),
  name: told(nullable(string), CHANNEL_NAME),
  subscribed: told(boolean, WHOLE_USER),
  installIds: told(list(string), INSTALL_IDS, []),
  optedOutInstallIds: told(list(string), OPTED_OUT_INSTALL_IDS, []),
})
interface KnownUser {
  user: UserWithInstalls
  channels: readonly UserChannel[]
}

/** Body of `GET users/{id}`: the contract's User with what else is known of them. No push token is in it. */
export const userRecord = answer<KnownUser>()('UserRecord', 'A user with the channels that reach them.', {
  ...within(({ user }: KnownUser) => user, {
    ...userMembers,
    known: told(boolean, KNOWN, ({ anonymous }: UserWithInstalls) => !anonymous),
  }),
  channels: told(list(userChannel), 'The channels that reach the user, in the order of their creation.'),
})
export const presentUserRecord = (user: UserWithInstalls, channels: readonly UserChannel[]) =>
  userRecord.present({ user, channels })

export const userAttributes = answerOf<typeof presentAttributes>(
  'UserAttributes',
  'The attributes as they were stored.',
  {
    identifier: told(string, IDENTIFIER),
    attributes: told(free, ATTRIBUTES),
  },
)

/** Body of `POST token`. */
export const userToken = answer<{
  identifier: string
  token: string
  expiresAt: number | null
}>()('UserToken', 'A signed token that says who a user is.', {
  userId: told(string, 'The identifier that the token stands for.', 'user-17', ({ identifier }) => identifier),
  token: told(string, 'The token.', 'su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl'),
  expiresAt: told(nullable(time), 'When the token expires; null if never.', '2026-03-02T12:00:00+0000'),
})
export const presentUserToken = userToken.present

/** Progress of an erasure. It does not name anybody. */
export const erasureAnswer = answer<Erasure>()(
  'Erasure',
  'The erasure of a user or an install, and how far it is. It does not say whose it is.',
  {
    id: told(string, 'Unique id of the erasure.', '019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d'),
    kind: told(oneOf(['user', 'install']), 'What is erased: a user with all installs, or one install.', 'user'),
    state: told(
      oneOf(['requested', 'erasing', 'searching', 'cleaning', 'done']),
      'requested: it has not begun. erasing: rows are being deleted. searching: the rows are gone, and ' +
        'sends and stored answers are searched for the names. cleaning: the files of the database are being ' +
        'cleaned. done: nothing is left.',
      'done',
    ),
    found: told(nullable(boolean), 'Whether there was such a user or install; null until somebody looked.', true),
    requestedAt: told(time, 'When it was asked for.', '2026-11-23T14:00:00+0000'),
    doneAt: told(nullable(time), 'When it was done; null before.', '2026-11-23T14:00:04+0000'),
  },
)
export const presentErasure = erasureAnswer.present
