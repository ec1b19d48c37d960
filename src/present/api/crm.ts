import type { UserChannel } from '../../domain/channels/types.ts'
import { type Attributes, BUILD_KINDS, type Install, type UserWithInstalls } from '../../domain/crm/types.ts'
import type { ExportedRow } from '../../domain/erasures/export.ts'
import type { Erasure } from '../../domain/erasures/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import {
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
} from '../schema.ts'

/** The contract's Install; null where the device never said. */
function presentInstall(install: Install) {
  return {
    id: install.installId,
    subscribedToPushNotifications: install.subscribed,
    os: install.os,
    osVersion: install.osVersion,
    sdkType: install.sdkType,
    sdkVersion: install.sdkVersion,
    lastActive: isoOffset(install.lastActive),
    appVersion: install.appVersion,
    countryIsoCode: install.countryIsoCode,
    timezone: install.timezone,
    locale: install.locale,
    deviceModel: install.deviceModel,
    deviceName: install.deviceName,
  }
}

/** As `presentInstall`, with what callers must ask for: the contract's Install does not have it. */
export function presentWholeInstall(install: Install) {
  const { buildKind, simulator, timeSensitive } = install
  return { ...presentInstall(install), buildKind, simulator, timeSensitive }
}

/** The contract's User. */
export function presentUser(user: UserWithInstalls, ofInstall: (install: Install) => object = presentInstall) {
  return {
    identifier: user.identifier,
    attributes: user.attributes,
    firstActive: isoOffset(user.firstActive),
    lastActive: isoOffset(user.lastActive),
    inAppEnabled: user.inAppEnabled,
    createdAt: isoOffset(user.createdAt),
    updatedAt: isoOffset(user.updatedAt),
    installs: user.installs.map(ofInstall),
  }
}

/** As `presentUser`, with everything that is known about the installs. */
export function presentWholeUser(user: UserWithInstalls) {
  return presentUser(user, presentWholeInstall)
}

/** Body of `GET users/{id}`: the contract's User with what else is known of them. No push token is in it. */
export function presentUserRecord(user: UserWithInstalls, channels: readonly UserChannel[]) {
  return { ...presentWholeUser(user), known: !user.anonymous, channels: channels.map(presentUserChannel) }
}

function presentUserChannel({ uuid, name, subscribed, installIds, optedOutInstallIds }: UserChannel) {
  return { uuid, name, subscribed, installIds, optedOutInstallIds }
}

/** What the body of the user list has besides `users`. */
export function presentUserPage(total: number, currentPage: number) {
  return { totalUsers: total, currentPage }
}

/** Body of `PUT attributes`. */
export function presentAttributes(identifier: string, attributes: Attributes) {
  return { identifier, attributes }
}

/** Body of `POST token`. */
export function presentUserToken({
  identifier,
  token,
  expiresAt,
}: {
  identifier: string
  token: string
  expiresAt: number | null
}) {
  return { userId: identifier, token, expiresAt: isoOffsetOrNull(expiresAt) }
}

/** How far an erasure is. It does not name anybody. */
export function presentErasure({ id, kind, state, found, requestedAt, doneAt }: Erasure) {
  return { id, kind, state, found, requestedAt: isoOffset(requestedAt), doneAt: isoOffsetOrNull(doneAt) }
}

/** A line of an export. */
export function presentExported({ table, row }: ExportedRow) {
  return { table, row }
}

/** Attributes that a caller gave. */
export const attributesAnswer = { ...free, title: 'Attributes' }

const install = answerOf<typeof presentWholeInstall>('Install', {
  id: string,
  subscribedToPushNotifications: boolean,
  os: nullable(string),
  osVersion: nullable(string),
  sdkType: nullable(string),
  sdkVersion: nullable(string),
  lastActive: time,
  appVersion: nullable(string),
  countryIsoCode: nullable(string),
  timezone: nullable(string),
  locale: nullable(string),
  deviceModel: nullable(string),
  deviceName: nullable(string),
  buildKind: optional(nullable(oneOf(BUILD_KINDS))),
  simulator: optional(nullable(boolean)),
  timeSensitive: optional(nullable(boolean)),
})

const userMembers = {
  identifier: string,
  attributes: free,
  firstActive: time,
  lastActive: time,
  inAppEnabled: boolean,
  createdAt: time,
  updatedAt: time,
  installs: list(install),
}

const user = answerOf<typeof presentUser>('User', userMembers)

const userPage = object({ users: list(user), totalUsers: count, currentPage: integer }, 'UserPage')
const foundUsers = object({ users: list(user), next: nullable(integer) }, 'FoundUsers')

/** The list as the contract has it, or what a search found. */
export const usersAnswer = { anyOf: [userPage, foundUsers] }

export const userRecord = answerOf<typeof presentUserRecord>('UserRecord', {
  ...userMembers,
  known: boolean,
  channels: list(
    answerOf<typeof presentUserChannel>('UserChannel', {
      uuid: string,
      name: nullable(string),
      subscribed: boolean,
      installIds: list(string),
      optedOutInstallIds: list(string),
    }),
  ),
})

export const userAttributes = answerOf<typeof presentAttributes>('UserAttributes', {
  identifier: string,
  attributes: free,
})

export const userToken = answerOf<typeof presentUserToken>('UserToken', {
  userId: string,
  token: string,
  expiresAt: nullable(time),
})

export const erasureAnswer = answerOf<typeof presentErasure>('Erasure', {
  id: string,
  kind: oneOf(['user', 'install']),
  state: oneOf(['requested', 'erasing', 'searching', 'cleaning', 'done']),
  found: nullable(boolean),
  requestedAt: time,
  doneAt: nullable(time),
})
