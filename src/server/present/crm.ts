import type { Attributes, Install, UserWithInstalls } from '../../domain/crm/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/clock.ts'
import { answerOf, boolean, count, free, integer, list, nullable, object, string, time } from './schema.ts'

/** The contract's Install; null where the device never said. */
export function presentInstall(install: Install) {
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

/** The contract's User. */
export function presentUser(user: UserWithInstalls) {
  return {
    identifier: user.identifier,
    attributes: user.attributes,
    firstActive: isoOffset(user.firstActive),
    lastActive: isoOffset(user.lastActive),
    inAppEnabled: user.inAppEnabled,
    createdAt: isoOffset(user.createdAt),
    updatedAt: isoOffset(user.updatedAt),
    installs: user.installs.map(presentInstall),
  }
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

/** Attributes that a caller gave. */
export const attributesAnswer = { ...free, title: 'Attributes' }

const install = answerOf<typeof presentInstall>('Install', {
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
})

const user = answerOf<typeof presentUser>('User', {
  identifier: string,
  attributes: free,
  firstActive: time,
  lastActive: time,
  inAppEnabled: boolean,
  createdAt: time,
  updatedAt: time,
  installs: list(install),
})

export const userPage = object({ users: list(user), totalUsers: count, currentPage: integer }, 'UserPage')

export const userAttributes = answerOf<typeof presentAttributes>('UserAttributes', {
  identifier: string,
  attributes: free,
})

export const userToken = answerOf<typeof presentUserToken>('UserToken', {
  userId: string,
  token: string,
  expiresAt: nullable(time),
})
